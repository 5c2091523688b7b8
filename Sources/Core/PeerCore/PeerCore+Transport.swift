import Datagrams
import ICE
import Timebase

/// ICE and the handshake: from two addresses to keys.
extension PeerCore {
    mutating func apply(_ remote: RemoteParameters) {
        ice.setRemote(remote.credentials, at: now)
        for candidate in remote.candidates { ice.addRemoteCandidate(candidate, at: now) }
        if handshake == nil {
            do throws(HandshakeError) {
                handshake = try security.makeHandshake(
                    role: setup.handshakeRole, remoteFingerprint: remote.fingerprint)
            } catch {
                return end(.handshake(error))
            }
            if setup.handshakeRole == .active { drive { engine throws(HandshakeError) in try engine.start() } }
            for datagram in earlyHandshake { receiveHandshake(datagram) }
            earlyHandshake = []
        }
        drainICE()
    }

    mutating func drainICE() {
        while true {
            switch ice.nextOutput() {
            case .transmit(let bytes, let from, let to):
                outputs.append(.transmit(Transmit(bytes: bytes, from: from, to: to, dscp: .video)))
            case .event(let event): handle(event)
            case .wait: return
            }
        }
    }

    private mutating func handle(_ event: ICEEvent) {
        switch event {
        case .validPair, .selectedPair:
            followPair()
            drainHandshake()
        case .disconnected: outputs.append(.event(.interrupted(true)))
        case .recovered:
            pathWatch?.recovered(at: now)
            outputs.append(.event(.interrupted(false)))
        case .consentExpired: end(.consentExpired)
        case .failed: noPairFound()
        }
    }

    /// A check of the pair in use came back. What a sharer sends reaches the peer then, and so does the answer.
    mutating func answered(_ roundTrip: Duration) {
        guard sender != nil else { return }
        path.measured(roundTrip: roundTrip, at: now)
        pathWatch?.answered(at: now)
    }

    /// Another pair is another path.
    private mutating func followPair() {
        guard let pair = ice.sendAddresses, pair != sendsBy else { return }
        if sendsBy != nil { path.moved(roundTrip: ice.roundTripTime, at: now) }
        sendsBy = pair
    }

    /// Who is connected lives as long as its pair has consent; a restart may outlive that pair and find no other.
    private mutating func noPairFound() {
        guard isConnected else { return end(.unreachable) }
        if ice.sendPair == nil { end(.consentExpired) }
    }

    /// A DTLS record. It only comes from addresses whose checks were authenticated, so a forged ClientHello never gets
    /// here; before the answer is known, a few are kept.
    mutating func receiveHandshake(_ datagram: [UInt8]) {
        guard handshake != nil else {
            if earlyHandshake.count < Limits.earlyHandshakeDatagrams { earlyHandshake.append(datagram) }
            return
        }
        drive { engine throws(HandshakeError) in try engine.receive(datagram.span.bytes) }
    }

    /// Runs the engine once and follows up: datagrams, timer, keys, failure.
    mutating func drive(_ body: (any HandshakeEngine) throws(HandshakeError) -> Void) {
        guard let engine = handshake else { return }
        do throws(HandshakeError) {
            try body(engine)
        } catch {
            drainHandshake()
            return end(error == .closed ? .closedByPeer : .handshake(error))
        }
        let flight = drainHandshake()
        guard protector == nil, let keys = engine.keys else { return }
        if setup.handshakeRole == .passive, !flight.isEmpty { lastFlight = LastFlight(flight) }
        awaitProof()
        secure(keys)
    }

    /// Sends what the engine has made, where ICE has a pair; it is kept in the engine until then.
    @discardableResult
    mutating func drainHandshake() -> [[UInt8]] {
        guard let handshake, let path = ice.sendAddresses else { return [] }
        var sent: [[UInt8]] = []
        while let datagram = handshake.nextDatagram() { sent.append(datagram) }
        for datagram in sent { transmitHandshake(datagram, by: path) }
        if lastFlight == nil { handshakeDue = handshake.timeout.map { now + $0 } }
        return sent
    }

    private mutating func transmitHandshake(_ datagram: [UInt8], by path: AddressPair) {
        outputs.append(.transmit(Transmit(bytes: datagram, from: path.local, to: path.remote, dscp: .video)))
    }

    mutating func handshakeTimedOut() {
        handshakeDue = nil
        guard let lastFlight, let path = ice.sendAddresses else {
            return drive { engine throws(HandshakeError) in try engine.handleTimeout() }
        }
        for datagram in lastFlight.datagrams { transmitHandshake(datagram, by: path) }
        awaitProof()
    }

    private mutating func awaitProof() {
        guard let pause = lastFlight?.nextPause() else { return lastFlight = nil }
        handshakeDue = now + pause
    }

    /// The peer has its keys: it has encrypted something.
    mutating func handshakeIsProven() {
        guard lastFlight != nil else { return }
        lastFlight = nil
        handshakeDue = nil
    }

    private mutating func secure(_ keys: SRTPKeys) {
        do throws(ProtectionError) {
            protector = try security.makeProtector(keys: keys)
        } catch {
            return end(.protection(error))
        }
        guard case .connecting = phase else { return }
        phase = .connected
        path.begin(roundTrip: ice.roundTripTime)
        pathWatch = PathWatch(at: now)
        outputs.append(.event(.connected))
        if sender != nil { outputs.append(.event(.keyframeNeeded)) }
    }

    mutating func end(_ reason: DisconnectReason) {
        if case .closed = phase { return }
        phase = .closed
        outputs.append(.event(.disconnected(reason)))
    }
}
