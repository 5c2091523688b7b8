import Testing

@testable import RTP

@Suite("What stands in a file for sound that never came")
struct OpusFillTests {
    /// Packets of 20 ms, fullband stereo.
    private static let toc = OpusTOC(byte: 31 << 3 | 0x04)

    /// A table of contents alone is concealed; silence says so.
    private static func samples(_ packets: [OpusFill.Packet], concealed: Bool) -> Int64 {
        packets.filter { ($0.bytes.count == 1) == concealed }.reduce(0) { $0 + $1.samples }
    }

    @Test("Half a second is concealed, be it in parts, and the rest of a gap is silence")
    func longGap() {
        var fill = OpusFill()
        fill.note(Self.toc)
        let first = fill.packets(9_600)
        #expect(Self.samples(first, concealed: true) == 9_600 && Self.samples(first, concealed: false) == 0)
        let second = fill.packets(480_000)
        #expect(Self.samples(second, concealed: true) == 14_400 && Self.samples(second, concealed: false) == 465_600)
        let third = fill.packets(480_000)
        #expect(Self.samples(third, concealed: true) == 0 && Self.samples(third, concealed: false) == 480_000)
    }

    @Test("Behind a packet that came it begins anew; what 2.5 ms do not measure is left out")
    func begun() {
        var fill = OpusFill()
        fill.note(Self.toc)
        _ = fill.packets(480_000)
        fill.note(Self.toc)
        let packets = fill.packets(1_300)
        #expect(Self.samples(packets, concealed: true) == 1_200 && Self.samples(packets, concealed: false) == 0)
    }
}
