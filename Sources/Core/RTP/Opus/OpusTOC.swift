/// The table of contents that an Opus packet begins with (RFC 6716 § 3.1).
package struct OpusTOC: Hashable, Sendable {
    package enum Mode: Hashable, Sendable {
        /// Linear prediction: speech of up to 8 kHz bandwidth.
        case silk
        /// SILK up to 8 kHz, CELT above.
        case hybrid
        /// Transform coding: music, and all that is rich in bits.
        case celt
    }

    /// Ordered by the highest frequency that is coded: 4, 6, 8, 12 and 20 kHz.
    package enum Bandwidth: Int, Hashable, Sendable, Comparable {
        case narrowband, mediumband, wideband, superwideband, fullband

        package static func < (a: Bandwidth, b: Bandwidth) -> Bool { a.rawValue < b.rawValue }
    }

    package let byte: UInt8

    init(byte: UInt8) {
        self.byte = byte
    }

    /// "config", 0 to 31 (table 2).
    private var configuration: Int { Int(byte >> 3) }

    package var mode: Mode {
        switch configuration {
        case ..<12: .silk
        case ..<16: .hybrid
        default: .celt
        }
    }

    package var bandwidth: Bandwidth {
        switch configuration {
        case ..<4, 16..<20: .narrowband
        case ..<8: .mediumband
        case ..<12, 20..<24: .wideband
        case 12..<14, 24..<28: .superwideband
        default: .fullband
        }
    }

    /// Of what was encoded; a decoder gives as many as it was told to.
    package var channels: Int { byte & 0x04 == 0 ? 1 : 2 }

    /// One frame's duration in samples at 48 kHz: 120 (2.5 ms) to 2880 (60 ms).
    var frameSamples: Int {
        switch mode {
        case .silk: [480, 960, 1920, 2880][configuration & 3]
        case .hybrid: [480, 960][configuration & 1]
        case .celt: 120 << (configuration & 3)
        }
    }

    /// "c": how frames are packed (§ 3.2).
    var code: UInt8 { byte & 0x03 }
}
