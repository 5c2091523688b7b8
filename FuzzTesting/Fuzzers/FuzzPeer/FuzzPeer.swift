import Datagrams
import FuzzDriver
import ICE
import PeerCore
import RTP
import Timebase

/// A sharer and a viewer in virtual time: what passes between them comes, is lost, late or damaged, and each may say
/// anything to the other.
///
/// The input is a byte of options (`Options`), then a row of steps (`Step`).
private func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    var rest = [UInt8](UnsafeBufferPointer(start: start, count: count))[...]
    guard let options = rest.popFirst() else { return 0 }
    var pair = Pair(Options(rawValue: options))
    while pair.hasTime, let step = Step(&rest) { pair.take(step) }
    return 0
}

/// A byte of kind, one that says how much, and for some kinds so many bytes. Of the first, the low four bits are the
/// kind; 0x80: to the viewer, else to the sharer; 0x40: from another port, as behind a NAT that has changed its mind.
struct Step {
    enum Kind: UInt8 {
        /// Milliseconds.
        case pass
        /// Tenths of a second.
        case passLonger
        /// These bytes.
        case datagram
        /// These bytes of RTP or RTCP, protected.
        case plaintext
        /// So many of those under way and one more, the oldest first; with 0x80 a router has marked them.
        case deliver
        case drop
        /// The oldest goes behind all others.
        case delay
        /// The oldest is delivered; each two bytes change one of it: where, and by what.
        case corrupt
        /// Pictures, in sixteens of bytes.
        case keyframe
        case delta
        /// A packet of sound, in bytes.
        case sound
        case silence
        /// What the owner may want.
        case ask
        case close
    }

    let kind: Kind
    let isToViewer: Bool
    let isFromElsewhere: Bool
    let count: Int
    private(set) var body: [UInt8] = []

    init?(_ rest: inout ArraySlice<UInt8>) {
        guard let first = rest.popFirst(), let second = rest.popFirst() else { return nil }
        kind = Kind(rawValue: first & 0x0f) ?? .deliver
        isToViewer = first & 0x80 != 0
        isFromElsewhere = first & 0x40 != 0
        count = Int(second)
        switch kind {
        case .datagram, .plaintext, .corrupt:
            body = Array(rest.prefix(count))
            rest = rest.dropFirst(count)
        default: return
        }
    }
}

struct Pair: ~Copyable {
    /// What pictures are ever allowed, and how much faster than that they may leave.
    private static let mostBits = 8_500_000
    private static let pacingFactor = 10

    private var sharer: Side
    private var viewer: Side
    private var now = Instant(nanoseconds: 1_000_000_000)
    private var pictures = Pictures()
    private var cache = PictureCache()
    /// Timers that may still run out: a row of long waits would take all the fuzzer's time.
    private var timers = 2000

    init(_ options: Options) {
        let start = now
        sharer = Side(.sharer(options), host: 1, at: start)
        viewer = Side(.viewer(options), host: 2, at: start)
        let (ofSharer, ofViewer) = (sharer.parameters, viewer.parameters)
        sharer.meet(ofViewer, at: start)
        viewer.meet(ofSharer, AudioReceiveParameters(payloadType: 111, redundancyPayloadType: 63), at: start)
        if !options.contains(.startsApart) { connect() }
    }

    var hasTime: Bool { timers > 0 }

    private var isConnected: Bool { sharer.core.isConnected && viewer.core.isConnected }

    /// Most inputs are to begin where there is something to break.
    private mutating func connect() {
        for _ in 0..<50 where !isConnected {
            while let datagram = viewer.sent.popFirst() {
                sharer.receive(datagram.bytes, datagram.ecn, from: datagram.from, at: now)
            }
            while let datagram = sharer.sent.popFirst() {
                viewer.receive(datagram.bytes, datagram.ecn, from: datagram.from, at: now)
            }
            pass(.milliseconds(10))
        }
        let areConnected = isConnected
        precondition(areConnected, "nothing was lost")
    }

