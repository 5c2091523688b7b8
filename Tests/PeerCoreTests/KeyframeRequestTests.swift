import Datagrams
import RTP
import Testing
import Timebase

@testable import PeerCore

@Suite("How often a keyframe is asked for")
struct KeyframeRequestTests {
    private static func packets(of unit: PacketizedUnit, timestamp: UInt32, from first: UInt16) -> [[UInt8]] {
        unit.payloads.enumerated().map { index, payload in
            var bytes: [UInt8] = []
            RTPHeader(
                marker: unit.isMarked(index), payloadType: 96, sequenceNumber: first + UInt16(index), timestamp: timestamp,
                ssrc: 7
            ).append(to: &bytes, extensions: HeaderExtensions(), map: ExtensionMap())
            return bytes + unit.bytes[payload]
        }
    }

    /// When one is asked for, in milliseconds, by who joins at a picture that it can't decode. The keyframe has some twenty
    /// packets, one each 50 ms.
    ///
    /// - Parameters:
    ///   - most: so many of its packets come.
    ///   - begin: when the first does.
    private func requests(
        isOwn: Bool = false, most: Int = .max, begin: Int = 60, roundTrip: Duration = .milliseconds(50)
    ) -> [Int] {
        var receiver = MediaReceiver(
            ReceiveParameters(
                payloadTypes: [96], retransmissionPayloadTypes: [97], flexFECPayloadType: isOwn ? 98 : nil,
                extensions: ExtensionMap(), ssrc: 1, canonicalName: "viewer"), at: .zero)
        var none: AudioReceiver?
        var video = SyntheticVideo()
        let before = Self.packets(of: video.next(keyframe: false, size: 500, capturedAt: .zero), timestamp: 0, from: 0)
        let keyframe = Self.packets(
            of: video.next(keyframe: true, size: 22_000, capturedAt: .zero), timestamp: 3000, from: UInt16(before.count))
        var times: [Int] = []
        for time in 0..<2000 {
            let now = Instant.zero + .milliseconds(time)
            if time == 0 { for bytes in before { receiver.receive(bytes, at: now) } }
            let (index, rest) = (time - begin).quotientAndRemainder(dividingBy: 50)
            if rest == 0, keyframe.indices.contains(index), index < most { receiver.receive(keyframe[index], at: now) }
            receiver.advance(to: now)
            while let bytes = receiver.nextFeedback(at: now, roundTripTime: roundTrip, audio: &none) {
                for case .pictureLossIndication in bytes.read({ (try? RTCPPacket.packets($0)) ?? [] }) { times.append(time) }
            }
        }
        let isShown = receiver.nextUnit() != nil
        #expect(isShown == (most == .max))
        return times
    }

