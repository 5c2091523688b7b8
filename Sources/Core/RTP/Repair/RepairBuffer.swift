import Timebase

/// A receiver's way from packets as they come to packets in order: reordering, and asking again for what is missing.
///
///     buffer.receive(packet, sequenceNumber: …, at: now)
///     while let output = buffer.nextOutput(at: now) { … }     // and again at `deadline`
package struct RepairBuffer<Element: Sendable>: Sendable {
    package enum Output: Sendable {
        case packet(sequenceNumber: Int64, Element)
        /// These are given up: what needs them cannot be decoded, a keyframe is needed.
        case lost(Range<Int64>)
        /// To be sent as generic NACK, ascending as sequence numbers wrap; repeated where any was asked for before.
        case request([UInt16], isRepeated: Bool)
    }

    private var unwrapper = Unwrapper<UInt16>()
    private var reorder: ReorderBuffer<Element>
    private var tracker: NACKTracker
    /// Packets that came twice, or after they were given up.
    package private(set) var packetsDropped = 0
    package private(set) var packetsLost: Int64 = 0

    /// - Parameter longestWait: how long a gap may hold back what is behind it.
    package init(longestWait: Duration, roundTripTime: Duration) {
        reorder = ReorderBuffer(longestWait: longestWait)
        tracker = NACKTracker(roundTripTime: roundTripTime)
    }

    package var longestWait: Duration {
        get { reorder.longestWait }
        set { reorder.longestWait = newValue }
    }

    package var roundTripTime: Duration {
        get { tracker.roundTripTime }
        set { tracker.roundTripTime = newValue }
    }

    /// From a request to what it brings, as a rule.
    package var usualAnswer: Duration { tracker.usualAnswer }

    /// What is known of the round trip, and of answers: the shorter of both.
    package var quickestAnswer: Duration { tracker.quickestAnswer }

    /// How long repair packets are waited for before a packet is asked for; nil where none come.
    package var repairPacketPatience: Duration? {
        get { tracker.repairPacketPatience }
        set { tracker.repairPacketPatience = newValue }
    }

    /// Repair packets for all up to this number are coming in.
    ///
    /// - Parameter isRepairPacket: one of them is there; else it was the last source packet that they are for.
    package mutating func repairPacketsCome(upTo sequenceNumber: UInt16, isRepairPacket: Bool = false, at now: Instant) {
        tracker.repairPacketsCome(upTo: unwrapper.peek(sequenceNumber), isRepairPacket: isRepairPacket, at: now)
    }

    /// Gives up all before a packet: what begins there needs nothing of it.
    /// - Returns: that packet's number, not wrapped.
    package mutating func abandon(before sequenceNumber: UInt16) -> Int64 {
        let number = unwrapper.peek(sequenceNumber)
        reorder.abandon(through: number - 1)
        tracker.abandon(below: number)
        return number
    }

    /// Sequence numbers asked for so far, repetitions included.
    package var requestsMade: Int { tracker.requestsMade }

    /// What was asked for and has not come, in the order of a request.
    package var awaited: [UInt16] {
        tracker.awaited.map { UInt16(truncatingIfNeeded: $0) }
    }

    /// When `nextOutput` must be called again; nil where nothing is missing.
    package var deadline: Instant? { [reorder.deadline, tracker.deadline].compactMap { $0 }.min() }

    /// Takes a packet with the sequence number of the original stream, repaired or not.
    ///
    /// - Parameter isAnswer: whether it was sent again (RFC 4588).
    /// - Returns: whether it was still missing.
    @discardableResult
    package mutating func receive(
        _ element: Element, sequenceNumber: UInt16, isAnswer: Bool = false, at now: Instant
    ) -> Bool {
        let number = unwrapper.unwrap(sequenceNumber)
        if tracker.receive(number, isAnswer: isAnswer, at: now) == .tooManyMissing { reorder.abandon(through: number) }
        let isNew = reorder.insert(element, sequenceNumber: number, at: now) == .accepted
        if !isNew { packetsDropped += 1 }
        return isNew
    }

    /// What is to be done now; nil where there is nothing before `deadline`.
    package mutating func nextOutput(at now: Instant) -> Output? {
        let due = tracker.takeDue(at: now)
        if let abandoned = due.abandoned { reorder.abandon(through: abandoned) }
        if !due.requests.isEmpty {
            return .request(due.requests.map { UInt16(truncatingIfNeeded: $0) }, isRepeated: due.isRepeated)
        }
        switch reorder.nextOutput(at: now) {
        case .packet(let number, let element):
            return .packet(sequenceNumber: number, element)
        case .lost(let range):
            tracker.abandon(below: range.upperBound)
            packetsLost += Int64(range.count)
            return .lost(range)
        case nil:
            return nil
        }
    }
}
