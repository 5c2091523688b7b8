import DequeModule
import Timebase

/// A viewer's jitter buffer for sound: packets in as the network gives them, what to play out at an even pace.
///
///     receive ─► RelativeDelay: how long must be waited? ─► offset: arrival clock minus media clock
///        └─────► PlayoutQueue, by timestamp ───────────────► pull at `due`: packet, recover, conceal, silence
///
/// What is due is played, what isn't there by then is given up. The delay follows the network: it grows at once where
/// something comes late, by waiting for it (nothing else was there) or by sound put in, and shrinks by playing up to
/// 0.5 % faster, or at once in silence. A copy of a lost packet counts as its arrival, so that the delay covers repair
/// by RED or in-band FEC as soon as that happens, and only then. The sender's clock is followed likewise, for ever.
///
/// A recording has time (`waitsForMissing`): where nothing comes at all, it is waited for as long as it would still be taken.
///
/// A gap in sequence numbers is loss; one in timestamps alone is a pause (DTX, RFC 7587 § 3.1.3).
package struct AudioPlayout: Sendable {
    /// A copy that a packet brings of an earlier one (RED).
    package struct Copy: Sendable {
        /// How much earlier its sound begins, in ticks of 1/48000 s.
        package var timestampOffset: Int64
        package var bytes: [UInt8]

        package init(timestampOffset: Int64, bytes: [UInt8]) {
            self.timestampOffset = timestampOffset
            self.bytes = bytes
        }
    }

    /// Where the stream stands; nil before its first packet. Times are seconds since `epoch`.
    var stream: Stream?
    var queue = PlayoutQueue()
    private var restarts = RestartDetector()
    /// How much longer sound is held back than the network asks for, for lip sync. Reached slowly, or in silence.
    package var holdBack = Duration.zero {
        didSet { holdBack = max(.zero, min(Limits.longestPlayoutDelay, holdBack)) }
    }
    /// Where nothing comes, it is waited for until it would not be taken any more: a stall's packets come all at once.
    /// Outputs then come up to `Limits.longestPlayoutDelay` after their `due`, for whoever keeps sound and does not hear it.
    package var waitsForMissing = false
    /// Where nothing comes, and is waited for, silence goes on to this timestamp: so far it is known that time has passed at
    /// the sender. How long the rest of a pause was, the next packet tells. Nil: for as long as time passes here.
    package var silenceEnd: Int64?
    package internal(set) var statistics = PlayoutStatistics()

    package init() {}

    /// When the next output can be had; nil before the first packet, and where nothing is known to be missing.
    package var due: Instant? {
        guard let stream else { return nil }
        guard isMissing else { return stream.due }
        if stream.isSilenced, let silenceEnd, stream.next >= silenceEnd { return nil }
        return max(stream.due, stream.lastArrival)
    }

    /// When to ask for it: also when it should be played, where it has not come before then. Nil as `due` is.
    package func nextLook(after now: Instant) -> Instant? {
        guard let due, let nextDue else { return nil }
        return now < nextDue ? nextDue : due
    }

    /// The timestamp of what is played next; nil before the first packet.
    package var next: Int64? { stream?.next }

    /// When that should be played, waited for or not.
    package var nextDue: Instant? { stream?.due }

    /// Nothing that came waits to be played.
    package var isEmpty: Bool { queue.isEmpty }

    /// How long a packet without delay in the network waits.
    package var delay: Duration { .seconds(stream.map { $0.offset - ($0.delays.base ?? $0.offset) } ?? 0) }

    /// What `delay` is heading for.
    var targetDelay: Duration { .seconds(stream?.targetDelay(holdBack) ?? 0) }

    /// When sound of this timestamp would be played if the delay were what the network asks for, without `holdBack`; nil
    /// before the first packet.
    package func planned(_ timestamp: Int64) -> Instant? { stream?.planned(timestamp) }

    /// The sender has another SSRC from now on.
    package mutating func restart() {
        queue.removeAll()
        restarts.reset()
        if stream != nil { statistics.restarts += 1 }
        // Nobody can tell any more whether anything was sent.
        statistics = settled
        stream = nil
    }

    /// What is counted, as long as nothing more comes: what has been silent for long is a pause then.
    package var settled: PlayoutStatistics {
        var settled = statistics
        let pause = max(0, (stream?.starvedTicks ?? 0) - Limits.longestConcealment)
        settled.concealedTicks -= pause
        settled.pausedTicks += pause
        return settled
    }

    // MARK: In

    /// Takes a packet.
    ///
    /// - Parameters:
    ///   - bytes: one Opus packet.
    ///   - copies: of the packets right before it, the oldest first; an empty one stands for a packet that has none.
    ///   - sequenceNumber: unwrapped.
    ///   - timestamp: unwrapped.
    package mutating func receive(
        _ bytes: [UInt8], copies: [Copy] = [], sequenceNumber: Int64, timestamp: Int64, at now: Instant
    ) {
        guard let opus = Self.parse(bytes), Limits.unwrappedNumbers.contains(timestamp),
            Limits.unwrappedNumbers.contains(sequenceNumber)
        else { return statistics.packetsDiscarded += 1 }
        guard fits(timestamp, at: now) else { return }
        for (index, copy) in copies.enumerated() {
            guard let opus = Self.parse(copy.bytes), (1...Limits.redundantOffset).contains(copy.timestampOffset) else {
                continue
            }
            let packet = PlayoutQueue.Packet(
                timestamp: timestamp - copy.timestampOffset,
                sequenceNumber: sequenceNumber - Int64(copies.count - index),
                bytes: copy.bytes, opus: opus, isCopy: true)
            take(packet, at: now)
        }
        if opus.hasFEC { noteRecoverable(timestamp - Int64(opus.samples), at: now) }
        let packet = PlayoutQueue.Packet(
            timestamp: timestamp, sequenceNumber: sequenceNumber, bytes: bytes, opus: opus, isCopy: false)
        take(packet, at: now)
        bound()
    }

    private static func parse(_ bytes: [UInt8]) -> OpusPacket? {
        bytes.count <= Limits.audioPacketBytes ? try? OpusPacket(bytes) : nil
    }

    /// Whether the timestamp belongs to the stream; the first one begins it.
    private mutating func fits(_ timestamp: Int64, at now: Instant) -> Bool {
        guard let stream else {
            self.stream = Stream(timestamp: timestamp, at: now)
            return true
        }
        let transit = stream.transit(of: timestamp, at: now)
        let relative = transit - (stream.delays.base ?? transit)
        if relative > -Limits.timestampJump.inSeconds, relative <= Limits.longestPlayoutDelay.inSeconds {
            restarts.reset()
            return true
        }
        guard restarts.judge(transit: transit, at: stream.seconds(now)) else {
            statistics.packetsLate += 1
            return false
        }
        restart()
        self.stream = Stream(timestamp: timestamp, at: now)
        return true
    }

    private mutating func take(_ packet: PlayoutQueue.Packet, at now: Instant) {
        guard let stream else { return }
        if stream.isOver(packet), !stream.mayFollowSilence(packet.timestamp) {
            takeLate(packet, at: now)
        } else if queue.insert(packet) {
            self.stream?.noteArrival(of: packet.timestamp, at: now)
        } else if !packet.isCopy {
            statistics.packetsDuplicate += 1
        }
    }

    /// Its time has come already. Where nothing has been played since, it is played now, and everything later by as
    /// much.
    private mutating func takeLate(_ packet: PlayoutQueue.Packet, at now: Instant) {
        guard let stream, stream.isConcealed(packet.timestamp) else {
            if !packet.isCopy { statistics.packetsDuplicate += 1 }
            return
        }
        self.stream?.noteArrival(of: packet.timestamp, at: now)
        if self.stream?.rewind(to: packet.timestamp) == true {
            _ = queue.insert(packet)
        } else {
            statistics.packetsLate += 1
            self.stream?.growForLate(packet.timestamp, at: now)
        }
    }

    /// In-band FEC for this sound has come.
    private mutating func noteRecoverable(_ timestamp: Int64, at now: Instant) {
        guard let stream, !queue.contains(timestamp) else { return }
        if timestamp >= stream.next {
            self.stream?.noteArrival(of: timestamp, at: now)
        } else if stream.isConcealed(timestamp) {
            self.stream?.noteArrival(of: timestamp, at: now)
            self.stream?.growForLate(timestamp, at: now)
        }
    }

    /// Too much is held: it goes on with newer sound.
    private mutating func bound() {
        guard let stream, let oldest = queue.first, let end = queue.end else { return }
        let isSwamped = stream.isSwamped(holdBack)
        guard end - stream.next > Limits.playoutTicks || queue.count > Limits.playoutPackets || isSwamped else { return }
        // Who waits may have waited for all of it.
        let time = waitsForMissing && !isSwamped ? max(targetDelay, Limits.longestPlayoutDelay) : targetDelay
        let kept = Int64((time.inSeconds * 48_000).rounded(.up))
        while queue.count > 1, let first = queue.first,
            end - first.timestamp > kept + Int64(first.opus.samples) || queue.count > Limits.playoutPackets
        {
            _ = queue.removeFirst()
            statistics.packetsDiscarded += 1
        }
        guard let first = queue.first else { return }
        if waitsForMissing {
            let lost = min(oldest.timestamp - stream.next, stream.ticksLost(before: oldest))
            countGap(first.timestamp - stream.next, lost: lost)
        }
        self.stream?.jump(to: first, holdBack)
    }

    /// A recording goes on behind time that nothing was put in for: an outage counts all the same, and so does a pause.
    private mutating func countGap(_ ticks: Int64, lost: Int64) {
        let gap = max(0, ticks)
        let concealed = max(0, min(lost, gap))
        statistics.concealedTicks += concealed
        statistics.pausedTicks += gap - concealed
    }
}
