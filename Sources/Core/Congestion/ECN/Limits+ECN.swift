import Timebase

/// Explicit congestion notification (ECN).
extension Limits {
    // MARK: The answer

    /// What is sent after a mark that counts as a loss: BETA_ECN of RFC 8298 § 4.1.1.1. RFC 8511 likewise takes less off
    /// than for a loss, for who marks has a short queue.
    static let yieldToMark = 0.9
    /// The weight of a round trip in the averaged part that is marked: g of RFC 8257 § 3.3.
    static let gainOfMarks = 1.0 / 16
    /// Packets by which it is told what part is marked of late: after so many their counts are halved.
    static let packetsOfPart = 500
    /// C squared in what TCP has among so many marks, where each packet is acknowledged (M. Mathis et al., 1997, eq. 3).
    static let squareOfMathis = 1.5
    /// The part that is marked counts as no less than this in what TCP has: that stays finite.
    static let leastPartOfMarks = 1e-4
    /// Seconds that a round trip counts as in what TCP has among marks, at least: likewise.
    static let leastRoundTripOfMarks = 0.01

    // MARK: The test

    /// Packets without a permission to mark between two with one, at least: a path that drops those loses a tenth of what it
    /// carries meanwhile, as repair is made for.
    static let packetsPerECNTest = 9
    /// Between two packets with a permission, at least.
    static let ecnTestInterval = Duration.milliseconds(20)
    /// Packets with a permission in one test.
    static let ecnTests = 10
    /// A test of which nothing comes with ECT is given up after this time.
    static let ecnTestTime = Duration.seconds(2)
    /// Packets that tell whether ECT is wiped out on the way, or not told of.
    static let packetsOfECNCheck = 50
    /// ECN feedback comes once a second; the RTCP interval of RFC 3550 § 6.2 may be as long as this.
    static let longestECNFeedbackInterval = Duration.seconds(5)

    // MARK: What marks whatever comes

    /// The share of packets with a mark of congestion, of those that may have one, above which nearly all have.
    static let saturation = 0.9
    /// Where nearly all packets were marked without a queue, and still are when so little is left of what was sent,
    /// something marks whatever comes.
    static let fallOfSaturation = 0.125
    /// Fewer packets than this are not all of them.
    static let packetsOfSaturation = 10

    // MARK: Failure

    /// A network that failed is tried again after this time, for it may be another by then; after each failure in a row
    /// twice as late.
    static let ecnRetry = Duration.seconds(60)
    /// How often `ecnRetry` is doubled at most: up to half an hour.
    static let ecnRetryDoublings = 5
    /// So many packets with a permission to mark vanish together where none with one passes.
    static let packetsOfDoubt = 3
    /// A path that loses such a share may do so for the permission to mark, on one of two ways that it has (RFC 6679
    /// § 7.4.1).
    static let lossOfMarkable = 0.2
}
