import DequeModule
import Timebase

/// What has left towards one peer and is not reported yet, by transport-wide number.
///
/// Feedback on numbers that never left, or were reported before, says nothing: a lying peer can only tell of what was
/// sent.
package struct SentPackets: Sendable {
    private struct Entry: Sendable {
        var sentAt: Instant
        var bytes: Int
        var fate = Fate.inFlight
    }

    private enum Fate: Sendable {
        case inFlight
        /// Reported as lost, or given up: it may still turn up.
        case missing
        case delivered
    }

    private var entries: Deque<Entry> = []
    private var first: Int64 = 0
    package private(set) var bytesInFlight = 0

    package init() {}

    /// When the oldest packet in flight left; nil where none is.
    package var oldestInFlight: Instant? { entries.first { $0.fate == .inFlight }?.sentAt }

    /// Numbers ascend without gaps; a gap starts anew.
    package mutating func record(_ number: Int64, bytes: Int, at now: Instant) {
        if number != first + Int64(entries.count) {
            entries.removeAll(keepingCapacity: true)
            (first, bytesInFlight) = (number, 0)
        }
        entries.append(Entry(sentAt: now, bytes: bytes))
        bytesInFlight += bytes
        while entries.count > Limits.sentPackets { forgetOldest() }
    }

    /// The number that a peer means by 16 bits: the newest that ends so.
    package func number(of wrapped: UInt16) -> Int64? {
        guard !entries.isEmpty else { return nil }
        let last = first + Int64(entries.count) - 1
        let number = last - Int64(UInt16(truncatingIfNeeded: last) &- wrapped)
        return number >= first ? number : nil
    }

    /// Takes note of a packet's fate.
    /// - Parameter arrival: nil where it was lost.
    /// - Returns: nil where that is nothing new.
    package mutating func report(_ number: Int64, arrival: Duration?) -> PacketReport? {
        let index = Int(clamping: number.subtractingSaturating(first))
        guard entries.indices.contains(index) else { return nil }
        let entry = entries[index]
        switch (entry.fate, arrival) {
        case (.delivered, _), (.missing, nil): return nil
        case (.inFlight, _):
            bytesInFlight -= entry.bytes
            entries[index].fate = arrival == nil ? .missing : .delivered
        case (.missing, .some): entries[index].fate = .delivered
        }
        trim()
        return PacketReport(number: number, sentAt: entry.sentAt, bytes: entry.bytes, arrival: arrival)
    }

    /// Gives up what left before `instant`: no feedback will come of it in time.
    package mutating func giveUp(before instant: Instant) {
        for index in entries.indices {
            guard entries[index].sentAt < instant else { break }
            guard entries[index].fate == .inFlight else { continue }
            entries[index].fate = .missing
            bytesInFlight -= entries[index].bytes
        }
    }

    /// Gives up what has a lower number: the feedback on it was lost.
    package mutating func giveUp(below number: Int64) {
        let end = Int(clamping: max(0, min(Int64(entries.count), number.subtractingSaturating(first))))
        for index in 0..<end where entries[index].fate == .inFlight {
            entries[index].fate = .missing
            bytesInFlight -= entries[index].bytes
        }
    }

    /// What was delivered is of no more use once nothing before it is open.
    private mutating func trim() {
        while let oldest = entries.first, oldest.fate == .delivered { forgetOldest() }
    }

    private mutating func forgetOldest() {
        let oldest = entries.removeFirst()
        if oldest.fate == .inFlight { bytesInFlight -= oldest.bytes }
        first += 1
    }
}
