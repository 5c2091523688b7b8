import Datagrams
import ICE
import RTP
import Timebase

/// RTP and RTCP, in and out, always through the protector: there is no path around it.
extension PeerCore {
    mutating func receiveRTP(_ datagram: [UInt8], ecn: ECN) {
        guard isConnected, let protector, receiver != nil else { return }
        var packet = datagram
        do throws(ProtectionError) { try protector.unprotectRTP(&packet) } catch { return refuse(datagram, error) }
        handshakeIsProven()
        pathWatch?.heard(at: now)
        if let receive = setup.receive { feedback.receive(packet, ecn, receive, at: now) }
        if packet.count > 1, audioReceiver?.takes(packet[1] & 0x7f) == true {
            let before = audioReceiver?.stream.ssrc
            audioReceiver?.receive(packet, clock: audioClock, at: now)
            if before != nil, before != audioReceiver?.stream.ssrc {
                audioClock = ReportedClock(clockRate: AudioTime.ticksPerSecond)
            }
        } else {
            receiver?.receive(packet, at: now)
        }
        drainReceiver()
        endIfReplaced()
    }

    /// Forged, replayed and damaged packets change nothing, but that a stream of which nothing else comes is begun anew.
    private mutating func refuse(_ datagram: [UInt8], _ error: ProtectionError) {
        guard error == .replayed || error == .authenticationFailed,
            let header = datagram.read({ try? RTPPacket($0) })?.header
        else { return }
        receiver?.stream.refuse(header, at: now)
        audioReceiver?.stream.refuse(header, at: now)
        endIfReplaced()
    }

    private mutating func endIfReplaced() {
        if receiver?.stream.isReplaced == true || audioReceiver?.stream.isReplaced == true { end(.streamReplaced) }
    }

    /// - Returns: whether the peer wrote it.
    @discardableResult
    mutating func receiveRTCP(_ datagram: [UInt8], on addresses: AddressPair) -> Bool {
        guard isConnected, let protector else { return false }
        var bytes = datagram
        do throws(ProtectionError) { try protector.unprotectRTCP(&bytes) } catch { return false }
        handshakeIsProven()
        reporter = Self.reporter(datagram)
        let packets = bytes.read { span in (try? RTCPPacket.packets(span)) ?? [] }
        if ice.heardMedia(on: addresses, at: now) {
            drainICE()
        } else {
            path.heard(at: now)
            pathWatch?.heard(at: now)
        }
        // Behind a goodbye nothing counts.
        for packet in packets where isConnected { handle(packet) }
        return true
    }

    /// Who wrote a report, as its header says in the clear (RFC 3711 § 3.4).
    package static func reporter(_ datagram: [UInt8]) -> UInt32? {
        datagram.read { $0.u32(at: 4) }
    }

    /// Whether a report from an address that is nobody's could be this peer's. That proves nothing yet.
    package func mayHaveWritten(as name: UInt32, at now: Instant) -> Bool {
        reporter == name && isConnected && pathWatch?.isQuiet(at: now) == true
    }

    /// A report from an address that is nobody's: where its NAT gave it another, a peer sends these from there before it
    /// checks its pair again.
    /// - Returns: whether this peer wrote it; its new address is being checked then.
    package mutating func receiveStray(
        _ datagram: [UInt8], local: TransportAddress, from remote: TransportAddress, at now: Instant
    ) -> Bool {
        self.now = now
        return receiveRTCP(datagram, on: AddressPair(local: local, remote: remote))
    }

