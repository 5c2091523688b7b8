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
                payloadTypes: [96], retransmissionPayloadTypes: [], flexFECPayloadType: nil, extensions: ExtensionMap(),
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

@Suite("A keyframe that has its parameter sets before each of its slices")
struct RepeatedSetsTests {
    @Test("is waited for: what is lost of its first slice is asked for, and makes it whole")
    func lost() throws {
        var receiver = MediaReceiver(
            ReceiveParameters(
                payloadTypes: [96], retransmissionPayloadTypes: [], extensions: ExtensionMap(), ssrc: 1,
                canonicalName: "viewer"), at: .zero)
        var video = SyntheticVideo()
        let keyframe = video.next(keyframe: true, size: 3000, capturedAt: .zero)
        let first = keyframe.payloads.map { Array(keyframe.bytes[$0]) }
        try #require(first.count == 4)
        let packets = (first + [first[0], [0x65, 0x40, 0x11]]).enumerated().map { index, payload in
            var bytes: [UInt8] = []
            RTPHeader(
                marker: index == 5, payloadType: 96, sequenceNumber: UInt16(index), timestamp: 3000, ssrc: 7
            ).append(to: &bytes, extensions: HeaderExtensions(), map: ExtensionMap())
            return bytes + payload
        }
        for index in [0, 1, 3, 4, 5] { receiver.receive(packets[index], at: .zero) }
        var none: AudioReceiver?
        var missing: [UInt16] = []
        while let bytes = receiver.nextFeedback(at: .zero, roundTripTime: nil, audio: &none) {
            for case .genericNACK(let nack) in bytes.read({ (try? RTCPPacket.packets($0)) ?? [] }) { missing += nack.missing }
        }
        #expect(missing == [2])
        receiver.receive(packets[2], at: .zero + .milliseconds(50))
        let unit = try #require(receiver.nextUnit()?.accessUnit)
        #expect(unit.isKeyframe && unit.isComplete)
        let types = unit.nalUnits.map { unit.type(of: $0) }
        let sets: [NALUnitType] = [.sequenceParameterSet, .pictureParameterSet]
        #expect(types == sets + sets + [.idrSlice, .idrSlice])
    }
}

@Suite("A stream whose parameter sets stand in the answer")
struct AnsweredSetsTests {
    /// What a packet of several units holds (RFC 6184 § 5.7.1).
    private static func units(_ aggregate: [UInt8]) -> [[UInt8]] {
        var units: [[UInt8]] = []
        var rest = aggregate.dropFirst()
        while rest.count > 2 {
            let size = Int(rest[rest.startIndex]) << 8 | Int(rest[rest.startIndex + 1])
            units.append(Array(rest.dropFirst(2).prefix(size)))
            rest = rest.dropFirst(2 + size)
        }
        return units
    }

    /// The types of what is handed over of keyframes, each of which brings its sets or does not.
    private static func received(bringsSets: [Bool]) -> [[NALUnitType]] {
        var video = SyntheticVideo()
        let keyframe = video.next(keyframe: true, size: 3000, capturedAt: .zero)
        var receiver = MediaReceiver(
            ReceiveParameters(
                payloadTypes: [96], retransmissionPayloadTypes: [],
                parameterSets: units(Array(keyframe.bytes[keyframe.payloads[0]])), extensions: ExtensionMap(), ssrc: 1,
                canonicalName: "viewer"), at: .zero)
        var number: UInt16 = 0
        for (picture, brings) in bringsSets.enumerated() {
            for (index, payload) in keyframe.payloads.enumerated() where brings || index > 0 {
                var bytes: [UInt8] = []
                RTPHeader(
                    marker: keyframe.isMarked(index), payloadType: 96, sequenceNumber: number,
                    timestamp: 3000 * UInt32(picture), ssrc: 7
                ).append(to: &bytes, extensions: HeaderExtensions(), map: ExtensionMap())
                receiver.receive(bytes + keyframe.bytes[payload], at: .zero)
                number += 1
            }
        }
        var types: [[NALUnitType]] = []
        while let unit = receiver.nextUnit() {
            types.append(unit.accessUnit.nalUnits.map { unit.accessUnit.type(of: $0) })
        }
        return types
    }

    private static let whole: [NALUnitType] = [.sequenceParameterSet, .pictureParameterSet, .idrSlice]

    @Test("is shown, and each keyframe has them in front")
    func shown() { #expect(Self.received(bringsSets: [false, false]) == [Self.whole, Self.whole]) }

    @Test("has none of them any more once it brings its own")
    func replaced() {
        let received = Self.received(bringsSets: [false, true, false])
        #expect(received == [Self.whole, Self.whole, [.idrSlice]])
    }
}
