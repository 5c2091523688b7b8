import DequeModule
import Timebase

/// What a sender has sent to one viewer, for as long as it may be asked for again: from each of the viewer's sequence
/// numbers to the shared payload.
package struct RetransmissionHistory: Sendable {
    /// A packet as it can be made again.
    package struct Packet: Sendable {
        package let unit: PacketizedUnit
        package let payloadIndex: Int

        package init(unit: PacketizedUnit, payloadIndex: Int) {
            self.unit = unit
            self.payloadIndex = payloadIndex
        }

        package var payload: ArraySlice<UInt8> { unit.bytes[unit.payloads[payloadIndex]] }
        package var isMarked: Bool { unit.isMarked(payloadIndex) }
    }

    package enum Answer: Sendable {
        /// And how long ago it was sent again before, nil where it was not, and first.
        case resend(Packet, since: Duration?, age: Duration)
        /// Never sent, or no longer kept.
        case unknown
        /// Sent again just now, or about to be: that one is still on its way.
        case tooSoon
        /// The budget for repair is spent.
        case refused
    }

    /// In 48 bytes: ten viewers have tens of thousands of them.
    private struct Entry: Sendable {
        private let unit: PacketizedUnit
        private let payloadIndex: UInt32
        /// It is to leave again, and has not.
        var isWaiting = false
        let sentAt: Instant
        /// When it left again, in nanoseconds.
        @Compact private var resent: Int64? = nil
        /// As which packets of the path it left last, and a copy of it behind that.
        @Compact var leftAs: Int64? = nil
        @Compact var copiedAs: Int64? = nil

        init(_ packet: Packet, sentAt: Instant, leftAs: Int64?) {
            unit = packet.unit
            payloadIndex = UInt32(packet.payloadIndex)
            self.sentAt = sentAt
            self.leftAs = leftAs
        }

        var packet: Packet { Packet(unit: unit, payloadIndex: Int(payloadIndex)) }
        var bytes: Int { unit.payloads[Int(payloadIndex)].count }

        var resentAt: Instant? {
            get { resent.map { Instant(nanoseconds: $0) } }
            set { resent = newValue?.nanoseconds }
        }

        /// Neither of the two has come.
        func isGone(_ isLost: (Int64) -> Bool) -> Bool {
            guard let leftAs else { return false }
            return isLost(leftAs) && (copiedAs.map(isLost) ?? true)
        }
    }

    /// A number or none in eight bytes, not sixteen.
    @propertyWrapper
    private struct Compact: Sendable {
        private var number = Int64.min

        init(wrappedValue: Int64?) { self.wrappedValue = wrappedValue }

        var wrappedValue: Int64? {
            get { number == .min ? nil : number }
            set { number = newValue ?? .min }
        }
    }

    static var bytesOfEntry: Int { MemoryLayout<Entry?>.stride }

    /// Entries from `first` on, one for each sequence number; nil for what cannot be sent again (probes).
    private var entries: Deque<Entry?> = []
    private var first: Int64 = 0
    private var bytes = 0
    private let maximumPackets: Int
    private let maximumBytes: Int
    /// What left longer ago is not sent again.
    package var maximumAge: Duration

    package init(
        maximumPackets: Int = Limits.historyPackets, maximumBytes: Int = Limits.historyBytes,
        maximumAge: Duration = Limits.historyAge
    ) {
        // A sequence number of 16 bits must name one entry.
        self.maximumPackets = max(1, min(maximumPackets, 1 << 15))
        self.maximumBytes = maximumBytes
        self.maximumAge = maximumAge
    }

    package var count: Int { entries.count }

    /// Notes a packet that leaves now. Sequence numbers (unwrapped) ascend; what a gap skips counts as not repeatable.
    ///
    /// - Parameter packet: which one of the path it is.
    /// - Precondition: `payloadIndex` is one of the unit's.
    package mutating func record(
        sequenceNumber: Int64, unit: PacketizedUnit, payloadIndex: Int, as packet: Int64? = nil, at now: Instant
    ) {
        let next = first + Int64(entries.count)
        if entries.isEmpty || sequenceNumber - next >= Int64(maximumPackets) {
            removeAll()
            first = sequenceNumber
        } else if sequenceNumber < next {
            return
        }
        while first + Int64(entries.count) < sequenceNumber { entries.append(nil) }
        let entry = Entry(Packet(unit: unit, payloadIndex: payloadIndex), sentAt: now, leftAs: packet)
        entries.append(entry)
        bytes += entry.bytes
        trim(at: now)
    }

    /// The packet that left last, where it can be sent again.
    package var newest: Packet? { entries.last.flatMap { $0?.packet } }

    /// Answers a NACK for one sequence number, as it stands on the wire.
    ///
    /// - Parameters:
    ///   - pause: one packet is sent again at most once in this time, as long as nobody knows what became of it.
    ///   - isLost: whether a packet of the path, which was sent again, is known not to have come.
    ///   - budget: asked last, with the bytes of payload it would cost.
    package mutating func resend(
        _ sequenceNumber: UInt16, at now: Instant, pause: Duration, isLost: (Int64) -> Bool = { _ in false },
        budget: (Int) -> Bool
    ) -> Answer {
        trim(at: now)
        let index = index(of: sequenceNumber)
        guard index >= 0, var entry = entries[index] else { return .unknown }
        let since = entry.resentAt.map { now - $0 }
        if entry.isWaiting { return .tooSoon }
        if let since, since < pause, !entry.isGone(isLost) { return .tooSoon }
        guard budget(entry.bytes) else { return .refused }
        entry.isWaiting = true
        entries[index] = entry
        return .resend(entry.packet, since: since, age: now - entry.sentAt)
    }

    /// Whether a packet has left a second time.
    package func wasSentAgain(_ sequenceNumber: UInt16) -> Bool {
        let index = index(of: sequenceNumber)
        return index >= 0 && entries[index]?.resentAt != nil
    }

    /// Whether that, or it is about to.
    package func wasAskedFor(_ sequenceNumber: UInt16) -> Bool {
        let index = index(of: sequenceNumber)
        return index >= 0 && (entries[index].map { $0.isWaiting || $0.resentAt != nil } ?? false)
    }

    /// What `resend` gave leaves now, or a copy of it.
    ///
    /// - Parameter packet: which one of the path it is.
    package mutating func left(_ sequenceNumber: UInt16, as packet: Int64? = nil, at now: Instant) {
        let index = index(of: sequenceNumber)
        guard index >= 0, let entry = entries[index], entry.isWaiting || entry.resentAt != nil else { return }
        guard entry.isWaiting else {
            entries[index]?.copiedAs = packet
            return
        }
        entries[index]?.resentAt = now
        entries[index]?.isWaiting = false
        entries[index]?.leftAs = packet
        entries[index]?.copiedAs = nil
    }

    /// What `resend` gave is not sent after all: it is there for who asks for it again.
    package mutating func withdraw(_ sequenceNumber: UInt16) {
        let index = index(of: sequenceNumber)
        if index >= 0 { entries[index]?.isWaiting = false }
    }

    /// What of that which left since then has not come, when last it was sent.
    ///
    /// - Parameters:
    ///   - lost: packets of the path of which it was told just now.
    ///   - isLost: whether one is known not to have come.
    package func missing(_ lost: Set<Int64>, isLost: (Int64) -> Bool, since: Instant) -> [UInt16] {
        var missing: [UInt16] = []
        for (index, entry) in entries.enumerated().reversed() {
            guard let entry else { continue }
            if entry.sentAt < since { break }
            let isTold = entry.leftAs.map(lost.contains) == true || entry.copiedAs.map(lost.contains) == true
            guard isTold, !entry.isWaiting, entry.isGone(isLost) else { continue }
            missing.append(UInt16(truncatingIfNeeded: first + Int64(index)))
        }
        return missing.reversed()
    }

    /// Of the newest number with these 16 bits; the history is shorter than their range.
    private func index(of sequenceNumber: UInt16) -> Int {
        Int((first + Int64(entries.count) - 1).last(endingIn: sequenceNumber) - first)
    }

    /// Forgets everything, so that nothing from before a pause is ever sent again.
    package mutating func removeAll() {
        entries.removeAll(keepingCapacity: true)
        bytes = 0
    }

    private mutating func trim(at now: Instant) {
        while !entries.isEmpty {
            let isTooMuch = entries.count > maximumPackets || bytes > maximumBytes
            // A number without a packet goes once it is the oldest.
            if !isTooMuch, let sentAt = entries[0]?.sentAt, now - sentAt <= maximumAge { return }
            bytes -= entries.removeFirst()?.bytes ?? 0
            first += 1
        }
    }
}
