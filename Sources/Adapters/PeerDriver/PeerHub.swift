import Datagrams
import ICE
import NIOCore
import NIOPosix
import PeerCore
import RTP
import Synchronization
import SystemClock
import Timebase

/// Names a peer within its hub.
package struct PeerID: Hashable, Sendable {
    package let value: UInt64

    package init(_ value: UInt64) {
        self.value = value
    }
}

/// All peers of a session on one event loop: owns the sockets, the timer, the clock and the randomness that `PeerCore`
/// does without.
///
/// An actor whose executor is the event loop itself: channel handlers and timers enter by `assumeIsolated`, everyone
/// else by `await` or, from the encoder's thread, through the `Outbox`.
package actor PeerHub {
    let configuration: HubConfiguration
    let eventLoop: any EventLoop
    private let executor: any NIOSerialEventLoopExecutor
    var sockets: [TransportAddress: UDPSocket] = [:]
    /// This machine's addresses, the preferred first, as far as they are known.
    var rankedAddresses: [IPAddress]
    var peers: [PeerID: Peer] = [:]
    /// The last that was forgotten: whoever counts asks only when it has heard of that.
    private(set) var lastToLeave: HubPeerStatistics?
    var router = Router()
    /// What each lane showed since its last keyframe.
    var caches: [LaneKey: PictureCache] = [:]
    /// Whose encoder was asked for a keyframe that has not come.
    var awaited: Set<LaneKey> = []
    var gatherer: ServerReflexiveGatherer?
    /// Whom it asks, and from when on their names may be looked up again.
    var stunServers: [STUNServer] = []
    var lookUpDue = Instant.zero
    /// Tells when this machine's addresses change; they are looked at soon after.
    var addressWatch: (any Channel)?
    var addressLook: Scheduled<Void>?
    /// Questions about the NAT; none but where somebody asked.
    var probes: [MappingProbe] = []
    /// Where TCP connections are taken.
    var listeners: [TransportAddress: any Channel] = [:]
    var connections = ConnectionTable()
    /// Only ever longer: an index names a relay for good.
    var relays: [Relay] = []
    private var destinations: [TransportAddress: SocketAddress] = [:]
    private var timer: Scheduled<Void>?
    private var timerDue = Instant.distantFuture
    /// While everybody whose time has come is served.
    private var isWaking = false
    /// What the kernel had no room for.
    package private(set) var datagramsRefused = 0
    private var batch: SendBatch?
    /// Where the next batch is put together; grown by the largest so far.
    private var batchRoom: [UInt8] = []
    /// Reports from addresses that are nobody's are looked at so often.
    private var strayBudget = TokenBucket(
        perSecond: Limits.straysPerSecond, capacity: Limits.straysPerSecond, at: SystemClock.now())
    private(set) var isClosed = false
    /// Whether the event loop is there for those whom nobody waits for: it may end once `close` has returned.
    private nonisolated let isOpen = Mutex(true)
    var security: (any SecurityProvider)?
    var authenticator: (any MessageAuthenticator)?
    package nonisolated let outbox: Outbox

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// - Precondition: the event loop is one of NIO's own, which can serve as an executor.
    package init(_ configuration: HubConfiguration, eventLoop: any EventLoop) {
        guard let executor = eventLoop as? any NIOSerialEventLoopExecutor else {
            preconditionFailure("a hub runs on an event loop of NIOPosix")
        }
        self.configuration = configuration
        self.eventLoop = eventLoop
        self.executor = executor
        rankedAddresses = configuration.addresses
        outbox = Outbox(eventLoop: eventLoop)
    }

    /// Has something done without waiting for it, in the order of the calls.
    package nonisolated func perform(_ body: @escaping @Sendable (isolated PeerHub) -> Void) {
        eventLoop.execute { self.assumeIsolated { body($0) } }
    }

    /// Has something done where the hub is still open.
    nonisolated func enter(_ body: @escaping @Sendable (isolated PeerHub) -> Void) {
        // In the loop's queue before `close` goes on there, or not at all.
        isOpen.withLock { isOpen in
            guard isOpen else { return }
            perform { hub in
                if !hub.isClosed { body(hub) }
            }
        }
    }

    // MARK: Datagrams

    /// One datagram from a socket.
    func receive(_ bytes: [UInt8], local: TransportAddress, remote: TransportAddress, ecn: ECN) {
        let now = SystemClock.now()
        // First, since ChannelData begins like nothing else that is known here.
        if !receiveRelayed(bytes, AddressPair(local: local, remote: remote), at: now) {
            dispatch(bytes, local: local, remote: remote, ecn: ecn, at: now)
        }
        flush()
    }

    /// A peer's datagram, from a socket or out of a relay.
    func dispatch(
        _ bytes: [UInt8], local: TransportAddress, remote: TransportAddress, ecn: ECN = .notCapable, at now: Instant
    ) {
        let pair = AddressPair(local: local, remote: remote)
        let kind = bytes.read(DatagramKind.init)
        switch kind {
        case .stun: receiveSTUN(bytes, pair, at: now)
        case .handshake, .rtp, .rtcp:
            guard let id = router.owner(of: pair), let peer = peers[id] else {
                if kind == .rtcp { receiveStray(bytes, pair, at: now) }
                return
            }
            peer.core.receive(bytes, local: local, from: remote, ecn: ecn, at: now)
            drain(id, peer, at: now)
        case .unknown: return
        }
    }

    /// A report may be that of a peer whose NAT gave it another address.
    private func receiveStray(_ bytes: [UInt8], _ pair: AddressPair, at now: Instant) {
        guard pair.remote.transport == .udp, let name = PeerCore.reporter(bytes),
            strayBudget.spend(1 + peers.count / Limits.peersOfLook, at: now)
        else { return }
        for (id, peer) in peers where peer.core.mayHaveWritten(as: name, at: now) {
            guard strayBudget.spend(1, at: now) else { return }
            guard peer.core.receiveStray(bytes, local: pair.local, from: pair.remote, at: now) else { continue }
            return drain(id, peer, at: now)
        }
    }

    private func receiveSTUN(_ bytes: [UInt8], _ pair: AddressPair, at now: Instant) {
        if gatherer?.receive(bytes.span.bytes, local: pair.local, from: pair.remote, at: now) == true {
            drainGatherer(at: now)
            return
        }
        if receiveProbe(bytes, pair, at: now) { return }
        if let fragment = ICEAgent.localUfrag(of: bytes.span.bytes) {
            guard let id = router.peer(fragment: fragment), let peer = peers[id] else { return }
            if peer.core.receive(bytes, local: pair.local, from: pair.remote, at: now) {
                router.requested(pair, by: id)
                if pair.remote.transport == .tcp { authenticated(pair, by: id, at: now) }
            }
            return drain(id, peer, at: now)
        }
        for id in router.askers(of: pair) {
            guard let peer = peers[id] else { continue }
            let isMeant = peer.core.receive(bytes, local: pair.local, from: pair.remote, at: now)
            if isMeant {
                router.answered(pair, by: id)
                if pair.remote.transport == .tcp { authenticated(pair, by: id, at: now) }
            }
            drain(id, peer, at: now)
            if isMeant { return }
        }
    }

    // MARK: Output

    /// Takes everything a peer has to say; `flush` must follow.
    func drain(_ id: PeerID, _ peer: Peer, at now: Instant) {
        while true {
            switch peer.core.nextOutput() {
            case .transmit(let transmit):
                // Behind its end a peer may still have an answer to a check, and leaves nothing.
                if transmit.bytes.read(DatagramKind.init) == .stun, peers[id] != nil {
                    router.sentCheck(AddressPair(local: transmit.from, remote: transmit.to), by: id)
                }
                send(transmit, for: id, at: now)
            case .event(.keyframeNeeded):
                peer.wish.ask()
                grant(id, peer, at: now)
            case .event(.keyframeAskedEarly):
                peer.wish.ask(early: true)
                grant(id, peer, at: now)
            case .event(let event):
                configuration.onEvent(id, peer.lane, event)
                if case .disconnected = event { forget(id) }
            case .wait(let until, _):
                peer.due = until
                schedule(until)
                return
            }
        }
    }

    /// From a socket, in a connection, or through the relay whose address it names; from an address that is gone,
    /// nowhere.
    private func send(_ transmit: Transmit, for id: PeerID, at now: Instant) {
        if transmit.from.transport == .tcp { return connectionSend(transmit, for: id, at: now) }
        if relays.isEmpty || sockets[transmit.from] != nil { return enqueue(transmit) }
        guard let relay = relays.first(where: { $0.address == transmit.from }) else { return }
        // The relay may not know us any more: our NAT has given us another port.
        if transmit.bytes.read(DatagramKind.init) == .stun, peers[id]?.core.isQuiet == true {
            relay.client?.peerBecameQuiet(at: now)
        }
        relaySend(transmit, relay, at: now)
    }

    func enqueue(_ transmit: Transmit) {
        if batch?.append(transmit) == true { return }
        flushBatch()
        // Taken out, not lent: what has two owners would be copied.
        var room: [UInt8] = []
        swap(&room, &batchRoom)
        batch = SendBatch(transmit, room: room)
    }

    /// Hands what was collected to the kernel.
    func flush() {
        flushBatch()
        for relay in relays { relay.connection?.flush() }
        for connection in connections.takeUnflushed() { connection.flush() }
    }

    private func flushBatch() {
        guard let full = batch else { return }
        batch = nil
        if let socket = sockets[full.from], let remote = destination(full.to) {
            datagramsRefused += full.send(by: socket, to: remote, isMarked: configuration.marksDatagrams)
        }
        batchRoom = full.released()
    }

    private func destination(_ address: TransportAddress) -> SocketAddress? {
        if let known = destinations[address] { return known }
        guard let made = try? address.socketAddress() else { return nil }
        if destinations.count >= Limits.destinations { destinations.removeAll(keepingCapacity: true) }
        destinations[address] = made
        return made
    }

    func forget(_ id: PeerID) {
        if let peer = peers[id] { lastToLeave = HubPeerStatistics(peer: id, statistics: peer.core.statistics) }
        router.remove(id)
        let lane = peers.removeValue(forKey: id)?.lane
        if let lane { withdrawKeyframe(lane, with: id) }
        dropCaches()
        for connection in connections.owned(by: id) { finish(connection) }
    }

    // MARK: Time

    func schedule(_ due: Instant) {
        // The soonest of all is set at the end.
        if isWaking {
            if due < timerDue { timerDue = due }
            return
        }
        // The loop's clock stands still while the machine sleeps, and ours does not: a timer of before would be late.
        let isLate = isTimerLate
        guard due < timerDue || isLate, !isClosed else { return }
        // Then all who are due have their turn at once.
        let due = isLate ? SystemClock.now() : due
        timerDue = due
        timer?.cancel()
        let delay = max(.zero, due - SystemClock.now())
        timer = eventLoop.scheduleTask(in: .nanoseconds(delay.nanoseconds)) { [weak self] in
            self?.assumeIsolated { $0.wake() }
        }
    }

    private var isTimerLate: Bool {
        timerDue < .distantFuture && SystemClock.now() - timerDue > Limits.lateTimer
    }

    private func wake() {
        timerDue = .distantFuture
        isWaking = true
        defer {
            isWaking = false
            let due = timerDue
            timerDue = .distantFuture
            schedule(due)
        }
        let now = SystemClock.now()
        if gatherer != nil {
            gatherer?.advance(to: now)
            drainGatherer(at: now)
        }
        advanceProbes(to: now)
        advanceRelays(to: now)
        advanceConnections(to: now)
        for (id, peer) in peers { wake(id, peer, at: now) }
        flush()
    }

    /// Whose time has not come has nothing to say: it was drained when it last changed.
    private func wake(_ id: PeerID, _ peer: Peer, at now: Instant) {
        guard peer.due <= now || peer.wish.isOpen else { return schedule(peer.due) }
        if peer.due <= now { peer.core.advance(to: now) }
        grant(id, peer, at: now)
        drain(id, peer, at: now)
    }

    // MARK: The end

    /// Says goodbye to every peer and closes the sockets.
    package func close() async {
        guard !isClosed else { return }
        let now = SystemClock.now()
        eachPeer(at: now) { $0.close(at: now) }
        closeRelays(at: now)
        flush()
        isClosed = true
        isOpen.withLock { $0 = false }
        timer?.cancel()
        addressLook?.cancel()
        addressWatch?.close(promise: nil)
        peers = [:]
        await closeConnections()
        for connection in relays.compactMap({ $0.disconnect() }) { try? await connection.close() }
        for socket in sockets.values { try? await socket.channel.close() }
        sockets = [:]
    }
}
