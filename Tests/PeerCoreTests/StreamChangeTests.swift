import Datagrams
import RTP
import Testing
import Timebase

@testable import PeerCore

@Suite("Another stream in place of one")
struct StreamChangeTests {
    private static func receiver() -> MediaReceiver {
        MediaReceiver(
            ReceiveParameters(
                payloadTypes: [96], retransmissionPayloadTypes: [:], parityPayloadType: nil, extensions: ExtensionMap(),
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
            if receiver.isReplaced { return 100 * Int(index) }
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
