import Datagrams
import ICE
import NIOCore
import PeerCore
import SystemClock
import Timebase

/// TURN servers: what they relay is dispatched as if their addresses were sockets.
extension PeerHub {
    // MARK: The beginning and the end

    /// Asks these servers for an address each, besides those that were asked before.
    package func relay(by servers: [RelayServer]) {
        for server in RelayServer.selection(of: servers, besides: relays.map(\.server)) {
            let relay = Relay(
                server, index: relays.count, hidesAddress: configuration.transportPolicy == .relayOnly)
            relays.append(relay)
            let base = chooseAddress(of: relay)
            guard !isClosed else { return }
            let now = SystemClock.now()
            switch (server.uri.transport, base) {
            case (_, nil): fail(relay, .noLocalAddress)
            case (.udp, let base?): begin(relay, base: base, .udp, at: now)
            case (.tcp, _): connect(relays.count - 1)
            }
            drain(relay, at: now)
        }
        flush()
    }

    /// The network has changed, or is back. Those that were reached from an address which is gone are asked anew, those that do
    /// not answer where another socket reaches them now; whatever has no address does not wait any longer; and the others
    /// are asked whether they still know us.
    func relayAgain() {
        for (index, relay) in relays.enumerated() {
            if relay.address != nil, isReachable(relay) {
                doubt(relay)
            } else if relay.server.uri.transport == .udp {
                askElsewhere(relay)
                hasten(relay)
            } else if !isReachable(relay) {
                relay.pauses.reset()
                relay.connection?.close(promise: nil)
            } else if relay.connection == nil {
                connectSoon(index)
            } else {
                hasten(relay)
            }
        }
        flush()
    }

    /// What leaves our socket may take another way by now, where nobody takes its address, though nobody uses the relay and
    /// would notice.
    private func doubt(_ relay: Relay) {
        guard !isClosed, let asked = relay.client?.configuration else { return }
        let now = SystemClock.now()
        let route = LocalAddresses.source(to: asked.server)
        let hasOtherWay = route != asked.base.ip && listedSockets.contains { $0.ip == route }
        relay.client?.networkChanged(hasOtherWay: hasOtherWay, at: now)
        drain(relay, at: now)
    }

    private func hasten(_ relay: Relay) {
        let now = SystemClock.now()
        guard !isClosed, relay.address == nil else { return }
        relay.client?.hasten(at: now)
        drain(relay, at: now)
    }

    /// Anew, unless it is asked that way already.
    func askElsewhere(_ relay: Relay) {
        let base = chooseAddress(of: relay)
        let now = SystemClock.now()
        guard !isClosed,
            relay.client?.configuration.base != base || relay.client?.configuration.server != relay.server.address
        else { return }
        forgetAddress(of: relay, at: now)
        relay.client = nil
        guard let base else { return lookUp(relay) }
        begin(relay, base: base, .udp, at: now)
        drain(relay, at: now)
        flush()
    }

    /// Whether what it is reached from is still an address of ours.
    private func isReachable(_ relay: Relay) -> Bool {
        guard relay.server.uri.transport == .udp else {
            let own = relay.connection?.localAddress.flatMap(TransportAddress.init)?.ip
            return own.map { ip in ip.isLoopback || sockets.keys.contains { $0.ip == ip } } ?? true
        }
        return relay.client.map { client in sockets[client.configuration.base] != nil } ?? false
    }

    /// What keeps the servers from relaying, of those that do not.
    package func relayFailures() -> [(server: ICEServerURI, failure: RelayFailure)] {
        relays.compactMap { relay in relay.failure.map { (relay.server.uri, $0) } }
    }

    /// What has become of each of these servers: neither address nor failure where that is not known yet.
    package func relayResults(of servers: [RelayServer]) -> [(address: TransportAddress?, failure: RelayFailure?)] {
        servers.map { server in
            let relay = relays.first { $0.server.uri == server.uri } ?? relays.first { $0.server.isOne(with: server) }
            return (address: relay?.address, failure: relay?.failure)
        }
    }

    package var hasRelay: Bool { relays.contains { $0.address != nil } }

    /// Gives the addresses back. Nobody waits for the answers: at the worst a server keeps one for ten minutes.
    func closeRelays(at now: Instant) {
        for relay in relays {
            relay.client?.close(at: now)
            drain(relay, at: now)
        }
    }

    func advanceRelays(to now: Instant) {
        for relay in relays {
            if relay.due <= now { relay.client?.advance(to: now) }
            drain(relay, at: now)
        }
    }

    /// The socket whose address the system would reach the server from, or one of its family.
    func base(for server: TransportAddress) -> TransportAddress? {
        let own = listedSockets
        let likely = own.filter { $0.ip.isIPv6 == server.ip.isIPv6 && $0.ip.isLoopback == server.ip.isLoopback }
        let route = LocalAddresses.source(to: server)
        return own.first { $0.ip == route } ?? likely.first
    }

