import Datagrams
import RTP
import TestSupport
import Testing
import Timebase

@testable import PeerCore

@Suite("What stands in the header extensions")
struct HeaderExtensionUseTests {
    /// The extensions of each RTP packet of the video, with the unit it belongs to.
    ///
    /// - Parameter payloadType: 103: of what was sent again.
    private func sent(
        _ share: borrowing Share, payloadType: UInt8 = 102
    ) -> [(timestamp: UInt32, extensions: HeaderExtensions)] {
        share.pair.sharerDatagrams.compactMap { datagram in
            datagram.read { span in
                guard DatagramKind(span) == .rtp, let packet = try? RTPPacket(span), packet.header.payloadType == payloadType,
                    let block = packet.extensionBlock,
                    let extensions = try? HeaderExtensions(span, block, map: PeerPair.extensions)
                else { return nil }
                return (packet.header.timestamp, extensions)
            }
        }
    }

    @Test("a keyframe's packet that is sent again says how pictures are to be shown")
    func sentAgain() {
        var conditions = LinkConditions()
        conditions.loss = 0.2
        var share = Share(PeerPair(seed: 1, conditions: conditions))
        share.run(for: .seconds(10))
        let keyframes = Set(sent(share).filter { $0.extensions.videoContentType != nil }.map(\.timestamp))
        let again = sent(share, payloadType: 103).filter { keyframes.contains($0.timestamp) }
        #expect(!keyframes.isEmpty && !again.isEmpty)
        #expect(again.allSatisfy { $0.extensions.playoutDelay != nil && $0.extensions.videoContentType == .screen })
    }

    @Test("capture times come with the first picture and once a second; send times not beside transport-wide numbers")
    func economy() {
        var share = Share(PeerPair(seed: 1))
        share.run(for: .seconds(10))
        let packets = sent(share)
        #expect(packets.count > 500)
        #expect(packets.allSatisfy { $0.extensions.absoluteSendTime == nil })
        #expect(packets.allSatisfy { $0.extensions.transportSequenceNumber != nil })
        #expect(packets.first?.extensions.absoluteCaptureTime != nil)
        let dated = Set(packets.filter { $0.extensions.absoluteCaptureTime != nil }.map(\.timestamp))
        #expect(9...11 ~= dated.count)
        // All packets of a unit have one size of header.
        #expect(packets.allSatisfy { ($0.extensions.absoluteCaptureTime != nil) == dated.contains($0.timestamp) })
    }

    /// One without transport-wide numbers.
    private static let sendTimes: ExtensionMap = {
        var map = ExtensionMap()
        map.map(3, to: .absoluteSendTime)
        return map
    }()

    private func sendTime(_ packet: [UInt8]) -> UInt32? {
        packet.read { span -> UInt32? in
            guard let header = try? RTPPacket(span), let block = header.extensionBlock,
                let extensions = try? HeaderExtensions(span, block, map: Self.sendTimes)
            else { return nil }
            return extensions.absoluteSendTime?.bits
        }
    }

    @Test("without transport-wide numbers each packet of pictures, of what is sent again and of sound says when it left")
    func departures() {
        let lone = LoneSender(bitsPerSecond: 4_000_000, isRepaired: true, extensions: Self.sendTimes)
        var (sender, path) = (lone.sender, lone.path)
        var random: any RandomNumberGenerator & Sendable = SeededGenerator(seed: 1)
        var sound = AudioSender(
            AudioSendParameters(
                payloadType: 111, redundancyPayloadType: nil, ssrc: 3, canonicalName: "sharer", mid: nil,
                extensions: Self.sendTimes),
            wallClock: LoneSender.clock, random: &random, at: LoneSender.start)
        var video = SyntheticVideo()
        var packets: [[UInt8]] = []
        let first = UInt16(truncatingIfNeeded: sender.sequenceNumber)
        sender.enqueue(video.next(keyframe: true, size: 3000, capturedAt: LoneSender.start), at: LoneSender.start)
        var now = LoneSender.start + .milliseconds(125)
        while let packet = sender.nextPacket(&path, at: now) { packets.append(packet) }
        now += .milliseconds(125)
        sender.repair([first], path, checkRoundTrip: .milliseconds(20), at: now)
        while let packet = sender.nextPacket(&path, at: now) { packets.append(packet) }
        let heard = AudioUnit.Encodings(full: .init(bytes: [31 << 3, 1, 2], isSilent: false))
        sound.enqueue(AudioUnit(heard, time: AudioTime(ticks: 0), capturedAt: now))
        while let packet = sound.nextPacket(&path, at: now) { packets.append(packet) }
        let types = packets.map { $0[1] & 0x7f }
        #expect(types.count > 4 && types.suffix(2) == [103, 111] && types.dropLast(2).allSatisfy { $0 == 102 })
        // Of 5.125 and 5.25 s, in 2⁻¹⁸ s.
        let times = packets.map { sendTime($0) ?? 0 }
        #expect(times == types.map { $0 == 102 ? UInt32(41) << 15 : UInt32(21) << 16 })
    }
}