    private mutating func handle(_ packet: RTCPPacket) {
        switch packet {
        case .senderReport(let report):
            // Ours tells by a report that its clock has moved (`ToldClock`).
            let isExact = setup.receive?.isFromOwnSharer == true
            if receiver?.stream.handle(report, at: now) == true { videoClock.receive(report, isExact: isExact) }
            if audioReceiver?.stream.handle(report, at: now) == true { audioClock.receive(report, isExact: isExact) }
            handle(report.reports)
        case .receiverReport(let report): handle(report.reports)
        // Sound is not sent again, it would come too late; and what was sent again has numbers of its own.
        case .genericNACK(let nack) where nack.mediaSSRC != sender?.stream.ssrc: break
        case .genericNACK(let nack):
            guard requestBudget.spend(nack.count + costOfRequest, at: now) else { break }
            let missing = sender?.sinceLeap(nack.missing) ?? []
            path.receive(missing: missing, at: now)
            sender?.repair(missing, path, checkRoundTrip: ice.roundTripTime, at: now)
        case .pictureLossIndication, .fullIntraRequest: keyframeRequested()
        case .goodbye(let goodbye): leave(goodbye)
        case .transportFeedback(let feedback): learned(silence: path.receive(feedback, at: now))
        case .congestionFeedback(let feedback): learned(silence: path.receive(feedback, at: now))
        case .ecnFeedback(let feedback): path.receive(feedback)
        case .bitrateEstimate(let estimate): path.receive(estimate, at: now)
        case .sourceDescription, .unknown: break
        }
    }

    /// Who takes repair packets is owed nothing.
    private var costOfRequest: Int { sender?.repairs.owesRepairs == true ? Limits.costOfRequest : 0 }

    /// A sharer ends with its pictures: of its sound alone, browsers say so as well when a track is exchanged or muted. A
    /// list without names says nothing (RFC 3550 § 6.6).
    private mutating func leave(_ goodbye: Goodbye) {
        let pictures = receiver?.stream.ssrc
        if pictures.map(goodbye.ssrcs.contains) ?? !goodbye.ssrcs.isEmpty { end(.closedByPeer) }
    }

    private mutating func handle(_ reports: [ReportBlock]) {
        for report in reports {
            if let news = sender?.handle(report, at: now) {
                if let roundTrip = news.roundTrip { path.measured(roundTrip: roundTrip, at: now) }
                path.receive(loss: news.loss, of: news.packets, at: now)
                // Each looks through as many packets as a request may name.
                let cost = news.packets + costOfRequest
                if requestBudget.spend(cost, at: now) { sender?.oweUnasked(report, path, at: now) }
            }
            if let loss = audioSender?.handle(report, at: now) { outputs.append(.event(.losesAudio(loss))) }
            if path.receive(report, roundTrip: ice.roundTripTime, at: now) { beginPicturesAnew() }
        }
    }

    /// The peer has told what came.
    ///
    /// - Parameter silence: how long nothing had passed, where something does again. Where that is long, so much was lost
    ///   that to send it again would take longer than to begin anew.
    private mutating func learned(silence: Duration?) {
        guard let silence, silence > Limits.lostInSilence else {
            let lost = path.takeLost()
            if !lost.isEmpty { sender?.repair(lost: lost, path, checkRoundTrip: ice.roundTripTime, at: now) }
            sender?.adaptPlayout(path, checkRoundTrip: ice.roundTripTime, at: now)
            return
        }
        beginPicturesAnew()
    }

    private mutating func beginPicturesAnew() {
        sender?.dropUnsent()
        outputs.append(.event(.keyframeNeeded))
    }

    private mutating func keyframeRequested() {
        guard let isEarly = sender?.asksEarly(roundTrip: ice.roundTripTime, at: now) else { return }
        sender?.countKeyframeRequest()
        guard keyframeBudget.spend(1, at: now) else { return }
        sender?.abandon(path, at: now)
        outputs.append(.event(isEarly ? .keyframeAskedEarly : .keyframeNeeded))
    }

    /// Whether what is sent goes anywhere: while ICE begins anew, for one, there may be no pair. What left then would use
    /// up numbers.
    var hasWay: Bool { ice.sendAddresses != nil }

    /// Whatever may leave now.
    mutating func drainMedia() {
        if hasWay {
            followSilence()
            while let packet = audioSender?.nextPacket(&path, at: now) { transmitRTP(packet, .audio) }
            while let packet = sender?.nextPacket(&path, at: now) { transmitRTP(packet, .video) }
        }
        tellPath()
        if let report = sender?.report(at: now) { transmitRTCP(report) }
        if let report = audioSender?.report(at: now) { transmitRTCP(report) }
        if path.takeRoundTripWish(at: now) {
            ice.checkPath(at: now)
            drainICE()
        }
        receiver?.advance(to: now)
        drainReceiver()
    }