    private func begin(_ relay: Relay, base: TransportAddress, _ transport: TURNTransport, at now: Instant) {
        guard let authenticator, let server = relay.server.address, let credentials = credentials(of: relay, at: now) else {
            return fail(relay, .unusable("its credentials can't be used"))
        }
        relay.client = TURNClient(
            TURNConfiguration(
                server: server, base: base, transport: transport, credentials: credentials,
                hasOtherAddress: hasOtherAddress(relay)),
            authenticator: authenticator, random: SystemRandomNumberGenerator(), at: now)
    }

    private func credentials(of relay: Relay, at now: Instant) -> TURNCredentials? {
        relay.credentialsMadeAt = now
        return authenticator.flatMap {
            relay.server.credentials.make(unixTime: SystemClock.unixSeconds(), with: $0)
        }
    }

    // MARK: In

    /// What comes from a server's address; false where it is something else than relaying.
    func receiveRelayed(_ bytes: [UInt8], _ pair: AddressPair, at now: Instant) -> Bool {
        let relay = relays.first { relay in
            guard let configuration = relay.client?.configuration else { return false }
            return configuration.server == pair.remote && configuration.base == pair.local
                && configuration.transport == .udp
        }
        return relay.map { receive(bytes, $0, at: now) } ?? false
    }

    /// - Returns: whether it was for the relay.
    private func receive(_ bytes: [UInt8], _ relay: Relay, at now: Instant) -> Bool {
        guard let configuration = relay.client?.configuration,
            let receipt = relay.client?.receive(
                bytes.span.bytes, local: configuration.base, from: configuration.server, at: now)
        else { return false }
        switch receipt {
        case .notOurs: return false
        case .handled: drain(relay, at: now)
        case .data(let peer, let range):
            if let relayed = relay.address { dispatch(Array(bytes[range]), local: relayed, remote: peer, at: now) }
        }
        return true
    }

    // MARK: Out

    /// To a peer, from the relayed address.
    func relaySend(_ transmit: Transmit, _ relay: Relay, at now: Instant) {
        var wrapped: [UInt8] = []
        wrapped.reserveCapacity(transmit.bytes.count + Limits.relayHeaderBytes)
        if relay.client?.wrap(transmit.bytes, to: transmit.to, into: &wrapped, at: now) == .ready,
            relay.connection?.hasRoom(for: transmit.bytes) ?? true
        {
            write(wrapped, relay, transmit.dscp)
        }
        // A permission or a channel may have to be asked for.
        drain(relay, at: now)
    }

    private func write(_ bytes: [UInt8], _ relay: Relay, _ dscp: DSCP = .standard) {
        guard let configuration = relay.client?.configuration else { return }
        switch configuration.transport {
        case .udp:
            enqueue(Transmit(bytes: bytes, from: configuration.base, to: configuration.server, dscp: dscp))
        case .stream: relay.connection?.write(ByteBuffer(bytes: bytes), promise: nil)
        }
    }

    private func drain(_ relay: Relay, at now: Instant) {
        while let output = relay.client?.nextOutput() {
            switch output {
            case .transmit(let bytes): write(bytes, relay)
            case .event(let event): handle(event, relay, at: now)
            case .wait(let until, _):
                relay.due = until
                schedule(until)
                return
            }
        }
    }

    private func handle(_ event: TURNEvent, _ relay: Relay, at now: Instant) {
        switch event {
        case .allocated(let relayed, _):
            let isAgain = relay.failure != nil
            relay.address = relayed
            relay.unanswered = 0
            relay.pauses.reset()
            relay.failure = nil
            for candidate in relay.candidates { announce(candidate, at: now) }
            configuration.onRelay(.allocated(relay.server.uri, isAgain: isAgain))
        case .lost(let failure):
            forgetAddress(of: relay, at: now)
            renew(relay, at: now)
            fail(relay, .turn(failure))
            if failure == .noAnswer { tryAnotherWay(to: relay) }
        case .failed(let failure):
            if failure == .redirected, redirect(relay) { return }
            if failure == .credentialsRejected, renew(relay, at: now) { return }
            if failure == .noAnswer, askNextAddress(relay) { return }
            if failure.isPermanent { relay.server.leaveAlternate() }
            fail(relay, .turn(failure))
            if failure == .noAnswer { tryAnotherWay(to: relay) }
        case .refusedPeer, .closed: break
        }
    }

    /// Before the peers are drained: nothing goes there any more.
    private func forgetAddress(of relay: Relay, at now: Instant) {
        guard let gone = relay.address else { return }
        relay.address = nil
        eachPeer(at: now) { $0.removeLocalCandidates(at: gone, at: now) }
    }

