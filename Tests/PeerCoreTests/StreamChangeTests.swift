import Datagrams
import RTP
import TestSupport
import Testing
import Timebase

@testable import PeerCore

@Suite("Another stream in place of one")
struct StreamChangeTests {
    private static func receiver() -> MediaReceiver {
        MediaReceiver(
            ReceiveParameters(
                payloadTypes: [96], retransmissionPayloadTypes: [], flexFECPayloadType: nil, extensions: ExtensionMap(),
                ssrc: 1, canonicalName: "viewer"), at: .zero)
    }

    private static func packet(_ number: UInt16, ssrc: UInt32 = 7, isEmpty: Bool = false) -> [UInt8] {
        var bytes: [UInt8] = []
        RTPHeader(marker: true, payloadType: 96, sequenceNumber: number, timestamp: 3000 * UInt32(number), ssrc: ssrc)
            .append(to: &bytes, extensions: HeaderExtensions(), map: ExtensionMap())
        return bytes + (isEmpty ? [] : [0x41, 0x9A, 0x00])
    }

    /// After how many milliseconds it counts as another, of packets that come every 100 ms for three seconds.
    private static func noticed(_ packets: (_ index: UInt16) -> [[UInt8]]) -> Int? {
        var receiver = Self.receiver()
        for number in 19_000..<20_000 as Range<UInt16> { receiver.receive(packet(number), at: .zero) }
        for index in 0..<30 as Range<UInt16> {
            for bytes in packets(index) { receiver.receive(bytes, at: .zero + .milliseconds(100 * Int64(index))) }
            if receiver.stream.isReplaced { return 100 * Int(index) }
        }
        return nil
    }

    @Test("a new name by itself counts after a second, whatever its numbers")
    func named() {
        #expect(Self.noticed { [Self.packet(500 &+ $0, ssrc: 8)] } == 1000)
        #expect(Self.noticed { [Self.packet(20_000 + $0, ssrc: 8)] } == 1000)
    }

