/// Which source packets stand in which repair packets.
///
/// Of a group's own repair packets, source packet i stands in those where αⁱ of GF(2ᵏ) has a one: any k packets in a row are
/// independent of each other, so that a run of k lost ones is recovered from k repair packets, and other losses of up to k
/// nearly always. The repair packets of later groups add equations that are independent of those more often than not.
package enum FlexFECPattern {
    /// Primitive polynomials over GF(2), without their highest term, for 1…8 repair packets.
    private static let polynomials: [UInt16] = [0b1, 0b11, 0b011, 0b0011, 0b0_0101, 0b00_0011, 0b000_0011, 0b0001_1101]

    package static let mostRepairPackets = 8
    /// Repair packets of later groups that cover a group, about: whoever lost so much is better served by retransmission.
    static let longestAge = 12

    /// One bit for each repair packet, for each of `count` source packets in a row.
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

    /// Whether a source packet of an earlier group stands in a repair packet.
    ///
    /// While both are young, where the binomial coefficient of number and age is odd: over n packets in a row those of the
    /// ages 0 to n - 1 are independent (a Pascal matrix has the determinant 1), so that behind one repair packet for each
    /// group a run of n lost packets is back after n of them. Later by chance, for such patterns get sparse.
    ///
    /// - Parameter age: repair packets that were made since those of its group began.
    static func includes(_ number: UInt16, age: Int) -> Bool {
        let age = UInt16(truncatingIfNeeded: age)
        // Lucas: no bit of the age may be missing in the number.
        if age < 4 { return number & age == age }
        // The highest bit of a hash that mixes both (xxHash's primes).
        var hash = (UInt32(number) << 16 | UInt32(age)) &* 0x9E37_79B1
        hash ^= hash >> 15
        return (hash &* 0x85EB_CA77) >> 31 == 1
    }
}
