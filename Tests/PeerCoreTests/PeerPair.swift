import Datagrams
import ICE
import PeerCore
import RTP
import TestSupport
import Timebase

/// A sharer and a viewer over a simulated link in virtual time.
struct PeerPair: ~Copyable {
    var sharer: PeerCore
    var viewer: PeerCore
    var link: SimulatedLink
    private(set) var now = Instant(nanoseconds: 1_000_000_000)
    private(set) var received: [ReceivedUnit] = []
    private(set) var heard: [ReceivedAudio] = []
    private(set) var sharerEvents: [PeerEvent] = []
    private(set) var viewerEvents: [PeerEvent] = []
    /// Datagrams as they left the sharer, for what a listener on the path would see.
    private(set) var sharerDatagrams: [[UInt8]] = []
    private(set) var viewerDatagrams: [[UInt8]] = []
    /// What each of these lets routers do.
    private(set) var sharerECN: [ECN] = []
    var sharerMarkable: Int { sharerECN.count { $0 != .notCapable } }
    var sharerAddress = PeerPair.address(1)
    var viewerAddress = PeerPair.address(2)
    /// What the network makes of the viewer's address on its way out; nil: as it is.
    var viewerMapping: TransportAddress?
    /// A viewer as browsers are, which check a pair that works every 2.5 s: no check of its own leaves.
    var viewerChecksNothing = false
    /// No answer to a check leaves.
    var viewerAnswersNothing = false
    /// The network lets no datagram of the handshake pass, and all others.
    var losesHandshake = false
    /// So many of the sharer's handshake get lost once it is connected.
    var lastFlightsLost = 0
    /// No request of its own for lost packets leaves.
    var viewerAsksNothing = false
    /// Nor feedback on packets; its reports do.
    var viewerTellsNothing = false
    /// The viewer's reports wait for each other, and leave in these moments.
    var viewerReportsAt: [Instant] = []
    /// Of a batch, one behind the other.
    var reportsApart = Duration.zero
    private var heldReports: [[UInt8]] = []
    /// What was seen is kept; a run of days could not hold it.
    var keepsAll = true
    private(set) var unitsReceived = 0
    private(set) var packetsHeard = 0
    /// A machine sleeps: its clock goes on, and nothing reaches it.
    private var sleepsUntil = Instant.zero
    private var viewerSleepsUntil = Instant.zero
    private var sharerDue = Instant.zero
    private var viewerDue = Instant.zero
    /// What the viewer hears of the sharer.
    private var answer: (remote: RemoteParameters, sound: AudioReceiveParameters?)?

    static func address(_ last: UInt8, port: UInt16 = 5000) -> TransportAddress {
        TransportAddress(ip: .v4(0x0A00_0000 | UInt32(last)), port: port)
    }

    static let extensions: ExtensionMap = {
        var map = ExtensionMap()
        for (id, known) in [
            (UInt8(1), HeaderExtension.mid), (2, .absoluteSendTime), (3, .transportSequenceNumber), (4, .playoutDelay),
            (5, .videoContentType), (6, .absoluteCaptureTime),
        ] { map.map(id, to: known) }
        return map
    }()

    /// Where packets are known by their streams' own numbers, or not at all, none carries others, nor when it left.
    static func extensions(_ feedback: PathFeedback) -> ExtensionMap {
        guard feedback != .transportWide else { return extensions }
        var map = ExtensionMap()
        for (id, known) in [
            (UInt8(1), HeaderExtension.mid), (4, .playoutDelay), (5, .videoContentType), (6, .absoluteCaptureTime),
        ] { map.map(id, to: known) }
        return map
    }