    mutating func take(_ step: Step) {
        switch step.kind {
        case .pass: pass(.milliseconds(step.count))
        case .passLonger: pass(.milliseconds(step.count * 100))
        case .datagram: hand(step.body, by: step)
        case .plaintext: hand(OpenSecurity.sealed(step.body), by: step)
        case .deliver: deliver(step)
        case .drop: for _ in 0...step.count { _ = next(for: step) }
        case .delay: delay(step)
        case .corrupt: corrupt(step)
        case .keyframe: show(isKeyframe: true, bytes: step.count * 16)
        case .delta: show(isKeyframe: false, bytes: step.count * 16)
        case .sound: play(bytes: step.count + 1, isSilent: false)
        case .silence: play(bytes: step.count + 1, isSilent: true)
        case .ask: ask(step.count)
        case .close: if step.isToViewer { viewer.close(at: now) } else { sharer.close(at: now) }
        }
        check()
    }

    // MARK: Time

    private mutating func pass(_ time: Duration) {
        let end = now + time
        var rounds = 0
        while timers > 0, min(sharer.due, viewer.due) <= end {
            let due = min(sharer.due, viewer.due)
            rounds = due > now ? 0 : rounds + 1
            precondition(rounds <= 100, "they are due again and again, and no time passes")
            timers -= 1
            now = max(now, due)
            if sharer.due <= now { sharer.advance(to: now) }
            if viewer.due <= now { viewer.advance(to: now) }
        }
        now = end
    }

    // MARK: The network

    private mutating func next(for step: Step) -> Transmit? {
        step.isToViewer ? sharer.sent.popFirst() : viewer.sent.popFirst()
    }

    private mutating func hand(_ bytes: [UInt8], ecn: ECN = .notCapable, by step: Step) {
        if step.isToViewer {
            viewer.receive(bytes, ecn, from: sharer.source(isElsewhere: step.isFromElsewhere), at: now)
        } else {
            sharer.receive(bytes, ecn, from: viewer.source(isElsewhere: step.isFromElsewhere), at: now)
        }
    }

    private mutating func deliver(_ step: Step) {
        for _ in 0...(step.count & 0x7f) {
            guard let datagram = next(for: step) else { return }
            let isMarked = step.count & 0x80 != 0 && datagram.ecn != .notCapable
            hand(datagram.bytes, ecn: isMarked ? .congestionExperienced : datagram.ecn, by: step)
        }
    }

    private mutating func delay(_ step: Step) {
        guard let datagram = next(for: step) else { return }
        if step.isToViewer { sharer.post(datagram) } else { viewer.post(datagram) }
    }

    private mutating func corrupt(_ step: Step) {
        guard let datagram = next(for: step), !datagram.bytes.isEmpty else { return }
        var bytes = datagram.bytes
        for index in stride(from: 0, to: step.body.count - 1, by: 2) {
            bytes[Int(step.body[index]) % bytes.count] ^= step.body[index + 1]
        }
        hand(bytes, ecn: datagram.ecn, by: step)
    }

    // MARK: The owner

    private mutating func show(isKeyframe: Bool, bytes: Int) {
        let unit = pictures.next(isKeyframe: isKeyframe, bytes: bytes, at: now)
        cache.add(unit)
        sharer.core.send(unit, at: now)
        sharer.drain()
    }

    private mutating func play(bytes: Int, isSilent: Bool) {
        let encoding = AudioUnit.Encoding(bytes: [UInt8](repeating: 0xfc, count: bytes), isSilent: isSilent)
        let time = AudioTime(elapsed: .nanoseconds(now.nanoseconds))
        sharer.core.send(AudioUnit(.init(full: encoding), time: time, capturedAt: now), at: now)
        sharer.drain()
    }

