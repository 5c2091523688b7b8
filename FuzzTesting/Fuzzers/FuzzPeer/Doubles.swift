import Datagrams
import ICE
import PeerCore
import RTP
import Timebase

/// What the two have agreed on.
struct Options: OptionSet {
    let rawValue: UInt8

    /// To connect is left to the steps.
    static let startsApart = Options(rawValue: 1)
    /// Feedback by RFC 8888, not by transport-wide numbers.
    static let reportsByStream = Options(rawValue: 2)
    /// Neither retransmission (RFC 4588) nor repair packets (RFC 8627).
    static let isPlain = Options(rawValue: 4)
    /// Feedback stands behind a report (RFC 3550 § 6.1).
    static let isCompound = Options(rawValue: 8)

    fileprivate var extensions: ExtensionMap {
        var map = ExtensionMap()
        map.map(1, to: .mid)
        map.map(2, to: .absoluteSendTime)
        if !contains(.reportsByStream) { map.map(3, to: .transportSequenceNumber) }
        map.map(4, to: .playoutDelay)
        map.map(5, to: .videoContentType)
        map.map(6, to: .absoluteCaptureTime)
        return map
    }
}

/// Small numbers, which a fuzzer finds.
extension PeerSetup {
    static func sharer(_ options: Options) -> PeerSetup {
        let (isPlain, byStream) = (options.contains(.isPlain), options.contains(.reportsByStream))
        let send = SendParameters(
            payloadType: 102, ssrc: 1, retransmission: isPlain ? nil : .init(payloadType: 103, ssrc: 2),
            canonicalName: "sharer", mid: "0", extensions: options.extensions, bitsPerSecond: 4_000_000,
            givesTransportFeedback: !byStream, givesCongestionFeedback: byStream,
            flexFEC: isPlain ? nil : .init(payloadType: 104, ssrc: 3), ecn: .capable1)
        let sendAudio = AudioSendParameters(
            payloadType: 111, redundancyPayloadType: 63, ssrc: 4, canonicalName: "sharer", mid: "1",
            extensions: options.extensions)
        return PeerSetup(iceRole: .controlled, handshakeRole: .active, send: send, sendAudio: sendAudio)
    }

    static func viewer(_ options: Options) -> PeerSetup {
        let (isPlain, byStream) = (options.contains(.isPlain), options.contains(.reportsByStream))
        let receive = ReceiveParameters(
            payloadTypes: [102], retransmissionPayloadTypes: isPlain ? [] : [103],
            flexFECPayloadType: isPlain ? nil : 104, extensions: options.extensions, ssrc: 5, canonicalName: "viewer",
            givesCongestionFeedback: byStream, givesECNFeedback: !byStream,
            takesReducedSizeRTCP: !options.contains(.isCompound))
        return PeerSetup(iceRole: .controlling, handshakeRole: .passive, receive: receive)
    }
}

/// A handshake of two words, and a byte behind each packet for protection: the fuzzer may say what only the peer could.
/// One object plays all parts, because a peer has one of each.
final class OpenSecurity: SecurityProvider, HandshakeEngine, PacketProtector {
    private enum Word: UInt8 { case hello = 1, reply, close }

    static let fingerprint = Fingerprint(sha256: [UInt8](repeating: 1, count: 32))
    private static let handshakeByte: UInt8 = 22
    private static let seal: UInt8 = 0x5a
    private static let retransmission = Duration.milliseconds(50)

    private var isActive = false
    private var outgoing: [[UInt8]] = []
    private(set) var keys: SRTPKeys?
    let localFingerprint = OpenSecurity.fingerprint

    func makeHandshake(role: HandshakeRole, remoteFingerprint: Fingerprint) -> any HandshakeEngine {
        isActive = role == .active
        return self
    }

    func makeProtector(keys: SRTPKeys) -> any PacketProtector { self }

    // MARK: The handshake

    func start() { say(.hello) }
    func nextDatagram() -> [UInt8]? { outgoing.isEmpty ? nil : outgoing.removeFirst() }
    var timeout: Duration? { isActive && keys == nil ? Self.retransmission : nil }
    func handleTimeout() { say(.hello) }
    func close() { say(.close) }