    /// - Parameters:
    ///   - sound: what the viewer takes of it; nil: nothing.
    ///   - isRelayed: the sharer's address is that of a relay of its own.
    ///   - repetition: of a handshake's flight that was not answered.
    ///   - viewerBegins: the handshake, of which the sharer has the last flight then.
    ///   - tellsViewer: whether the viewer has the sharer's answer at the start; else by `tellViewer`.
    ///   - wallClock: at the start.
    init(
        seed: UInt64, conditions: LinkConditions = LinkConditions(), retransmission: Bool = true,
        takesFlexFEC: Bool = true, feedback: PathFeedback = .transportWide, ecn: ECN? = nil, sound: AudioSendParameters? = nil,
        takesReducedSizeRTCP: Bool = true, isRelayed: Bool = false, repetition: Duration = .milliseconds(50),
        viewerBegins: Bool = false, tellsViewer: Bool = true,
        wallClock: NTPTimestamp = NTPTimestamp(unixNanoseconds: 1_800_000_000_000_000_000)
    ) {
        link = SimulatedLink(seed: seed, conditions: conditions)
        let start = now
        let anchor = WallClockAnchor(instant: start, ntp: wallClock)
        let security = (
            TransparentSecurity(name: 1, repetition: repetition, confirms: viewerBegins),
            TransparentSecurity(name: 2, repetition: repetition, confirms: viewerBegins))
        let send = SendParameters(
            payloadType: 102, ssrc: 0xAAAA, retransmission: retransmission ? .init(payloadType: 103, ssrc: 0xBBBB) : nil,
            canonicalName: "sharer", mid: "0", extensions: Self.extensions(feedback), bitsPerSecond: 4_000_000,
            givesTransportFeedback: feedback == .transportWide, givesCongestionFeedback: feedback == .perStream,
            flexFEC: takesFlexFEC ? .init(payloadType: 104, ssrc: 0xDDDD) : nil, ecn: ecn)
        let receive = ReceiveParameters(
            payloadTypes: [102], retransmissionPayloadTypes: [103],
            flexFECPayloadType: takesFlexFEC ? 104 : nil, extensions: Self.extensions(feedback), ssrc: 0xCCCC,
            canonicalName: "viewer", givesCongestionFeedback: feedback == .perStream,
            givesECNFeedback: ecn != nil && feedback == .transportWide, takesReducedSizeRTCP: takesReducedSizeRTCP)
        let relayed = Candidate.relayed(Self.address(1), mapped: nil, server: Self.address(9).ip)
        sharer = PeerCore(
            PeerSetup(iceRole: .controlled, handshakeRole: viewerBegins ? .passive : .active, send: send, sendAudio: sound),
            localCandidates: [isRelayed ? relayed : .host(Self.address(1))], security: security.0,
            authenticator: TestAuthenticator(), wallClock: anchor, random: SeededGenerator(seed: seed &* 3 &+ 1), at: start)
        viewer = PeerCore(
            PeerSetup(iceRole: .controlling, handshakeRole: viewerBegins ? .active : .passive, receive: receive),
            localCandidates: [.host(Self.address(2))], security: security.1, authenticator: TestAuthenticator(),
            wallClock: anchor, random: SeededGenerator(seed: seed &* 5 &+ 2), at: start)
        let toSharer = Self.remote(viewer, security.1, at: 2)
        let toViewer = Self.remote(sharer, security.0, at: 1)
        sharer.setRemote(toSharer, at: now)
        let receiveAudio = sound.map {
            AudioReceiveParameters(payloadType: $0.payloadType, redundancyPayloadType: $0.redundancyPayloadType)
        }
        answer = (toViewer, receiveAudio)
        if tellsViewer { tellViewer() } else { drain() }
    }

    private mutating func losesLastFlight() -> Bool {
        guard sharer.isConnected, lastFlightsLost > 0 else { return false }
        lastFlightsLost -= 1
        return true
    }

    /// What a peer's other side hears of it in an offer or an answer.
    private static func remote(
        _ peer: borrowing PeerCore, _ security: TransparentSecurity, at address: UInt8
    ) -> RemoteParameters {
        RemoteParameters(
            credentials: peer.localCredentials, fingerprint: security.localFingerprint,
            candidates: [.host(Self.address(address))])
    }

    /// The sharer's answer comes.
    mutating func tellViewer() {
        if let answer { viewer.setRemote(answer.remote, receiveAudio: answer.sound, at: now) }
        drain()
    }

    var sharerIsConnected: Bool { sharer.isConnected }
    var viewerIsConnected: Bool { viewer.isConnected }
    var bothAreConnected: Bool { sharer.isConnected && viewer.isConnected }

    // MARK: Time

    /// Runs until `end`.
    mutating func run(until end: Instant) {
        while true {
            let release = viewerReportsAt.first ?? .distantFuture
            let next = min(max(sharerDue, sleepsUntil), max(viewerDue, viewerSleepsUntil), link.nextArrival, release)
            if next > end { break }
            now = max(now, next)
            step()
        }
        now = end
    }

    mutating func run(for duration: Duration) { run(until: now + duration) }

    private mutating func releaseReports() {
        repeat {
            guard !heldReports.isEmpty else { break }
            link.send(heldReports.removeFirst(), from: viewerAddress, to: sharerAddress, at: now)
        } while reportsApart == .zero
        if heldReports.isEmpty { viewerReportsAt.removeFirst() } else { viewerReportsAt[0] = now + reportsApart }
    }

    mutating func sleepSharer(for duration: Duration) { sleepsUntil = now + duration }
    mutating func sleepViewer(for duration: Duration) { viewerSleepsUntil = now + duration }

    private mutating func step() {
        if let release = viewerReportsAt.first, release <= now {
            releaseReports()
        }
        for flight in link.arrivals(until: now) {
            if now < (flight.to == sharerAddress ? sleepsUntil : viewerSleepsUntil) { continue }
            if flight.to == sharerAddress {
                sharer.receive(flight.bytes, local: Self.address(1), from: flight.from, at: now)
            } else if flight.to == viewerMapping ?? viewerAddress {
                viewer.receive(flight.bytes, local: Self.address(2), from: flight.from, ecn: flight.ecn, at: now)
            }
        }
        if sharerDue <= now, sleepsUntil <= now { sharer.advance(to: now) }
        if viewerDue <= now, viewerSleepsUntil <= now { viewer.advance(to: now) }
        drain()
    }

