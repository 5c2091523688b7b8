import DequeModule
import Timebase

extension AudioPlayout {
    /// Where a stream of sound stands: what is to be played next, when, and how far the two clocks are apart. Seconds
    /// on either clock count from the first packet.
    struct Stream: Sendable {
        private let epoch: Instant
        private let firstTimestamp: Int64
        private(set) var delays = RelativeDelay()
        /// The timestamp that is played next.
        private(set) var next: Int64
        private var nextDue: Double
        /// Frames of the last packet played.
        private(set) var packetTicks = 960
        /// Anything was played.
        private(set) var hasBegun = false
        /// Of the last packet played.
        private(set) var sequenceNumber: Int64?
        /// Ticks given up since then, and those of them that were played when nothing at all was there.
        private(set) var ticksGivenUp: Int64 = 0
        private(set) var starvedTicks: Int64 = 0
        private var starvedFrom: Int64?
        /// The last slots that something was guessed for.
        private var concealed: Deque<Int64> = []
        /// Until then the delay is settling, at the start and behind a silence: what waited somewhere comes all at once.
        private var settlesUntil = -Double.infinity
        /// Seconds by which the delay has to grow at once.
        private var growth = 0.0

        init(timestamp: Int64, at now: Instant) {
            epoch = now
            firstTimestamp = timestamp
            next = timestamp
            nextDue = (Limits.playoutMargin + Limits.firstPlayoutMargin).inSeconds
        }

        // MARK: Clocks

        var due: Instant { epoch + .nanoseconds(Int64(nextDue * 1e9)) }
        func seconds(_ instant: Instant) -> Double { (instant - epoch).inSeconds }
        private func media(_ timestamp: Int64) -> Double {
            Double(timestamp - firstTimestamp) / 48_000
        }
        func transit(of timestamp: Int64, at now: Instant) -> Double { seconds(now) - media(timestamp) }

        /// When something is played, minus its media time.
        var offset: Double { nextDue - media(next) }

        /// What the network asks for.
        private var networkDelay: Double { delays.target + Limits.playoutMargin.inSeconds }
        func targetDelay(_ holdBack: Duration) -> Double { networkDelay + holdBack.inSeconds }
        /// By how much the delay is longer than it should be.
        private func excess(_ holdBack: Duration) -> Double {
            delays.base.map { offset - $0 - targetDelay(holdBack) } ?? 0
        }

        /// When this would be played with the delay that the network asks for.
        func planned(_ timestamp: Int64) -> Instant {
            let seconds = media(timestamp) + (delays.base ?? offset) + networkDelay
            return epoch + .seconds(seconds)
        }

        /// What is to be played next is not taken if it comes later than this.
        var lastArrival: Instant {
            epoch + .seconds(media(next) + (delays.base ?? offset)) + Limits.longestPlayoutDelay
        }

        // MARK: Arrivals

        mutating func noteArrival(of timestamp: Int64, at now: Instant) {
            delays.note(transit: transit(of: timestamp, at: now), at: seconds(now))
        }

        func isConcealed(_ timestamp: Int64) -> Bool { concealed.contains { Self.isSame($0, timestamp) } }

        private static func isSame(_ slot: Int64, _ timestamp: Int64) -> Bool {
            (slot - timestamp).magnitude < Limits.timestampTolerance
        }

        /// Its time has come already. What was sent behind the last packet that was played may begin a little before that ends,
        /// where timestamps are read off a clock; if something was put in since, it may be what that stands for.
        func isOver(_ packet: PlayoutQueue.Packet) -> Bool {
            guard packet.timestamp < next else { return false }
            guard let sequenceNumber, packet.sequenceNumber > sequenceNumber else { return true }
            let overlap = ticksGivenUp == 0 ? halfOfShorter(packet) : Limits.timestampTolerance
            return packet.timestamp <= next - overlap
        }

        /// It is to be played now: less is missing before it than can be guessed, or nothing but half a packet, which no sender
        /// pauses for.
        func comesNext(_ packet: PlayoutQueue.Packet) -> Bool {
            let gap = packet.timestamp - next
            if gap < Int64(Limits.concealmentStep) { return true }
            return ticksGivenUp == 0 && packet.sequenceNumber - 1 == sequenceNumber && gap < halfOfShorter(packet)
        }

        /// In ticks, of a packet or the one before it.
        private func halfOfShorter(_ packet: PlayoutQueue.Packet) -> Int64 {
            Int64(min(packetTicks, packet.opus.samples) / 2)
        }

        /// Goes back to what came too late, where nothing has been played since; false where something was.
        mutating func rewind(to timestamp: Int64) -> Bool {
            guard let starvedFrom, timestamp > starvedFrom - Limits.timestampTolerance else { return false }
            concealed.removeAll { $0 > timestamp - Limits.timestampTolerance }
            starvedTicks -= min(starvedTicks, next - timestamp)
            ticksGivenUp -= min(ticksGivenUp, next - timestamp)
            next = timestamp
            return true
        }

        /// What came too late would have been in time with so much more delay.
        mutating func growForLate(_ timestamp: Int64, at now: Instant) {
            concealed.removeAll { Self.isSame($0, timestamp) }
            let late = transit(of: timestamp, at: now) - offset + Limits.playoutMargin.inSeconds
            growth = max(growth, min(late, Limits.largestGrowth.inSeconds))
        }

