/// What a viewer's path lets through.
package struct PathState: Hashable, Sendable {
    /// For pictures, sound and repairs together, in bits per second.
    package var pathRate: Int
    /// For pictures, without headers and repairs.
    package var bitsPerSecond: Int
    /// Pictures wait to leave: another one would only wait behind them.
    package var isCongested: Bool
    /// It is but a picture made sharper, which hurries for what is new.
    package var yields = false
    /// Less passes than pictures take at the very least.
    package var isStarved: Bool
    /// Less passes than there may be.
    package var isLimited: Bool
    /// It is known to take that. Of a peer that tells nothing of single packets it is only believed from when something was too
    /// much until as much has passed again: its rate grows where nothing is sent as well.
    package var isProven = true
}

/// What is known of a peer's path.
package struct PathStatistics: Sendable {
    package var target: Int
    /// Nil where the peer does not tell what came.
    package var capacity: Int?
    package var queueDelay: Duration
    package var loss: Double
    /// Packets carry ECT.
    package var isMarkable: Bool
    /// How many came with CE.
    package var congestionMarks: Int
}
