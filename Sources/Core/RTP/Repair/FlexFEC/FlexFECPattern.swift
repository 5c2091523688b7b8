/// Which of a group's source packets stand in which of its repair packets.
///
/// Source packet i stands in those where αⁱ of GF(2ᵏ) has a one: any k packets in a row are independent of each other, so
/// that a run of k lost ones is recovered from k repair packets, and other losses of up to k nearly always.
package enum FlexFECPattern {
    /// Primitive polynomials over GF(2), without their highest term, for 1…8 repair packets.
    private static let polynomials: [UInt16] = [0b1, 0b11, 0b011, 0b0011, 0b0_0101, 0b00_0011, 0b000_0011, 0b0001_1101]

    package static let mostRepairPackets = 8

    /// One bit for each repair packet, for each of `count` source packets.
    static func memberships(of count: Int, in repairPackets: Int) -> [UInt16] {
        let repairPackets = max(1, min(mostRepairPackets, repairPackets))
        let (top, polynomial) = (UInt16(1) << UInt16(repairPackets), polynomials[repairPackets - 1])
        var power: UInt16 = 1
        return (0..<max(0, count)).map { _ in
            defer {
                power <<= 1
                if power & top != 0 { power = (power ^ top) ^ polynomial }
                if repairPackets == 1 { power = 1 }
            }
            return power
        }
    }
}
