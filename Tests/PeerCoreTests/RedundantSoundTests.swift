import RTP
import Testing
import Timebase

@testable import PeerCore

@Suite("What a viewer makes of copies of sound (RED, RFC 2198)")
struct RedundantSoundTests {
    private static let opus: UInt8 = 111
    private static let red: UInt8 = 63
    /// Full-band CELT, one frame of 20 ms.
    private static let sound: [UInt8] = [31 << 3, 0x80, 1]

    private static func packet(_ number: UInt16, type: UInt8, _ payload: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        RTPHeader(marker: false, payloadType: type, sequenceNumber: number, timestamp: 960 * UInt32(number), ssrc: 7)
            .append(to: &bytes, extensions: HeaderExtensions(), map: ExtensionMap())
        return bytes + payload
    }

    /// A copy of the packet two before, nothing of that right before, and the packet itself.
    private static func payload(nothing: UInt8) -> [UInt8] {
        // 1920 << 10 | 3 = 0x1e0003, 960 << 10 | 0 = 0x0f0000.
        [0x80 | opus, 0x1e, 0x00, 0x03, 0x80 | nothing, 0x0f, 0x00, 0x00, opus] + sound + sound
    }

    @Test("a packet of which no copy comes is lost, though one before it has a copy", arguments: [111, 13] as [UInt8])
    func missingCopy(nothing: UInt8) {
        var receiver = AudioReceiver(
            AudioReceiveParameters(payloadType: Self.opus, redundancyPayloadType: Self.red))
        let clock = ReportedClock(clockRate: 48_000)
        receiver.receive(Self.packet(10, type: Self.opus, Self.sound), clock: clock, at: .zero)
        let now: Instant = .zero + .milliseconds(60)
        receiver.receive(Self.packet(13, type: Self.red, Self.payload(nothing: nothing)), clock: clock, at: now)
        var playout = AudioPlayout()
        while let packet = receiver.nextPacket() {
            playout.receive(
                packet.bytes, copies: packet.copies, sequenceNumber: packet.sequenceNumber, timestamp: packet.timestamp,
                at: packet.receivedAt)
        }
        var heard: [PlayoutOutput.Sound] = []
        while !playout.isEmpty, let output = playout.pull(at: now + .seconds(1)) {
            if !output.isInserted { heard.append(output.sound) }
        }
        #expect(heard == [.packet(Self.sound), .packet(Self.sound), .conceal, .packet(Self.sound)])
        #expect(playout.statistics.concealedTicks == 960 && playout.statistics.pausedTicks == 0)
    }
}
