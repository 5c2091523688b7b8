import RTP

/// A packet that stands for sound which never came.
struct FillPacket {
    let bytes: [UInt8]
    /// At 48 kHz.
    let samples: Int64

    /// Packets of nothing but a table of contents, which a decoder conceals, for as much of the time as 2.5 ms measure.
    ///
    /// "Using the same mode, audio bandwidth, channel count, and frame size as the previous packet" suits every
    /// decoder best (RFC 7845 § 4.1); what is shorter than such a frame is CELT's.
    static func concealing(_ samples: Int64, after toc: OpusTOC) -> [FillPacket] {
        let single = OpusTOC(byte: toc.byte & 0xFC)
        return filling(samples, with: [single] + celt(toc.bandwidth, channels: toc.channels), body: [])
    }

    /// Packets in which CELT says that there is silence (RFC 6716 § 4.3), likewise.
    static func silence(_ samples: Int64) -> [FillPacket] {
        filling(samples, with: celt(.fullband, channels: 2), body: [0xFF, 0xFE])
    }

    /// As many as fit of the first kind, then of the next.
    private static func filling(_ samples: Int64, with tocs: [OpusTOC], body: [UInt8]) -> [FillPacket] {
        var rest = samples
        return tocs.flatMap { toc in
            let packet = FillPacket(bytes: [toc.byte] + body, samples: Int64(toc.frameSamples))
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
