import Datagrams
import PeerCore
import Testing

@Suite("What a datagram on the one port is taken for")
struct DatagramKindTests {
    private func kind(_ bytes: [UInt8]) -> DatagramKind { bytes.read(DatagramKind.init) }

    @Test(
        "its first byte says it, to the ends of each range (RFC 7983)",
        arguments: [
            (0, .stun), (3, .stun), (4, .unknown), (19, .unknown), (20, .handshake), (63, .handshake), (64, .unknown),
            (127, .unknown), (128, .rtp), (191, .rtp), (192, .unknown), (255, .unknown),
        ] as [(UInt8, DatagramKind)])
    func firstByte(byte: UInt8, expected: DatagramKind) {
        #expect(kind([byte, 96]) == expected)
    }

    @Test(
        "RTP or RTCP by the second (RFC 5761), whatever the first has beside the version",
        arguments: [(0, .rtp), (191, .rtp), (192, .rtcp), (223, .rtcp), (224, .rtp), (255, .rtp)] as [(UInt8, DatagramKind)])
    func secondByte(byte: UInt8, expected: DatagramKind) {
        for first in [128, 191] as [UInt8] { #expect(kind([first, byte]) == expected) }
    }

    @Test("what has no such byte is nothing")
    func short() {
        #expect(kind([]) == .unknown && kind([128]) == .unknown)
        #expect(kind([0]) == .stun && kind([63]) == .handshake)
    }
}