    mutating func send(_ unit: PacketizedUnit) {
        guard sleepsUntil <= now else { return }
        sharer.send(unit, at: now)
        drain()
    }

    /// The sharer hears of new credentials of the viewer, as by a PATCH; the viewer knows nothing of it.
    mutating func restartAtSharer() {
        var random = SeededGenerator(seed: 1)
        _ = sharer.restartICE(remote: .random(using: &random), at: now)
        drain()
    }

    mutating func begin(with cache: PictureCache, isAlone: Bool = true) {
        sharer.begin(with: cache, isAlone: isAlone, at: now)
        drainSharer()
    }

    mutating func preview(_ cache: PictureCache) {
        sharer.preview(cache, at: now)
        drainSharer()
    }

    func canBegin(with cache: PictureCache, isAlone: Bool = true) -> Bool {
        sharer.canBegin(with: cache, isAlone: isAlone)
    }

    mutating func send(_ unit: AudioUnit) {
        sharer.send(unit, at: now)
        drain()
    }

    /// As if the sharer had sent it, with a number that it has not come to.
    mutating func receiveAtViewer(rtcp bytes: [UInt8], number: UInt32) {
        let protected = TransparentSecurity.protected(bytes, number: UInt32.max - number)
        viewer.receive(protected, local: Self.address(2), from: sharerAddress, at: now)
        drain()
    }

    /// As it stands.
    mutating func receiveAtViewer(datagram: [UInt8]) {
        viewer.receive(datagram, local: Self.address(2), from: sharerAddress, at: now)
        drain()
    }

    mutating func receiveAtSharer(rtcp bytes: [UInt8], number: UInt32) {
        let protected = TransparentSecurity.protected(bytes, number: UInt32.max - number)
        sharer.receive(protected, local: Self.address(1), from: viewerAddress, at: now)
        drain()
    }

    mutating func receiveStrayAtSharer(_ datagram: [UInt8], from address: TransportAddress) {
        _ = sharer.receiveStray(datagram, local: Self.address(1), from: address, at: now)
        drain()
    }

    mutating func drain() {
        drainSharer()
        drainViewer()
    }

    private mutating func drainSharer() {
        while sleepsUntil <= now {
            switch sharer.nextOutput() {
            case .transmit(let transmit):
                if keepsAll { sharerDatagrams.append(transmit.bytes) }
                if keepsAll { sharerECN.append(transmit.ecn) }
                if transmit.bytes.read(DatagramKind.init) == .handshake, losesHandshake || losesLastFlight() { continue }
                link.send(transmit.bytes, from: sharerAddress, to: transmit.to, ecn: transmit.ecn, at: now)
            case .event(.path) where !keepsAll: break
            case .event(let event): sharerEvents.append(event)
            case .wait(let until, _):
                sharerDue = until
                return
            }
        }
    }

    private mutating func drainViewer() {
        while viewerSleepsUntil <= now {
            switch viewer.nextOutput() {
            case .transmit(let transmit):
                if keepsAll { viewerDatagrams.append(transmit.bytes) }
                if !viewerReportsAt.isEmpty, transmit.bytes[0] >= 128 {
                    heldReports.append(transmit.bytes)
                    continue
                }
                if losesHandshake, transmit.bytes.read(DatagramKind.init) == .handshake { continue }
                if viewerChecksNothing, transmit.bytes.starts(with: [0, 1]) { continue }
                if viewerAnswersNothing, transmit.bytes.starts(with: [1, 1]) { continue }
                var bytes = transmit.bytes
                if viewerAsksNothing { bytes = Self.without(format: 1, bytes) }
                if viewerTellsNothing { bytes = Self.without(format: 15, bytes) }
                link.send(bytes, from: viewerMapping ?? viewerAddress, to: transmit.to, at: now)
            case .event(.received(let unit)):
                unitsReceived += 1
                if !keepsAll, received.count >= 64 { received.removeFirst(32) }
                received.append(unit)
            case .event(.receivedAudio(let packet)):
                packetsHeard += 1
                if !keepsAll, heard.count >= 64 { heard.removeFirst(32) }
                heard.append(packet)
            case .event(let event): viewerEvents.append(event)
            case .wait(let until, _):
                viewerDue = until
                return
            }
        }
    }

    /// A datagram without the generic NACKs (RFC 4585 § 6.2.1), say, among its RTCP packets; the reports beside them stay.
    private static func without(format: UInt8, _ datagram: [UInt8]) -> [UInt8] {
        var rest: [UInt8] = []
        var start = 0
        while start + 4 <= datagram.count, datagram[start] >> 6 == 2 {
            let goes = datagram[start] & 31 == format && datagram[start + 1] == 205
            let end = start + 4 * (1 + Int(datagram[start + 2]) << 8 + Int(datagram[start + 3]))
            guard end <= datagram.count else { break }
            if !goes { rest += datagram[start..<end] }
            start = end
        }
        return rest + datagram[start...]
    }
}
