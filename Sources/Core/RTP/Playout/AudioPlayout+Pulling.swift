import Timebase

extension AudioPlayout {
    /// The next output that is due by now; nil where none is. Ask again until then.
    package mutating func pull(at now: Instant) -> PlayoutOutput? {
        guard let due, now >= due else { return nil }
        leaveOutStale()
        while let first = queue.first, stream?.isOver(first) == true { _ = queue.removeFirst() }
        if let due = self.due, due > now { return nil }
        guard let first = queue.first, let stream else { return starve(at: now) }
        if let growth = self.stream?.takeGrowth(), growth > 0 { return insert(growth) }
        return stream.comesNext(first) ? play(first) : fill(first.timestamp - stream.next, before: first)
    }

    /// Nothing that follows has come either: the network stalls, or the sender pauses. What was lost by itself is made good at
    /// once, so that pictures are told in time when sound is heard.
    var isMissing: Bool { waitsForMissing && stream != nil && queue.isEmpty }

    /// Where nothing was heard until now, or silence for want of sound, it goes on with the newest that is in time: what
    /// had waited somewhere comes all at once, and would be late for as long as the share lasts. Who waits for what is
    /// missing wants just that; only what had waited before the first is left out there as well.
    private mutating func leaveOutStale() {
        guard let stream, stream.isSilenced && !waitsForMissing || !stream.hasBegun else { return }
        while queue.count > 1, let first = queue.first, stream.isStale(first, holdBack) {
            _ = queue.removeFirst()
            statistics.packetsLate += 1
        }
        if let first = queue.first { self.stream?.jump(to: first, holdBack) }
    }

    private mutating func play(_ packet: PlayoutQueue.Packet) -> PlayoutOutput? {
        _ = queue.removeFirst()
        stream?.adjust(to: packet.timestamp)
        let pause = stream?.begin(packet, settles: !waitsForMissing) ?? 0
        statistics.concealedTicks -= pause
        statistics.pausedTicks += pause
        statistics.playedTicks += Int64(packet.opus.samples)
        return output(.packet(packet.bytes), packet.opus.samples)
    }

    /// The queue goes on later than where it should: something was lost, or the sender paused.
    private mutating func fill(_ gap: Int64, before packet: PlayoutQueue.Packet) -> PlayoutOutput? {
        guard let stream else { return nil }
        let lost = stream.ticksLost(before: packet)
        let ticks = Self.step(in: lost > 0 ? min(lost, gap) : gap, stream.packetTicks)
        guard lost >= ticks else {
            statistics.pausedTicks += Int64(ticks)
            return output(.silence, ticks)
        }
        let isWholeGap = (gap - Int64(ticks)).magnitude < Limits.timestampTolerance
        if isWholeGap, ticks == packet.opus.samples, packet.opus.hasFEC {
            statistics.recoveredTicks += Int64(ticks)
            return output(.recover(from: packet.bytes), ticks)
        }
        self.stream?.giveUp(ticks)
        statistics.concealedTicks += Int64(ticks)
        return output(stream.isSilenced ? .silence : .conceal, ticks)
    }

    /// A packet's length, or less at first, so that whole ones are left; in steps of 2.5 ms, of which a gap may be some ticks
    /// short.
    private static func step(in gap: Int64, _ packetTicks: Int) -> Int {
        let steps = max(1, Int(gap + Limits.timestampTolerance - 1) / Limits.concealmentStep)
        let whole = max(1, packetTicks / Limits.concealmentStep)
        return (steps % whole == 0 ? whole : steps % whole) * Limits.concealmentStep
    }

    /// Nothing is there: it may be late, lost, or a pause.
    private mutating func starve(at now: Instant) -> PlayoutOutput? {
        guard let stream, let due else { return nil }
        let waited = due - stream.due
        let skipped = self.stream?.skipSilence(to: now - waited, before: silenceEnd) ?? 0
        statistics.pausedTicks += skipped
        guard let isSilenced = self.stream?.isSilenced, let ticks = self.stream?.starve() else { return nil }
        statistics.concealedTicks += Int64(ticks)
        return output(isSilenced ? .silence : .conceal, ticks)
    }

    private mutating func insert(_ ticks: Int) -> PlayoutOutput? {
        statistics.concealedTicks += Int64(ticks)
        statistics.insertedTicks += Int64(ticks)
        return output(.conceal, ticks, isInserted: true)
    }

    private mutating func output(
        _ sound: PlayoutOutput.Sound, _ ticks: Int, isInserted: Bool = false
    ) -> PlayoutOutput? {
        guard let stream else { return nil }
        let isPause = sound == .silence && !queue.isEmpty
        let speed = isPause ? stream.speedInSilence(ticks, holdBack) : isInserted ? 1 : stream.speed(holdBack)
        self.stream?.play(ticks, speed: speed, isInserted: isInserted)
        return PlayoutOutput(
            sound: sound, timestamp: stream.next, frames: ticks, isInserted: isInserted, due: stream.due, speed: speed)
    }
}
