import Datagrams
import DequeModule
import ICE
import RTP
import Timebase

/// One remote peer as one value: ICE, handshake, SRTP, RTP.
///
/// **Mutate once, then drain.** Call one of the mutating functions with the time, then `nextOutput()` until it says
/// `.wait`; send what it says to send, handle its events, and call `advance(to:)` at that instant or earlier. It reads no
/// clock, opens no socket, starts no thread, and makes no random numbers but from the generator it was given.
///
///     receive ─► STUN ──────────► ICEAgent ───────────────────────► transmit
///              ► DTLS ──────────► HandshakeEngine ─► keys ─► PacketProtector
///              ► RTP, RTCP ─► unprotect ─► MediaReceiver / MediaSender ─► protect ─► transmit
package struct PeerCore: ~Copyable {
    enum Phase {
        /// Until ICE has a pair and the handshake is done.
        case connecting(until: Instant)
        case connected
        case closed
    }

    var setup: PeerSetup
    let wallClock: WallClockAnchor
    var random: any RandomNumberGenerator & Sendable
    let security: any SecurityProvider
    var phase: Phase
    var ice: ICEAgent
    var handshake: (any HandshakeEngine)?
    /// When the handshake's timer is due, or its last flight again.
    var handshakeDue: Instant?
    var lastFlight: LastFlight?
    var earlyHandshake: [[UInt8]] = []
    var protector: (any PacketProtector)?
    var sender: MediaSender?
    var audioSender: AudioSender?
    var path: PathControl
    /// What the peer asks for beyond it is not looked at: it would take the time of all others.
    var requestBudget: TokenBucket
    var keyframeBudget: TokenBucket
    /// What its packets leave by.
    var sendsBy: AddressPair?
    /// Once connected.
    var pathWatch: PathWatch?
    /// The name under which the peer reports.
    var reporter: UInt32?
    var feedback: FeedbackReporter
    var receiver: MediaReceiver?
    /// Where the answer to our offer has sound.
    var audioReceiver: AudioReceiver?
    /// What the sharer's reports say of its two clocks (RFC 6184 § 8.2.1, RFC 7587 § 4.1).
    var videoClock = ReportedClock(clockRate: MediaTime.ticksPerSecond)
    var audioClock = ReportedClock(clockRate: AudioTime.ticksPerSecond)
    var outputs: Deque<PeerOutput> = []
    /// Of the latest input; whatever may leave by it has still to be taken.
    var now: Instant { didSet { isDrained = false } }
    /// All that may leave was taken, and nothing has come in since.
    private var isDrained = false

    package init(
        _ setup: PeerSetup, localCandidates: [Candidate], security: any SecurityProvider,
        authenticator: any MessageAuthenticator, wallClock: WallClockAnchor,
        random: any RandomNumberGenerator & Sendable, at now: Instant
    ) {
        var random = random
        self.setup = setup
        self.security = security
        self.wallClock = wallClock
        self.now = now
        phase = .connecting(until: now + Limits.setupTime)
        sender = setup.send.map { MediaSender($0, wallClock: wallClock, random: &random, at: now) }
        audioSender = setup.sendAudio.map { AudioSender($0, wallClock: wallClock, random: &random, at: now) }
        path = PathControl(setup.send, random: &random, at: now)
        requestBudget = TokenBucket(perSecond: Limits.requestsPerSecond, capacity: Limits.requestsPerSecond, at: now)
        let keyframes = Limits.keyframeRequestsPerSecond
        keyframeBudget = TokenBucket(perSecond: keyframes, capacity: keyframes, at: now)
        feedback = FeedbackReporter(tellsTwice: setup.receive?.isFromOwnSharer == true)
        receiver = setup.receive.map { MediaReceiver($0, at: now) }
        ice = ICEAgent(
            role: setup.iceRole, localCandidates: localCandidates, policy: setup.transportPolicy,
            authenticator: authenticator, random: random, at: now)
        self.random = random
        if let remote = setup.remote { apply(remote) }
    }

    // MARK: What the owner asks

    package var localCredentials: ICECredentials { ice.localCredentials }

    /// The user name fragments by which this peer's checks are told from others'.
    package var localFragments: [String] { ice.localUfrags }

    package var isConnected: Bool {
        if case .connected = phase { true } else { false }
    }

    /// Whether the peer is sent sound.
    package var takesAudio: Bool { audioSender != nil }

    package var statistics: PeerStatistics {
        PeerStatistics(
            isConnected: isConnected, outgoing: sender?.statistics, incoming: receiver?.statistics,
            path: sender == nil ? nil : path.statistics,
            roundTripTime: sender?.statistics.roundTripTime ?? ice.roundTripTime)
    }

    // MARK: In

    /// The answer to our offer has come, with what it chose.
    package mutating func setRemote(
        _ remote: RemoteParameters, send: SendParameters? = nil, receive: ReceiveParameters? = nil,
        receiveAudio: AudioReceiveParameters? = nil, handshakeRole: HandshakeRole? = nil, at now: Instant
    ) {
        self.now = now
        if let handshakeRole { setup.handshakeRole = handshakeRole }
        if let receive {
            setup.receive = receive
            feedback = FeedbackReporter(tellsTwice: receive.isFromOwnSharer)
            receiver?.update(receive)
        }
        if let receiveAudio { audioReceiver = AudioReceiver(receiveAudio) }
        if let send {
            sender = MediaSender(send, wallClock: wallClock, random: &random, at: now)
            path = PathControl(send, random: &random, at: now)
        }
        apply(remote)
    }

    package mutating func addRemoteCandidates(_ candidates: [Candidate], isLast: Bool, at now: Instant) {
        self.now = now
        for candidate in candidates { ice.addRemoteCandidate(candidate, at: now) }
        if isLast { ice.endOfRemoteCandidates(at: now) }
    }

    /// Another address of ours: a relay has one now.
    package mutating func addLocalCandidate(_ candidate: Candidate, at now: Instant) {
        self.now = now
        if case .closed = phase { return }
        ice.addLocalCandidate(candidate, at: now)
        drainICE()
    }

    /// An address of ours is gone.
    package mutating func removeLocalCandidates(at base: TransportAddress, at now: Instant) {
        self.now = now
        if case .closed = phase { return }
        ice.removeLocalCandidates(at: base, at: now)
        drainICE()
    }

    /// A TCP connection is gone, or could not be made.
    package mutating func connectionLost(local: TransportAddress, remote: TransportAddress, at now: Instant) {
        self.now = now
        if case .closed = phase { return }
        ice.connectionLost(local: local, remote: remote, at: now)
        drainICE()
    }

    /// The other side restarted ICE (RFC 8445 § 9); media goes on over the old pair until there is a new one.
    package mutating func restartICE(remote: ICECredentials, at now: Instant) -> ICECredentials {
        self.now = now
        ice.restart(remote: remote, at: now)
        return ice.localCredentials
    }

    /// ICE begins anew with what both sides have agreed on; media goes on over the old pair until there is a new one.
    package mutating func restartICE(
        local: ICECredentials, remote: ICECredentials, candidates: [Candidate], isLast: Bool, at now: Instant
    ) {
        self.now = now
        ice.restart(with: local, at: now)
        ice.setRemote(remote, at: now)
        addRemoteCandidates(candidates, isLast: isLast, at: now)
    }

    /// For how long neither media nor an answer has come from the peer, though it was asked for one; nil where there is no
    /// connection, and over TCP, where ICE makes a connection that is cut anew by itself, unless it can't.
    package func lostTime(at now: Instant) -> Duration? {
        guard isConnected, let pair = ice.sendPair, !pair.isOverTCP || ice.failsToReconnect else { return nil }
        return pathWatch.map { min($0.quietTime(at: now), ice.unansweredTime(at: now)) }
    }

    /// Where what is sent to the peer leaves; nil while there is nowhere to send.
    package var localAddress: TransportAddress? { ice.sendAddresses?.local }

    /// Whether its pair is being checked because nothing comes.
    package var isQuiet: Bool { pathWatch?.isChecking == true }

    /// Asks the peer for an answer, beside ICE's own checks.
    package mutating func askPeer(at now: Instant) {
        self.now = now
        ice.checkPath(at: now)
        drainICE()
    }

    /// One datagram that came from `remote` to our socket `local`.
    ///
    /// - Parameter ecn: what its IP header said.
    /// - Returns: whether it was a STUN message that this peer's passwords authenticate.
    @discardableResult
    package mutating func receive(
        _ datagram: [UInt8], local: TransportAddress, from remote: TransportAddress, ecn: ECN = .notCapable,
        at now: Instant
    ) -> Bool {
        self.now = now
        if case .closed = phase { return false }
        switch datagram.read(DatagramKind.init) {
        case .stun:
            let authenticated = ice.receive(datagram.span.bytes, local: local, from: remote, at: now)
            let roundTrip = ice.takeRoundTrip()
            drainICE()
            if let roundTrip { answered(roundTrip) }
            return authenticated
        case .handshake: receiveHandshake(datagram)
        case .rtp: receiveRTP(datagram, ecn: ecn)
        case .rtcp: receiveRTCP(datagram, on: AddressPair(local: local, remote: remote))
        case .unknown: break
        }
        return false
    }

    /// Sends a unit of the peer's lane, as the pacer allows.
    package mutating func send(_ unit: PacketizedUnit, at now: Instant) {
        self.now = now
        guard isConnected else { return }
        sender?.enqueue(unit, at: now)
        if hasWay, sender?.takeKeyframeWish(path) == true { outputs.append(.event(.keyframeNeeded)) }
    }

    /// Whether the viewer can begin with what a lane's cache holds; where not, a new keyframe would be there sooner.
    ///
    /// - Parameter isAlone: nobody else would be sent that keyframe.
    package func canBegin(with cache: PictureCache, isAlone: Bool) -> Bool {
        if cache.units != nil, crossesSoon(cache.bytes) { return true }
        return !isAlone && cache.chain != nil && catchesUp(with: cache)
    }

    /// Whether who has had nothing of the lane yet, for it joins or comes from another, has soon what the others have.
    private func catchesUp(with cache: PictureCache) -> Bool {
        guard isConnected, !path.isSilent, sender?.isNewToLane == true else { return false }
        let (bits, capacity) = (Double(cache.bytes) * 8, Double(path.capacity))
        return bits <= capacity * Limits.cacheTimeBeside && bits < (capacity - cache.bitsPerSecond) * Limits.catchUpTime
    }

    private func crossesSoon(_ bytes: Int) -> Bool {
        isConnected && !path.isSilent && Double(bytes) * 8 < Double(path.target) * Limits.cacheTime
    }

    /// Begins with what a lane's cache holds; nothing where it can't.
    package mutating func begin(with cache: PictureCache, isAlone: Bool, at now: Instant) {
        self.now = now
        guard canBegin(with: cache, isAlone: isAlone) else { return }
        sender?.begin(with: cache, at: now)
    }

    /// Something to look at for who has had no picture yet, until the keyframe comes that it waits for.
    package mutating func preview(_ cache: PictureCache, at now: Instant) {
        self.now = now
        guard let unit = cache.preview(over: path.target, at: now), crossesSoon(unit.bytes.count) else { return }
        sender?.preview(unit, at: now)
    }

    /// Sends a packet of sound at once.
    package mutating func send(_ unit: AudioUnit, at now: Instant) {
        self.now = now
        guard isConnected else { return }
        audioSender?.enqueue(unit)
    }

    /// Another encoder's pictures come from now on, from a keyframe on.
    package mutating func changeLane() {
        isDrained = false
        sender?.changeLane()
    }

    /// How the viewer is to show pictures from now on.
    package mutating func setPlayout(_ wish: PlayoutWish) {
        isDrained = false
        sender?.setPlayout(wish)
    }

    /// Which encoding of the sound the viewer gets from now on.
    package mutating func setAudioLane(_ lane: AudioLane) {
        isDrained = false
        audioSender?.lane = lane
    }

    /// No sound comes any more: pictures get what it took of the path.
    package mutating func endAudio() {
        isDrained = false
        audioSender?.end()
    }

    /// What the video may use from now on.
    package mutating func setBitrate(_ bitsPerSecond: Int, at now: Instant) {
        isDrained = false
        let kept = SendParameters.kept(bitsPerSecond, to: sender?.parameters.viewerMaximum)
        path.setMaximum(kept)
        sender?.setBitrate(kept, at: now)
    }

    /// The share was paused: what waits is dropped, and the next picture must be a keyframe.
    package mutating func forgetPictures() {
        isDrained = false
        sender?.forgetPictures()
        audioSender?.forget()
    }

    /// A viewer's decoder cannot go on.
    package mutating func requestKeyframe(at now: Instant) {
        self.now = now
        receiver?.requestKeyframe()
    }

    package mutating func advance(to now: Instant) {
        self.now = max(self.now, now)
        if case .closed = phase { return }
        if case .connecting(let until) = phase, self.now >= until { return end(.unreachable) }
        path.advance(to: self.now)
        // A pacer's time comes some hundred times a second.
        if self.now >= ice.nextWake {
            ice.advance(to: self.now)
            drainICE()
        }
        if let due = pathWatch?.due, self.now >= due {
            pathWatch?.checked()
            ice.checkPath(at: self.now)
            drainICE()
        }
        if let handshakeDue, self.now >= handshakeDue {
            handshakeTimedOut()
        }
    }

    /// BYE and close_notify, then nothing more.
    package mutating func close(at now: Instant) {
        self.now = now
        if case .closed = phase { return }
        if isConnected {
            let audio = audioSender?.stream.ssrc
            if let bytes = sender?.goodbye(audio: audio, at: now) ?? receiver?.goodbye(at: now) { transmitRTCP(bytes) }
            handshake?.close()
            drainHandshake()
        }
        phase = .closed
    }

    // MARK: Out

    package mutating func nextOutput() -> PeerOutput {
        if let output = outputs.popFirst() { return output }
        if isConnected, !isDrained {
            // Before: whoever is handed an event may have something to send.
            isDrained = true
            drainMedia()
            if let output = outputs.popFirst() { return output }
        }
        return nextWait()
    }

    private func nextWait() -> PeerOutput {
        var (due, reason) = (Instant.distantFuture, WaitReason.nothing)
        func consider(_ instant: Instant?, _ why: WaitReason) {
            if let instant, instant < due { (due, reason) = (instant, why) }
        }
        switch phase {
        case .closed: return .wait(until: due, reason)
        case .connecting(let until): consider(until, .setupLimit)
        case .connected:
            if hasWay { consider(sender?.nextSend(path, at: now), .pacer) }
            consider(path.deadline, .pacer)
            consider(pathWatch?.due, .ice)
            consider(feedback.due, .report)
            consider(sender?.stream.nextReport, .report)
            consider(audioSender?.stream.nextReport, .report)
            consider(receiver?.due, .repair)
        }
        consider(ice.nextWake, .ice)
        consider(handshakeDue, .handshake)
        return .wait(until: due, reason)
    }
}