    @Test("the same name with numbers of long ago, which rise, counts as well")
    func numbered() { #expect(Self.noticed { [Self.packet(3000 + $0)] } == 1000) }

    @Test("two packets are no stream, however far apart they come")
    func two() { #expect(Self.noticed { $0 % 10 == 0 ? [Self.packet(500 + $0, ssrc: 8)] : [] } == 2000) }

    @Test("beside the stream itself, and as what only measures a path, another is let be")
    func beside() {
        #expect(Self.noticed { [Self.packet(20_000 + $0), Self.packet(500 + $0, ssrc: 8)] } == nil)
        #expect(Self.noticed { [Self.packet(500 + $0, ssrc: 8, isEmpty: true)] } == nil)
    }

    @Test("what is sent again, and what comes late or in no order, is the stream's own")
    func late() {
        #expect(Self.noticed { [Self.packet(19_600 + $0)] } == nil)
        #expect(Self.noticed { [Self.packet(3000 &+ $0 &* 7919)] } == nil)
    }
}

@Suite("Another sound in place of one of which there was hardly any")
struct SoundBeginsAnewTests {
    /// What is taken of these packets of sound, which come every 20 ms: whose each is, and its number.
    private static func taken(_ packets: [(ssrc: UInt32, number: UInt16)]) -> (received: [ReceivedAudio], isReplaced: Bool) {
        var receiver = AudioReceiver(AudioReceiveParameters(payloadType: 111, redundancyPayloadType: nil))
        var clock = ReportedClock(clockRate: 48_000)
        clock.note(NTPTimestamp(unixNanoseconds: 1_700_000_000_000_000_000), timestamp: 0)
        var received: [ReceivedAudio] = []
        for (index, packet) in packets.enumerated() {
            var bytes: [UInt8] = []
            RTPHeader(
                marker: false, payloadType: 111, sequenceNumber: packet.number, timestamp: 960 * UInt32(packet.number),
                ssrc: packet.ssrc
            ).append(to: &bytes, extensions: HeaderExtensions(), map: ExtensionMap())
            receiver.receive(
                bytes + [0xF8, 0xFF, 0xFE], clock: clock, at: .zero + .milliseconds(20 * Int64(index)))
            while let next = receiver.nextPacket() { received.append(next) }
        }
        return (received, receiver.stream.isReplaced)
    }

    @Test("its second packet on is taken, whatever its numbers, and nothing is begun anew")
    func lonePacket() {
        let (received, isReplaced) = Self.taken([(ssrc: 7, number: 5)] + (0..<100).map { (ssrc: 8, number: 40_000 + $0) })
        #expect(received.count == 100 && !isReplaced)
        #expect(received.map(\.sequenceNumber) == [5] + (40_001..<40_100))
        #expect(received.indices.filter { received[$0].beginsAnew } == [1])
        #expect(received[1].capturedAt == nil)
    }

    @Test("beside the first one it is let be")
    func beside() {
        let (received, isReplaced) = Self.taken(
            (0..<60).flatMap { [(ssrc: 7, number: 5 + $0), (ssrc: 8, number: 40_000 + $0)] })
        #expect(received.count == 60 && received.allSatisfy { !$0.beginsAnew } && !isReplaced)
    }

    @Test("in place of one that had been heard for long all is begun anew")
    func longHeard() {
        let (received, isReplaced) = Self.taken(
            (0..<200).map { (ssrc: 7, number: $0) } + (0..<60).map { (ssrc: 8, number: 40_000 + $0) })
        #expect(received.count == 200 && isReplaced)
    }
}

/// Numbers of long ago under the same name: SRTP opens none of them (`SRTPSessionTests`).
@Suite("Another stream in place of one, which can't be opened")
struct RefusedStreamTests {
    enum Refusal: CaseIterable { case replayed, forged }

    private static func packet(_ number: UInt16, ssrc: UInt32, _ refusal: Refusal) -> [UInt8] {
        var bytes: [UInt8] = []
        RTPHeader(marker: true, payloadType: 102, sequenceNumber: number, timestamp: 3000 * UInt32(number), ssrc: ssrc)
            .append(to: &bytes, extensions: HeaderExtensions(), map: ExtensionMap())
        // With the number of a packet that came.
        bytes = TransparentSecurity.protected(bytes + [0x41, 0x9A, 0x00], number: 1)
        if refusal == .forged { bytes[bytes.count - 1] ^= 1 }
        return bytes
    }

    /// After how many milliseconds a viewer leaves, where such a packet comes every 100 ms for four seconds.
    private static func left(
        _ refusal: Refusal, ssrc: UInt32 = 0xAAAA, beside: Bool = false, numbers: (UInt16) -> UInt16 = { 300 + $0 }
    ) -> Int? {
        var share = Share(PeerPair(seed: 5))
        share.run(for: .seconds(2))
        share.pair.run(for: .milliseconds(500))
        for index in 0..<40 as Range<UInt16> {
            share.pair.receiveAtViewer(datagram: packet(numbers(index), ssrc: ssrc, refusal))
            if case .disconnected(.streamReplaced) = share.pair.viewerEvents.last { return 100 * Int(index) }
            if beside { share.run(for: .milliseconds(100)) } else { share.pair.run(for: .milliseconds(100)) }
        }
        return nil
    }

    @Test("counts after two seconds in which nothing else came, though nothing of it is taken", arguments: Refusal.allCases)
    func alone(refusal: Refusal) { #expect(Self.left(refusal) == 2000) }

    @Test("beside the stream itself it is let be, and so is what has another name or no order", arguments: Refusal.allCases)
    func beside(refusal: Refusal) {
        #expect(Self.left(refusal, beside: true) == nil)
        #expect(Self.left(refusal, ssrc: 0xABCD) == nil)
        #expect(Self.left(refusal) { $0 &* 7919 } == nil)
    }

    @Test("counts for sound as well")
    func sound() {
        var receiver = AudioReceiver(AudioReceiveParameters(payloadType: 111, redundancyPayloadType: nil))
        func header(_ number: UInt16) -> RTPHeader {
            RTPHeader(marker: false, payloadType: 111, sequenceNumber: number, timestamp: 960 * UInt32(number), ssrc: 7)
        }
        var bytes: [UInt8] = []
        header(20_000).append(to: &bytes, extensions: HeaderExtensions(), map: ExtensionMap())
        receiver.receive(bytes + [0xF8, 0xFF, 0xFE], clock: ReportedClock(clockRate: 48_000), at: .zero)
        for index in 0...100 as ClosedRange<UInt16> {
            #expect(!receiver.stream.isReplaced)
            receiver.stream.refuse(header(3000 + index), at: .zero + .milliseconds(20 * Int64(index)))
        }
        #expect(receiver.stream.isReplaced)
    }
}
