import Datagrams
import RTP
import Testing
import Timebase

@testable import PeerCore

@Suite("A keyframe whose parameter sets come as a unit of their own")
struct PartedKeyframeTests {
    /// What is received of a keyframe in more packets than one, the first of which holds its parameter sets alone.
    ///
    /// - Parameter setsAt: their RTP timestamp; the picture has 3000.
    private static func received(setsAt: UInt32, isMarked: Bool) -> [ReceivedUnit] {
        var receiver = MediaReceiver(
            ReceiveParameters(
                payloadTypes: [96], retransmissionPayloadTypes: [:], parityPayloadType: nil, extensions: ExtensionMap(),
                ssrc: 1, canonicalName: "viewer"), at: .zero)
        var video = SyntheticVideo()
        let keyframe = video.next(keyframe: true, size: 3000, capturedAt: .zero)
        for (index, payload) in keyframe.payloads.enumerated() {
            var bytes: [UInt8] = []
            RTPHeader(
                marker: index == 0 ? isMarked : keyframe.isMarked(index), payloadType: 96,
                sequenceNumber: UInt16(index), timestamp: index == 0 ? setsAt : 3000, ssrc: 7
            ).append(to: &bytes, extensions: HeaderExtensions(), map: ExtensionMap())
            receiver.receive(bytes + keyframe.bytes[payload], at: .zero)
        }
        var units: [ReceivedUnit] = []
        while let unit = receiver.nextUnit() { units.append(unit) }
        return units
    }

    @Test("is one picture, with them in front", arguments: [(1000, false), (3000, true), (3000, false)] as [(UInt32, Bool)])
    func together(setsAt: UInt32, isMarked: Bool) throws {
        let units = Self.received(setsAt: setsAt, isMarked: isMarked)
        #expect(units.count == 1)
        let unit = try #require(units.first?.accessUnit)
        #expect(unit.isKeyframe && unit.timestamp == 3000)
        let types = unit.nalUnits.map { unit.type(of: $0) }
        #expect(types == [.sequenceParameterSet, .pictureParameterSet, .idrSlice])
    }
}