    @Test("one that comes in slowly is not asked for again: a sharer of another make would make one more each time")
    func slow() { #expect(requests() == [0]) }

    @Test("one that ceases to come is, as soon as it has")
    func ceased() { #expect(requests(most: 5).prefix(3) == [0, 560, 860]) }

    @Test("nor is it asked for again before a long way allows for an answer")
    func farAway() { #expect(requests(begin: 640, roundTrip: .milliseconds(600)) == [0]) }

    @Test("where none comes it is asked for again and again")
    func lost() {
        #expect(requests(most: 0).prefix(4) == [0, 300, 600, 900])
        #expect(requests(most: 0, roundTrip: .milliseconds(600)) == [0, 900, 1800])
    }

    @Test("a sharer of our kind, which knows what it has answered, is asked all the while")
    func own() { #expect(requests(isOwn: true) == [0, 300, 600, 900]) }

    /// A keyframe and three pictures, of which the second is lost: how often packets are asked for, and how long after the
    /// third a keyframe is, in milliseconds.
    private func afterLoss(
        takesRequests: Bool, roundTrip: Duration = .milliseconds(50)
    ) -> (requests: Int, keyframe: Int?) {
        var receiver = MediaReceiver(
            ReceiveParameters(
                payloadTypes: [96], retransmissionPayloadTypes: [], extensions: ExtensionMap(), ssrc: 1,
                canonicalName: "viewer", takesRequests: takesRequests), at: .zero)
        var none: AudioReceiver?
        var video = SyntheticVideo()
        var number: UInt16 = 0
        var found: (requests: Int, keyframe: Int?) = (0, nil)
        for time in 0..<2000 {
            let now = Instant.zero + .milliseconds(time)
            if time % 30 == 0, time <= 90 {
                let unit = video.next(keyframe: time == 0, size: 500, capturedAt: .zero)
                let packets = Self.packets(of: unit, timestamp: UInt32(90 * time), from: number)
                number += UInt16(packets.count)
                if time != 60 { for bytes in packets { receiver.receive(bytes, at: now) } }
            }
            receiver.advance(to: now)
            while let bytes = receiver.nextFeedback(at: now, roundTripTime: roundTrip, audio: &none) {
                for packet in bytes.read({ (try? RTCPPacket.packets($0)) ?? [] }) {
                    if case .genericNACK = packet { found.requests += 1 }
                    if case .pictureLossIndication = packet { found.keyframe = found.keyframe ?? time - 90 }
                }
            }
        }
        return found
    }

    @Test("where nothing is sent again a keyframe is asked for as soon as a packet can't merely have been overtaken, and no packet")
    func notRepaired() {
        let found = afterLoss(takesRequests: false)
        #expect(found.requests == 0 && found.keyframe == 30, "\(found)")
        let repaired = afterLoss(takesRequests: true)
        #expect(repaired.requests > 5 && repaired.keyframe == 500, "\(repaired)")
    }

    @Test("far away what is sent again is waited for as long as two rounds take")
    func repairFromFarAway() {
        let found = afterLoss(takesRequests: true, roundTrip: .milliseconds(600))
        #expect((1500...1501).contains(found.keyframe ?? 0), "\(found)")
    }

    @Test("nor is one asked for because of what was lost before one that comes in")
    func lostBefore() {
        var receiver = MediaReceiver(
            ReceiveParameters(
                payloadTypes: [96], retransmissionPayloadTypes: [97], extensions: ExtensionMap(), ssrc: 1,
                canonicalName: "viewer"), at: .zero)
        var none: AudioReceiver?
        var video = SyntheticVideo()
        let first = Self.packets(of: video.next(keyframe: true, size: 500, capturedAt: .zero), timestamp: 0, from: 0)
        // Five packets of a picture between the two are lost.
        let second = Self.packets(
            of: video.next(keyframe: true, size: 22_000, capturedAt: .zero), timestamp: 3000, from: UInt16(first.count + 5))
        for bytes in first { receiver.receive(bytes, at: .zero) }
        var wishes = 0
        for time in 0..<2000 {
            let now = Instant.zero + .milliseconds(time)
            let (index, rest) = (time - 60).quotientAndRemainder(dividingBy: 50)
            if rest == 0, second.indices.contains(index) { receiver.receive(second[index], at: now) }
            receiver.advance(to: now)
            while let bytes = receiver.nextFeedback(at: now, roundTripTime: .milliseconds(50), audio: &none) {
                for case .pictureLossIndication in bytes.read({ (try? RTCPPacket.packets($0)) ?? [] }) { wishes += 1 }
            }
        }
        let shown = [receiver.nextUnit(), receiver.nextUnit()].compactMap(\.self)
        #expect(wishes == 0 && shown.count == 2)
    }

    @Test("of a flood of requests, fifty a second are passed on")
    func flood() {
        var share = Share(PeerPair(seed: 3))
        share.run(for: .seconds(3))
        var request: [UInt8] = []
        PictureLossIndication(senderSSRC: 0xCCCC, mediaSSRC: 0xAAAA).append(to: &request)
        var passedOn: [Int] = []
        for flood in 0..<2 as Range<UInt32> {
            let before = share.pair.sharerEvents.count
            for number in 0..<200 as Range<UInt32> {
                share.pair.receiveAtSharer(rtcp: request, number: flood * 200 + number)
            }
            let requests = share.pair.sharerEvents[before...].count { event in
                switch event {
                case .keyframeNeeded, .keyframeAskedEarly: true
                default: false
                }
            }
            passedOn.append(requests)
            share.pair.run(for: .seconds(2))
        }
        #expect(passedOn == [50, 50])
    }
}
