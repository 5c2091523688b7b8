/// Emulation prevention (ITU-T H.264 § 7.4.1): within a NAL unit a 3 is put before every byte 0…3 that follows two
/// zeros, so that no start code appears by chance.
enum EmulationPrevention {
    /// The RBSP: the bytes after the NAL unit's header, without the added threes. Reads no more than `limit` bytes.
    static func rbsp(_ bytes: [UInt8], _ nalUnit: Range<Int>, limit: Int) -> [UInt8] {
        var rbsp: [UInt8] = []
        let body = nalUnit.dropFirst().prefix(limit).clamped(to: bytes.indices)
        rbsp.reserveCapacity(body.count)
        var zeros = 0
        for byte in bytes[body] {
            if zeros >= 2, byte == 3 {
                zeros = 0
                continue
            }
            zeros = byte == 0 ? zeros + 1 : 0
            rbsp.append(byte)
        }
        return rbsp
    }

    /// A NAL unit of a header byte and an RBSP.
    static func nalUnit(header: UInt8, rbsp: [UInt8]) -> [UInt8] {
        var nalUnit = [header]
        nalUnit.reserveCapacity(rbsp.count + 8)
        var zeros = 0
        for byte in rbsp {
            if zeros >= 2, byte <= 3 {
                nalUnit.append(3)
                zeros = 0
            }
            zeros = byte == 0 ? zeros + 1 : 0
            nalUnit.append(byte)
        }
        return nalUnit
    }
}