    /// Once something passes again of which checks told, pictures begin anew.
    private mutating func followSilence() {
        guard sender != nil else { return }
        let isUnanswered = path.goesByReports && ice.unansweredTime(at: now) > Limits.unansweredTime
        let isLost = isUnanswered && (lostTime(at: now) ?? .zero) > Limits.unansweredTime
        guard path.unanswered.follow(isLost: isLost) else { return }
        sender?.beginAnew()
        outputs.append(.event(.keyframeNeeded))
    }

    private mutating func tellPath() {
        // Not bound to a name: that would copy all of it.
        guard sender != nil else { return }
        let (backlog, mayHurry) = (sender?.backlog ?? 0, sender?.hasOnlyRefinement ?? false)
        let news = path.news(
            audio: audioSender?.bitsPerSecond ?? 0, backlog: backlog, mayHurry: mayHurry, at: now)
        if let news { outputs.append(.event(.path(news))) }
    }

    private mutating func drainReceiver() {
        while let unit = receiver?.nextUnit() { outputs.append(.event(.received(dated(unit)))) }
        while let packet = audioReceiver?.nextPacket() { outputs.append(.event(.receivedAudio(packet))) }
        while let feedback = receiver?.nextFeedback(at: now, roundTripTime: ice.roundTripTime, audio: &audioReceiver) {
            transmitFeedback(feedback)
        }
        guard let ssrc = setup.receive?.ssrc else { return }
        let packets = feedback.makeFeedback(senderSSRC: ssrc, ntp: wallClock.ntp(at: now), at: now)
        for packet in packets { transmitFeedback(packet) }
    }

    /// By itself where the other side takes that (RFC 5506), else behind a report without figures.
    private mutating func transmitFeedback(_ bytes: [UInt8]) {
        guard let receive = setup.receive, !receive.takesReducedSizeRTCP, !RTCPPacket.beginsWithReport(bytes) else {
            return transmitRTCP(bytes)
        }
        var compound: [UInt8] = []
        ReceiverReport(ssrc: receive.ssrc, reports: []).append(to: &compound)
        SourceDescription(ssrc: receive.ssrc, canonicalName: receive.canonicalName).append(to: &compound)
        transmitRTCP(compound + bytes)
    }

    private func dated(_ unit: ReceivedUnit) -> ReceivedUnit {
        var unit = unit
        unit.capturedAt = videoClock.captured(unit.accessUnit.timestamp)
        return unit
    }

    /// Consumes the packet: protected in place, not copied.
    private mutating func transmitRTP(_ packet: consuming [UInt8], _ dscp: DSCP) {
        guard let protector, let pair = ice.sendAddresses else { return }
        do throws(ProtectionError) { try protector.protectRTP(&packet) } catch { return end(.protection(error)) }
        let ecn = ice.keepsHeaders ? path.nextECN(at: now) : .notCapable
        path.sent(packet, dscp, at: now)
        outputs.append(
            .transmit(Transmit(bytes: packet, from: pair.local, to: pair.remote, dscp: dscp, ecn: ecn)))
    }

    mutating func transmitRTCP(_ bytes: [UInt8]) {
        guard let protector, let pair = ice.sendAddresses else { return }
        var bytes = bytes
        do throws(ProtectionError) { try protector.protectRTCP(&bytes) } catch { return end(.protection(error)) }
        outputs.append(.transmit(Transmit(bytes: bytes, from: pair.local, to: pair.remote, dscp: .video)))
    }
}

/// One peer's counters.
package struct PeerStatistics: Sendable {
    package var isConnected: Bool
    package var outgoing: OutgoingStatistics?
    package var incoming: IncomingStatistics?
    /// Of what a sharer sends.
    package var path: PathStatistics?
    package var roundTripTime: Duration?
}