    /// New credentials where the old ones may have lapsed.
    @discardableResult
    private func renew(_ relay: Relay, at now: Instant) -> Bool {
        guard case .secret = relay.server.credentials, now - relay.credentialsMadeAt >= Limits.freshCredentials,
            let fresh = credentials(of: relay, at: now)
        else { return false }
        relay.client?.update(fresh, at: now)
        return true
    }

    /// Told once, however often it happens.
    func fail(_ relay: Relay, _ failure: RelayFailure) {
        // What broke the connection is told by the connection.
        if failure == .turn(.disconnected) || relay.failure == failure || isClosed { return }
        relay.failure = failure
        configuration.onRelay(.failed(relay.server.uri, failure))
    }

    // MARK: Connections

    func connect(_ index: Int) {
        let relay = relays[index]
        guard !isClosed, relay.connection == nil, let address = relay.server.address else { return }
        relay.triedAt = SystemClock.now()
        relay.connectionNumber += 1
        let number = relay.connectionNumber
        do {
            try RelayConnection.open(to: relay.server, at: address, on: eventLoop) { [weak self] event in
                self?.assumeIsolated { $0.handle(event, relayAt: index, number) }
            }.whenComplete { [weak self] result in
                self?.assumeIsolated { $0.connected(index, number, result) }
            }
        } catch {
            relay.isHastened = false
            fail(relay, .unusable("the certificates to check it with can't be read\(relay.server.place)"))
        }
    }

    /// Whatever the last tries came to. One that is under way may have begun while the line was dead, and repeats itself
    /// seldom: the next takes its place, and keeps it, whatever else the network tells.
    private func connectSoon(_ index: Int) {
        let relay = relays[index]
        guard !isClosed, !relay.isHastened else { return }
        // Another would meet the same refusal.
        if case .turn(let told)? = relay.failure, told.isPermanent { return }
        relay.pauses.reset()
        relay.isHastened = true
        relay.retry?.cancel()
        let rest: Duration = relay.triedAt.map { max(.zero, $0 + Limits.connectPause - SystemClock.now()) } ?? .zero
        relay.retry = eventLoop.scheduleTask(in: .nanoseconds(rest.nanoseconds)) { [weak self] in
            self?.assumeIsolated { $0.connect(index) }
        }
    }

    private func connected(_ index: Int, _ number: Int, _ result: Result<any Channel, any Error>) {
        let relay = relays[index]
        let now = SystemClock.now()
        guard number == relay.connectionNumber else {
            if case .success(let channel) = result { channel.close(promise: nil) }
            return
        }
        switch result {
        case .failure(let error): lose(index, RelayConnection.failure(error), at: now)
        case .success(let channel):
            guard !isClosed, let base = channel.localAddress.flatMap(TransportAddress.init) else {
                return channel.close(promise: nil)
            }
            relay.connection = channel
            relay.isHastened = false
            relay.decoder = TURNStreamDecoder()
            if relay.client?.configuration.server != relay.server.address { begin(relay, base: base, .stream, at: now) }
            relay.client?.connected(at: now)
            drain(relay, at: now)
        }
        flush()
    }

    private func connectAnew(_ index: Int) {
        lookUp(relays[index].server.uri) { hub, found in
            hub.relays[index].server.found(found)
            hub.connect(index)
        }
    }

    private func handle(_ event: TCPSocket.Event, relayAt index: Int, _ number: Int) {
        let relay = relays[index]
        guard number == relay.connectionNumber else { return }
        let now = SystemClock.now()
        switch event {
        case .received(let bytes):
            relay.decoder.append(bytes)
            do throws(TURNStreamError) {
                while let message = try relay.decoder.next() { _ = receive(message, relay, at: now) }
            } catch {
                relay.connection?.close(promise: nil)
            }
        case .closed(let error):
            let failure = error.map { RelayConnection.failure($0) }
            let isSilent = relay.failure == .turn(.noAnswer)
            lose(index, failure ?? (isSilent ? .turn(.noAnswer) : .unreachable("it closed the connection")), at: now)
        }
        flush()
    }

    /// The connection is gone, or none came about: another after 1, 2, 4 … 60 s, to the server's next address.
    private func lose(_ index: Int, _ failure: RelayFailure, at now: Instant) {
        let relay = relays[index]
        relay.connection = nil
        relay.isHastened = false
        relay.server.turnToNextAddress()
        relay.client?.disconnected(at: now)
        drain(relay, at: now)
        // A server that has said no may close the connection upon it; another would meet the same.
        if case .turn(let told)? = relay.failure, told.isPermanent { return }
        fail(relay, failure)
        var random = SystemRandomNumberGenerator()
        let pause = relay.pauses.next(using: &random)
        guard !isClosed else { return }
        relay.retry?.cancel()
        relay.retry = eventLoop.scheduleTask(in: .nanoseconds(pause.nanoseconds)) { [weak self] in
            self?.assumeIsolated { $0.connectAnew(index) }
        }
    }
}
