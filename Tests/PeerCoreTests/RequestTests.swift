import Datagrams
import RTP
import Testing
import Timebase

@testable import PeerCore

@Suite("What a receiver asks for, and how often")
struct RequestTests {
    private func at(_ milliseconds: Int) -> Instant { .zero + .milliseconds(milliseconds) }

    private func packet(_ number: UInt16) -> [UInt8] {
        var bytes: [UInt8] = []
        RTPHeader(marker: true, payloadType: 96, sequenceNumber: number, timestamp: 3000 * UInt32(number), ssrc: 7)
            .append(to: &bytes, extensions: HeaderExtensions(), map: ExtensionMap())
        return bytes + [0x41, 0x9A, 0x00]
    }

    /// When requests for packet 2 leave, which gets lost and never comes again; the round trip takes 50 ms.
    ///
    /// - Parameter lostBefore: so many runs of five packets got lost, and came when they were asked for.
    private func requests(flexFEC: UInt8?, lostBefore runs: UInt16 = 0, until end: Int) -> [Int] {
        var receiver = MediaReceiver(
            ReceiveParameters(
                payloadTypes: [96], retransmissionPayloadTypes: [97], flexFECPayloadType: flexFEC,
                extensions: ExtensionMap(), ssrc: 1, canonicalName: "viewer"), at: at(0))
        var none: AudioReceiver?
        var times: [Int] = []
        // What comes in allows for so many requests; a large packet of another payload type does.
        receiver.receive([UInt8](repeating: 0x80, count: 60_000), at: at(0))
        receiver.receive(packet(1 &- 6 &* runs), at: at(0))
        for first in (0..<runs).map({ 2 &- 6 &* (runs - $0) }) {
            for number in [first &+ 5] + (0..<5).map({ first &+ $0 }) { receiver.receive(packet(number), at: at(0)) }
        }
        // Tells the round trip; what was asked for until now is not looked at.
        for time in 0..<200 {
            receiver.advance(to: at(time))
            while receiver.nextFeedback(at: at(time), roundTripTime: .milliseconds(50), audio: &none) != nil {}
        }
        for number in [3, 4] as [UInt16] { receiver.receive(packet(number), at: at(200)) }
        for time in 0..<end {
            receiver.advance(to: at(200 + time))
            while let bytes = receiver.nextFeedback(at: at(200 + time), roundTripTime: .milliseconds(50), audio: &none) {
                for case .genericNACK(let nack) in bytes.read({ (try? RTCPPacket.packets($0)) ?? [] }) {
                    #expect(nack.missing == [2])
                    times.append(time)
                }
            }
        }
        return times
    }

    @Test("a sharer of our kind, which takes copies for one request, is asked three times, and then all the time")
    func own() {
        #expect(requests(flexFEC: 98, until: 110) == [0, 8, 16, 59, 67, 75, 83, 91])
    }

    @Test("another sharer, which may answer each copy, is asked once, and twice for what it has not sent")
    func others() {
        #expect(requests(flexFEC: nil, until: 110) == [0, 59, 67])
    }

    @Test("where packets get lost in a row, a sharer of our kind is asked all the time, until they come")
    func bursts() {
        let times = requests(flexFEC: 98, lostBefore: 9, until: 110)
        // Every 2.5 ms by a clock of 1 ms, and once more where an answer is overdue.
        let pauses = zip(times, times.dropFirst()).map { $1 - $0 }
        #expect(pauses.allSatisfy { $0 <= 3 }, "\(times)")
        #expect((36...40).contains(times.count), "\(times)")
        #expect(requests(flexFEC: nil, lostBefore: 9, until: 110).count <= 4)
        // What has come allows for less than forty.
        #expect(requests(flexFEC: 98, lostBefore: 9, until: 400).count < 70)
    }

    /// After how many milliseconds a lost packet is asked for that others overtake so long after the only repair packet.
    private func request(behindRepairPacket pause: Int) -> Int? {
        var receiver = MediaReceiver(
            ReceiveParameters(
                payloadTypes: [96], retransmissionPayloadTypes: [97], flexFECPayloadType: 98, extensions: ExtensionMap(),
                ssrc: 1, canonicalName: "viewer"), at: at(0))
        var none: AudioReceiver?
        var encoder = FlexFECEncoder()
        for number in [1, 2, 3] as [UInt16] {
            receiver.receive(packet(number), at: at(0))
            encoder.add(packet(number), sequenceNumber: number)
        }
        for payload in encoder.finish(repairPackets: 1, isFar: false) {
            var bytes: [UInt8] = []
            RTPHeader(marker: false, payloadType: 98, sequenceNumber: 1, timestamp: 0, ssrc: 9, csrcs: [7])
                .append(to: &bytes, extensions: HeaderExtensions(), map: ExtensionMap())
            receiver.receive(bytes + payload, at: at(0))
        }
        for number in [4, 5, 7, 8] as [UInt16] { receiver.receive(packet(number), at: at(pause)) }
        for time in 0..<50 {
            receiver.advance(to: at(pause + time))
            while let bytes = receiver.nextFeedback(at: at(pause + time), roundTripTime: .milliseconds(50), audio: &none) {
                for case .genericNACK in bytes.read({ (try? RTCPPacket.packets($0)) ?? [] }) { return time }
            }
        }
        return nil
    }

    @Test("repair packets are waited for where some came, and after two seconds without any no more")
    func repairPackets() throws {
        #expect(try #require(request(behindRepairPacket: 100)) > 0)
        #expect(request(behindRepairPacket: 3000) == 0)
    }
}

@Suite("Whether packets get lost in a row")
struct LossRunTests {
    private func areBursts(_ requests: [[UInt16]]) -> Bool {
        var runs = LossRuns()
        for request in requests { runs.note(request) }
        return runs.areBursts
    }

    /// Where twelve of them begin.
    private let starts = (0..<12).map { UInt16(10 * $0) }

    @Test("runs of three are bursts, and single packets are none")
    func lengths() {
        #expect(areBursts(starts.map { [$0, $0 + 1, $0 + 2] }))
        #expect(!areBursts(starts.map { [$0, $0 + 5] }))
    }

    @Test("a run whose end is asked for later, by itself, is one run")
    func pieces() {
        #expect(areBursts(starts.flatMap { [[$0], [$0 + 1], [$0 + 2]] }))
    }

    @Test("one long outage is no habit, also where the numbers begin anew within it")
    func wrap() {
        #expect(!areBursts([(0..<18 as Range<UInt16>).map { 65_530 &+ $0 }]))
    }
}
