import DequeModule

/// Packets of sound that wait to be played, by timestamp.
struct PlayoutQueue: Sendable {
    struct Packet: Sendable {
        /// Unwrapped, in ticks of 1/48000 s.
        var timestamp: Int64
        /// Unwrapped; of a copy that of the original.
        var sequenceNumber: Int64
        var bytes: [UInt8]
        var opus: OpusPacket
        var isCopy: Bool

        /// Behind its last frame.
        var end: Int64 { timestamp + Int64(opus.samples) }
    }

    /// Ascending, no two with one timestamp.
    private var packets: Deque<Packet> = []

    var first: Packet? { packets.first }
    /// Behind the last frame of all.
    var end: Int64? { packets.last?.end }
    var count: Int { packets.count }
    var isEmpty: Bool { packets.isEmpty }

    /// Something that begins there, or some ticks off.
    func contains(_ timestamp: Int64) -> Bool {
        let index = place(of: timestamp - Limits.timestampTolerance + 1)
        return index < packets.count && packets[index].timestamp < timestamp + Limits.timestampTolerance
    }

    /// False, with nothing changed, where its sound is there already.
    mutating func insert(_ packet: Packet) -> Bool {
        let index = place(of: packet.timestamp)
        if index < packets.count, packets[index].timestamp == packet.timestamp { return false }
        packets.insert(packet, at: index)
        return true
    }

    mutating func removeFirst() -> Packet? { packets.popFirst() }

    mutating func removeAll() { packets.removeAll() }

    /// Mostly at the end.
    private func place(of timestamp: Int64) -> Int {
        var index = packets.count
        while index > 0, packets[index - 1].timestamp >= timestamp { index -= 1 }
        return index
    }
}
