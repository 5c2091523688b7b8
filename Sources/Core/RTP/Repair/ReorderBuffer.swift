import DequeModule
import Timebase

/// Brings packets into the order of their sequence numbers. What comes in order passes at once; behind a gap packets
/// wait, until it is filled or the longest wait is over.
package struct ReorderBuffer<Element: Sendable>: Sendable {
    package enum Output: Sendable {
        case packet(sequenceNumber: Int64, Element)
        /// Given up: these will not come any more.
        case lost(Range<Int64>)
    }

    package enum Insertion: Hashable, Sendable {
        case accepted
        /// Already here, already delivered or already given up.
        case dropped
    }

    private struct Slot: Sendable {
        var element: Element
        var arrivedAt: Instant
    }

    /// From `next` on; nil where a number is missing. The last one is never nil.
    private var slots: Deque<Slot?> = []
    /// The number to deliver next; nil before the first packet.
    private var next: Int64?
    /// Since when there has been a gap at the front.
    private var gapSince: Instant?
    /// Gaps up to this number are not waited for.
    private var abandoned = Int64.min
    private var overflow: Range<Int64>?
    package var longestWait: Duration
    private let capacity: Int

    package init(longestWait: Duration, capacity: Int = Limits.reorderCapacity) {
        self.longestWait = longestWait
        self.capacity = max(1, capacity)
    }

    /// Packets held behind a gap, and the gaps between them.
    package var span: Int { slots.count }

    /// When `nextOutput` will give up a gap.
    package var deadline: Instant? { gapSince.map { $0 + longestWait } }

    /// Takes a packet; drain `nextOutput` afterwards.
    package mutating func insert(_ element: Element, sequenceNumber: Int64, at now: Instant) -> Insertion {
        let next = self.next ?? sequenceNumber
        self.next = next
        guard sequenceNumber >= next else { return .dropped }
        if sequenceNumber - next >= Int64(capacity) {
            jump(to: sequenceNumber)
        }
        let index = Int(sequenceNumber - (self.next ?? sequenceNumber))
        while slots.count <= index { slots.append(nil) }
        guard slots[index] == nil else { return .dropped }
        slots[index] = Slot(element: element, arrivedAt: now)
        if slots[0] == nil, gapSince == nil { gapSince = now }
        if index == 0 { gapSince = nil }
        return .accepted
    }

    /// Gaps up to `sequenceNumber` are given up with the next output.
    package mutating func abandon(through sequenceNumber: Int64) {
        abandoned = max(abandoned, sequenceNumber)
    }

    /// The next packet, or the gap that has been waited for long enough; nil where there is nothing to do now.
    package mutating func nextOutput(at now: Instant) -> Output? {
        if let lost = overflow {
            overflow = nil
            return .lost(lost)
        }
        guard let next, let front = slots.first else { return nil }
        if let slot = front {
            slots.removeFirst()
            self.next = next + 1
            noticeGap()
            return .packet(sequenceNumber: next, slot.element)
        }
        let isOverdue = deadline.map { $0 <= now } ?? true
        guard isOverdue || next <= abandoned else { return nil }
        let missing = slots.prefix { $0 == nil }.count
        slots.removeFirst(missing)
        self.next = next + Int64(missing)
        noticeGap()
        return .lost(next..<(next + Int64(missing)))
    }

    /// A gap that comes to the front has been there since the first packet behind it came.
    private mutating func noticeGap() {
        guard let front = slots.first, front == nil else {
            gapSince = nil
            return
        }
        gapSince = slots.lazy.compactMap { $0?.arrivedAt }.min()
    }

    /// A number too far ahead: what is held is behind gaps that nobody can wait for.
    private mutating func jump(to sequenceNumber: Int64) {
        let start = overflow?.lowerBound ?? next ?? sequenceNumber
        overflow = start..<sequenceNumber
        slots.removeAll(keepingCapacity: true)
        next = sequenceNumber
        gapSince = nil
    }
}
