import Timebase

/// What TCP would have, or do, in our place.
extension RateControl {
    /// M. Mathis et al., "The macroscopic behavior of the TCP congestion avoidance algorithm", 1997, eq. 3.
    func rateOfTCP(_ part: Double, _ roundTrip: Duration) -> Int {
        let packets = (Limits.squareOfMathis / max(part, Limits.leastPartOfMarks)).squareRoot()
        return Int(packets * Double(Limits.packetOfTCP * 8) / max(Limits.leastRoundTripOfMarks, roundTrip.inSeconds))
    }

    /// Beside another flow, whoever has more: Reno grows by a packet a round trip (RFC 5681 § 3.1), and gives up more where it
    /// lost; CUBIC is sooner back (RFC 9438 § 4.2), and BBR hardly yields. With 1.7, 48 to 60, 49 and 42 % of a link of 2
    /// Mbit/s are ours beside them.
    func growthOfTCP(_ roundTrip: Duration) -> Double {
        let seconds = max(Limits.leastRoundTripOfGrowth, roundTrip.inSeconds)
        return Limits.packetsOfGrowth * Double(Limits.packetOfTCP * 8) / (seconds * seconds)
    }
}
