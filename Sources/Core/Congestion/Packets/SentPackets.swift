import DequeModule
import Timebase

/// What has left towards one peer and is not reported yet, by transport-wide number.
///
/// Feedback on numbers that never left, or were reported before, says nothing: a lying peer can only tell of what was
/// sent.
struct SentPackets: Sendable {
    private struct Entry: Sendable {
        var sentAt: Instant
        var bytes: Int
        /// With it, those before that were not told of.
        var inFlight: Int
        var isFavoured: Bool
        var fate = Fate.inFlight
        /// It was counted as lost, not only given up.
        var isReported = false
    }

    private enum Fate: Sendable {
        case inFlight
        /// Reported as lost, or given up: it may still turn up.
        case missing
        case delivered
    }

    private var entries: Deque<Entry> = []
    private var first: Int64 = 0
    private(set) var bytesInFlight = 0
    /// Nothing below is in flight: what was lost stays among the entries for a while, and is not looked through again.
    private var firstOpen: Int64 = 0

    init() {}

    /// When the oldest packet in flight left; nil where none is.
    var oldestInFlight: Instant? {
        let index = Int(clamping: firstOpen - first)
        return entries.indices.contains(index) ? entries[index].sentAt : nil
    }

    /// Numbers ascend without gaps; a gap starts anew.
    mutating func record(_ number: Int64, bytes: Int, isFavoured: Bool = false, at now: Instant) {
        if number != first + Int64(entries.count) {
            entries.removeAll(keepingCapacity: true)
            (first, firstOpen, bytesInFlight) = (number, number, 0)
        }
        bytesInFlight += bytes
        entries.append(Entry(sentAt: now, bytes: bytes, inFlight: bytesInFlight, isFavoured: isFavoured))
        while entries.count > Limits.sentPackets { forgetOldest() }
        while entries.count > Limits.settledPackets, first < firstOpen { forgetOldest() }
        settle()
    }

    /// The number that a peer means by 16 bits: the newest that ends so.
    func number(of wrapped: UInt16) -> Int64? {
        guard !entries.isEmpty else { return nil }
        let number = (first + Int64(entries.count) - 1).last(endingIn: wrapped)
        return number >= first ? number : nil
    }

    /// It was reported not to have come.
    func isLost(_ number: Int64) -> Bool {
        let index = Int(clamping: number.subtractingSaturating(first))
        return entries.indices.contains(index) && entries[index].fate == .missing && entries[index].isReported
    }

    func isFavoured(_ number: Int64) -> Bool {
        let index = Int(clamping: number.subtractingSaturating(first))
        return entries.indices.contains(index) && entries[index].isFavoured
    }

    /// Takes note of a packet's fate.
    /// - Parameter arrival: nil where it was lost.
    /// - Returns: nil where that is nothing new.
    mutating func report(_ number: Int64, arrival: Duration?) -> PacketReport? {
        let index = Int(clamping: number.subtractingSaturating(first))
        guard entries.indices.contains(index) else { return nil }
        let entry = entries[index]
        switch (entry.fate, arrival) {
        case (.delivered, _): return nil
        // What was given up in silence is lost only once somebody says so.
        case (.missing, nil):
            if entry.isReported { return nil }
            entries[index].isReported = true
        case (.inFlight, _):
            bytesInFlight -= entry.bytes
            entries[index].fate = arrival == nil ? .missing : .delivered
            entries[index].isReported = true
        case (.missing, .some): entries[index].fate = .delivered
        }
        settle()
        return PacketReport(
            number: number, sentAt: entry.sentAt, bytes: entry.bytes, arrival: arrival, isFavoured: entry.isFavoured,
            wasLost: entry.fate == .missing && entry.isReported, inFlight: entry.inFlight)
    }

    /// Gives up what left before `instant`: no feedback will come of it in time.
    ///
    /// - Returns: how many packets that were.
    @discardableResult
    mutating func giveUp(before instant: Instant) -> Int {
        var count = 0
        while let oldest = oldestInFlight, oldest < instant {
            giveUpOldest()
            count += 1
        }
        return count
    }

    /// Gives up what has a lower number: the feedback on it was lost.
    mutating func giveUp(below number: Int64) {
        while firstOpen < number, oldestInFlight != nil { giveUpOldest() }
    }

    private mutating func giveUpOldest() {
        let index = Int(clamping: firstOpen - first)
        entries[index].fate = .missing
        bytesInFlight -= entries[index].bytes
        settle()
    }

    /// Looks for the next that is in flight; what was delivered before all others is of no more use.
    private mutating func settle() {
        let end = first + Int64(entries.count)
        while firstOpen < end, entries[Int(firstOpen - first)].fate != .inFlight { firstOpen += 1 }
        while let oldest = entries.first, oldest.fate == .delivered { forgetOldest() }
    }

    private mutating func forgetOldest() {
        let oldest = entries.removeFirst()
        if oldest.fate == .inFlight { bytesInFlight -= oldest.bytes }
        first += 1
        firstOpen = max(firstOpen, first)
    }
}