    func receive(_ datagram: RawSpan) throws(HandshakeError) {
        guard datagram.u8(at: 0) == Self.handshakeByte, let byte = datagram.u8(at: 1), let word = Word(rawValue: byte)
        else { return }
        switch (word, isActive) {
        case (.hello, false):
            say(.reply)
            finish()
        case (.reply, true): finish()
        case (.close, _): throw .closed
        case (.hello, true), (.reply, false): return
        }
    }

    private func say(_ word: Word) { outgoing.append([Self.handshakeByte, word.rawValue]) }
    private func finish() { keys = SRTPKeys(profile: .aeadAES128GCM, local: [], remote: []) }

    // MARK: Packets

    /// As the other side expects it.
    static func sealed(_ packet: [UInt8]) -> [UInt8] { packet + [seal] }

    func protectRTP(_ packet: inout [UInt8]) { packet.append(Self.seal) }
    func protectRTCP(_ packet: inout [UInt8]) { packet.append(Self.seal) }
    func unprotectRTP(_ packet: inout [UInt8]) throws(ProtectionError) { try unseal(&packet) }
    func unprotectRTCP(_ packet: inout [UInt8]) throws(ProtectionError) { try unseal(&packet) }

    private func unseal(_ packet: inout [UInt8]) throws(ProtectionError) {
        guard packet.last == Self.seal else { throw .authenticationFailed }
        packet.removeLast()
    }
}

/// Every digest is zeros, so that the fuzzer can sign.
final class NoSecrets: MessageAuthenticator {
    func hmacSHA1(key: [UInt8], message: [UInt8]) -> [UInt8] { [UInt8](repeating: 0, count: 20) }
    func hmacSHA256(key: [UInt8], message: [UInt8]) -> [UInt8] { [UInt8](repeating: 0, count: 32) }
    func md5(_ message: [UInt8]) -> [UInt8] { [UInt8](repeating: 0, count: 16) }
}

struct Counter: RandomNumberGenerator, Sendable {
    private var last: UInt64

    init(_ seed: UInt64) { last = seed }

    mutating func next() -> UInt64 {
        last &+= 0x9E37_79B9_7F4A_7C15
        return last
    }
}

/// Units that a receiver takes for pictures: true parameter sets and slice headers (ITU-T H.264 § 7.3), then filler.
struct Pictures {
    private static let sequenceParameterSet: [UInt8] = [0x67, 0x42, 0xc0, 0x1e, 0x99, 0xa1, 0x09, 0x90]
    private static let pictureParameterSet: [UInt8] = [0x68, 0xce, 0x38, 0x80]
    /// `frame_num` has nine bits, so that it ends with a byte.
    private static let frameNumbers: UInt16 = 512

    private let packetizer = H264Packetizer(mode: .nonInterleaved)
    private var frameNumber: UInt16 = 0

    mutating func next(isKeyframe: Bool, bytes: Int, at now: Instant) -> PacketizedUnit {
        frameNumber = isKeyframe ? 0 : (frameNumber + 1) % Self.frameNumbers
        let (high, low) = (UInt8(frameNumber >> 8), UInt8(truncatingIfNeeded: frameNumber))
        let header: [UInt8] = isKeyframe ? [0x65, 0x88, 0x80, 0x26] : [0x61, 0x9a | high, low, 0x18]
        let sets = isKeyframe ? [Self.sequenceParameterSet, Self.pictureParameterSet] : []
        var (all, ranges): ([UInt8], [Range<Int>]) = ([], [])
        for nalUnit in sets + [header + [UInt8](repeating: 0x55, count: bytes)] {
            ranges.append(all.count..<(all.count + nalUnit.count))
            all += nalUnit
        }
        guard
            let unit = try? packetizer.packetize(
                all, nalUnits: ranges, mediaTime: MediaTime(elapsed: .nanoseconds(now.nanoseconds)), capturedAt: now,
                isKeyframe: isKeyframe, isReference: true)
        else { preconditionFailure("these NAL units are well formed") }
        return unit
    }
}
