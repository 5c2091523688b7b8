/// Stands in a file for sound that never came: packets that decoders conceal, and silence where that lasts.
package struct OpusFill: Sendable {
    /// A packet that stands for sound which never came.
    package struct Packet: Sendable {
        package let bytes: [UInt8]
        /// At 48 kHz.
        package let samples: Int64
    }

    /// The last packet that came, and what was concealed since.
    private var latest: (toc: OpusTOC, concealed: Int64)?

    package init() {}

    /// A packet came.
    package mutating func note(_ toc: OpusTOC) { latest = (toc, 0) }

    /// For as much of the time as 2.5 ms measure: "only gaps that are a multiple of 2.5 ms are repairable" (RFC 7845
    /// § 4.1). Before the first packet there is nothing to conceal with: decoders are silent, and stay as the encoder began.
    package mutating func packets(_ samples: Int64) -> [Packet] {
        guard samples >= Int64(Limits.concealmentStep) else { return [] }
        let concealed = latest.map { min(samples, Limits.filledConcealment - $0.concealed) } ?? samples
        latest?.concealed += concealed
        let packets = Self.concealing(concealed, after: latest?.toc ?? Self.fullbandStereo)
        return packets + Self.silence(samples - packets.reduce(0) { $0 + $1.samples })
    }

    private static let fullbandStereo = OpusTOC(byte: 31 << 3 | 0x04)

    /// Packets of nothing but a table of contents, which a decoder conceals.
    ///
    /// "Using the same mode, audio bandwidth, channel count, and frame size as the previous packet" suits every
    /// decoder best (RFC 7845 § 4.1); what is shorter than such a frame is CELT's.
    private static func concealing(_ samples: Int64, after toc: OpusTOC) -> [Packet] {
        let single = OpusTOC(byte: toc.byte & 0xFC)
        return filling(samples, with: [single] + celt(toc.bandwidth, channels: toc.channels), body: [])
    }

    /// Packets in which CELT says that there is silence (RFC 6716 § 4.3), likewise.
    private static func silence(_ samples: Int64) -> [Packet] {
        filling(samples, with: celt(.fullband, channels: 2), body: [0xFF, 0xFE])
    }

    /// As many as fit of the first kind, then of the next.
    private static func filling(_ samples: Int64, with tocs: [OpusTOC], body: [UInt8]) -> [Packet] {
        var rest = samples
        return tocs.flatMap { toc in
            let packet = Packet(bytes: [toc.byte] + body, samples: Int64(toc.frameSamples))
            defer { rest %= packet.samples }
            return Array(repeating: packet, count: Int(rest / packet.samples))
        }
    }

    /// 20, 10, 5 and 2.5 ms; mediumband is SILK's alone, wideband the next.
    private static func celt(_ bandwidth: OpusTOC.Bandwidth, channels: Int) -> [OpusTOC] {
        let longest: UInt8 =
            switch bandwidth {
            case .narrowband: 19
            case .mediumband, .wideband: 23
            case .superwideband: 27
            case .fullband: 31
            }
        return (0...3).map { OpusTOC(byte: (longest - $0) << 3 | (channels == 2 ? 0x04 : 0)) }
    }
}