        /// Ticks of sound to put in now, whole steps of 2.5 ms, no more than a packet may have; 0 for none.
        mutating func takeGrowth() -> Int {
            let wanted = -excess(.zero)
            if wanted > Limits.growthStep.inSeconds { growth = max(growth, wanted) }
            let room = Limits.longestPlayoutDelay.inSeconds - (offset - (delays.base ?? offset))
            let steps = (min(growth, room) * 48_000 / Double(Limits.concealmentStep)).rounded(.up)
            let ticks = min(Limits.opusPacketSamples, max(0, Int(steps)) * Limits.concealmentStep)
            growth = ticks == 0 ? 0 : max(0, growth - Double(ticks) / 48_000)
            return ticks
        }

        /// So much more waits behind a silence than has to that it is better left out.
        func isSwamped(_ holdBack: Duration) -> Bool {
            nextDue < settlesUntil && excess(holdBack) > Limits.settlingExcess.inSeconds
        }

        // MARK: Playing

        /// How much faster than the media clock the next output is to be played.
        func speed(_ holdBack: Duration) -> Double {
            let bend = excess(holdBack) / Limits.playoutBendTime
            return 1 + max(-Limits.playoutBend, min(Limits.playoutBend, bend))
        }

        /// As `speed`, for silence: up to half of it may be left out, or as much added.
        func speedInSilence(_ ticks: Int, _ holdBack: Duration) -> Double {
            let length = Double(ticks) / 48_000
            return length / (length - max(-length / 2, min(length / 2, excess(holdBack))))
        }

        /// So many ticks are played at a speed.
        mutating func play(_ ticks: Int, speed: Double, isInserted: Bool = false) {
            hasBegun = true
            nextDue += Double(ticks) / 48_000 / speed
            if !isInserted { next += Int64(ticks) }
        }

        /// A packet is played; how many ticks of what was guessed before it were a pause.
        ///
        /// - Parameter settles: the delay is chosen anew behind a silence, not at the start alone.
        mutating func begin(_ packet: PlayoutQueue.Packet, settles: Bool) -> Int64 {
            let pause = max(0, starvedTicks - missingTicks(before: packet))
            if isSilenced && settles || sequenceNumber == nil { settlesUntil = nextDue + Limits.delayHistory.inSeconds }
            packetTicks = packet.opus.samples
            sequenceNumber = packet.sequenceNumber
            ticksGivenUp = 0
            starvedTicks = 0
            starvedFrom = nil
            return pause
        }

        /// How much was lost before this packet, as far as sequence numbers tell.
        func missingTicks(before packet: PlayoutQueue.Packet) -> Int64 {
            guard let sequenceNumber else { return 0 }
            return min(Limits.playoutTicks, max(0, packet.sequenceNumber - sequenceNumber - 1)) * Int64(packetTicks)
        }

        /// Likewise, without what was given up already; none where that was more.
        func ticksLost(before packet: PlayoutQueue.Packet) -> Int64 {
            max(0, missingTicks(before: packet) - ticksGivenUp)
        }

        /// What belongs into the next ticks is given up.
        mutating func giveUp(_ ticks: Int) {
            ticksGivenUp += Int64(ticks)
            if concealed.count >= Limits.concealedSlots { concealed.removeFirst() }
            concealed.append(next)
        }

        /// There is nothing at all: how many ticks to go on with. Short ones at first: who waits for a packet that is
        /// late plays it as soon as it comes.
        mutating func starve() -> Int {
            starvedFrom = starvedFrom ?? next
            // Silence ends where a packet would: one that is still taken may begin there.
            let silence = packetTicks - Int(starvedTicks % Int64(packetTicks))
            let ticks = isSilenced ? silence : min(packetTicks, Limits.starvedTicks)
            giveUp(ticks)
            starvedTicks += Int64(ticks)
            return ticks
        }

        /// Silence whose time is long over, as behind a sleep of the machine, is left out: its ticks, in whole packets. Some
        /// at a time: a file takes a jump of an hour for a clock that began anew.
        ///
        /// - Parameter end: the timestamp that silence goes to at most.
        mutating func skipSilence(to now: Instant, before end: Int64?) -> Int64 {
            let late = seconds(now) - nextDue
            guard isSilenced, late > Limits.longestPlayoutDelay.inSeconds else { return 0 }
            let room = end.map { max(0, $0.subtractingSaturating(next)) } ?? .max
            let packets = min(Int64(min(late, Limits.longestSkip.inSeconds) * 48_000), room) / Int64(packetTicks)
            let ticks = packets * Int64(packetTicks)
            next += ticks
            nextDue += Double(ticks) / 48_000
            ticksGivenUp += ticks
            return ticks
        }

        /// Whether silence is played for want of sound, so that the delay may be chosen anew.
        var isSilenced: Bool { starvedTicks >= Limits.longestConcealment }

        /// Silence is played, and this was not played before it.
        func mayFollowSilence(_ timestamp: Int64) -> Bool {
            starvedFrom.map { isSilenced && timestamp >= $0 } ?? false
        }

        /// Too old to be worth the delay, where the next is there as well.
        func isStale(_ packet: PlayoutQueue.Packet, _ holdBack: Duration) -> Bool {
            media(packet.end) + (delays.base ?? offset) + targetDelay(holdBack) <= nextDue
        }

        /// Goes on with a packet, as soon as it should be played; never earlier than what was played last ends.
        mutating func jump(to packet: PlayoutQueue.Packet, _ holdBack: Duration) {
            next = packet.timestamp
            let base = delays.base ?? offset
            nextDue = max(nextDue, media(next) + base + targetDelay(holdBack))
        }

        /// Sound begins a little off where it was expected.
        mutating func adjust(to timestamp: Int64) { next = timestamp }
    }
}