    private mutating func ask(_ count: Int) {
        switch count % 7 {
        case 0: sharer.core.setBitrate(60_000 + count * 32_768, at: now)
        case 1: sharer.core.forgetPictures()
        case 2: sharer.core.changeLane()
        case 3: viewer.core.requestKeyframe(at: now)
        case 4: sharer.core.preview(cache, at: now)
        case 5: sharer.core.begin(with: cache, isAlone: count & 8 == 0, at: now)
        default:
            // The viewer knows nothing of it: the pair in use is all there is until ICE fails.
            var random = Counter(UInt64(count))
            _ = sharer.core.restartICE(remote: .random(using: &random), at: now)
        }
        sharer.drain()
        viewer.drain()
    }

    // MARK: What holds

    /// Whatever is said leads to figures that make sense.
    private func check() {
        let statistics = sharer.core.statistics
        precondition(statistics.roundTripTime.map { $0 >= .zero } ?? true)
        guard let path = statistics.path else { return }
        precondition(path.target > 0 && path.queueDelay >= .zero && (0...1).contains(path.loss))
        precondition(path.capacity.map { (1...Self.mostBits * Self.pacingFactor).contains($0) } ?? true)
    }
}

/// One of the two, with its way out.
struct Side: ~Copyable {
    /// Far above what one call leaves behind.
    private static let outputs = 4096
    /// Of UDP in an Ethernet frame.
    private static let datagramBytes = 1472

    var core: PeerCore
    /// What is under way; more is lost, as in a router.
    var sent = BoundedQueue<Transmit>(capacity: 256)
    private(set) var due = Instant.zero
    private var isOver = false
    private let address: TransportAddress

    init(_ setup: PeerSetup, host: UInt32, at now: Instant) {
        address = TransportAddress(ip: .v4(0x0A00_0000 | host), port: 5000)
        let wallClock = WallClockAnchor(
            instant: now, ntp: NTPTimestamp(unixNanoseconds: 1_800_000_000_000_000_000))
        core = PeerCore(
            setup, localCandidates: [.host(address)], security: OpenSecurity(), authenticator: NoSecrets(),
            wallClock: wallClock, random: Counter(UInt64(host)), at: now)
    }

    /// What the other side is told of this one.
    var parameters: RemoteParameters {
        RemoteParameters(
            credentials: core.localCredentials, fingerprint: OpenSecurity.fingerprint, candidates: [.host(address)])
    }

    func source(isElsewhere: Bool) -> TransportAddress {
        TransportAddress(ip: address.ip, port: address.port + (isElsewhere ? 1 : 0))
    }

    /// - Parameter sound: what of it this side takes.
    mutating func meet(_ other: RemoteParameters, _ sound: AudioReceiveParameters? = nil, at now: Instant) {
        core.setRemote(other, receiveAudio: sound, at: now)
        drain()
    }

    mutating func receive(_ bytes: [UInt8], _ ecn: ECN, from remote: TransportAddress, at now: Instant) {
        core.receive(bytes, local: address, from: remote, ecn: ecn, at: now)
        drain()
    }

    mutating func advance(to now: Instant) {
        core.advance(to: now)
        drain()
    }

    mutating func close(at now: Instant) {
        core.close(at: now)
        drain()
        isOver = true
    }

    mutating func post(_ datagram: Transmit) { _ = sent.append(datagram) }

    mutating func drain() {
        let wasOver = isOver
        var ends = wasOver
        for _ in 0..<Self.outputs {
            switch core.nextOutput() {
            case .transmit(let datagram):
                precondition(!wasOver && datagram.bytes.count <= Self.datagramBytes)
                post(datagram)
            case .event(let event):
                precondition(!ends, "something happens after the end")
                if case .disconnected = event { ends = true }
            case .wait(let until, _):
                precondition(!ends || until == .distantFuture, "there is more to come after the end")
                (due, isOver) = (until, ends)
                return
            }
        }
        preconditionFailure("it never waits")
    }
}

@main
enum FuzzPeer {
    static func main() { FuzzDriver.run(fuzz) }
}
