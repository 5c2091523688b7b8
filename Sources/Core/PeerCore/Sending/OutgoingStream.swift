import RTP
import Timebase

/// One SSRC of ours (RFC 3550 § 5.1): its clock, what each of its packets carries, and its reports.
struct OutgoingStream {
    private let canonicalName: String
    private let mid: String?
    private let map: ExtensionMap
    let wallClock: WallClockAnchor
    private let timestampOffset: UInt32
    private var toldClock = ToldClock()
    private var counter: SendStatistics
    /// The newest unit of which something has left.
    private(set) var last: (ticks: Int64, capturedAt: Instant)?
    var nextReport: Instant

    init(
        ssrc: UInt32, canonicalName: String, mid: String?, map: ExtensionMap, wallClock: WallClockAnchor,
        random: inout any RandomNumberGenerator & Sendable, at now: Instant
    ) {
        self.canonicalName = canonicalName
        self.mid = mid
        self.map = map
        self.wallClock = wallClock
        timestampOffset = UInt32.random(in: 0...(.max), using: &random)
        counter = SendStatistics(ssrc: ssrc)
        nextReport = now
    }

    var ssrc: UInt32 { counter.ssrc }

    // MARK: Packets

    func timestamp(_ ticks: Int64) -> UInt32 {
        UInt32(truncatingIfNeeded: ticks) &+ timestampOffset
    }

    /// What every packet carries, but for what `number` adds as it leaves.
    var extensions: HeaderExtensions {
        var extensions = HeaderExtensions()
        extensions.mid = mid
        return extensions
    }

    /// The packet leaves now.
    func number(_ extensions: inout HeaderExtensions, _ path: inout PathControl, at now: Instant) {
        extensions.transportSequenceNumber = path.takeNumber(map)
        if map.needsSendTime { extensions.absoluteSendTime = AbsoluteSendTime(now) }
    }

    /// What a packet beside the pictures carries; it leaves now.
    func sideExtensions(_ path: inout PathControl, at now: Instant) -> HeaderExtensions {
        var extensions = extensions
        number(&extensions, &path, at: now)
        return extensions
    }

    /// The moment of a unit, where it is to be told with it; in between a receiver goes by the RTP timestamps.
    mutating func captureTime(
        of mediaTime: Duration, capturedAt: Instant, isFirst: Bool, at now: Instant
    ) -> AbsoluteCaptureTime? {
        guard toldClock.tells(mediaTime, of: capturedAt, isFirst: isFirst, at: now) else { return nil }
        return AbsoluteCaptureTime(captured: wallClock.ntp(at: capturedAt))
    }

    /// - Parameter tellsMoment: with it a unit is complete that has told its moment.
    mutating func sent(payloadBytes: Int, ticks: Int64, capturedAt: Instant, tellsMoment: Bool, at now: Instant) {
        // Until the first report nobody knows what it belongs to, and later ones must not contradict the packets.
        if last == nil || tellsMoment { nextReport = now }
        counter.sent(payloadBytes: payloadBytes)
        last = (ticks, capturedAt)
    }

    // MARK: Reports

    /// A sender report with SDES (RFC 3550 § 6.4.1), at most once an interval, once something was sent.
    ///
    /// - Parameter ticks: so many pass in a time.
    mutating func report(at now: Instant, ticks: (Duration) -> Int64) -> [UInt8]? {
        guard now >= nextReport else { return nil }
        nextReport = now + Limits.reportInterval
        guard let last else { return nil }
        let timestamp = timestamp(last.ticks &+ ticks(now - last.capturedAt))
        var bytes: [UInt8] = []
        counter.report(ntp: wallClock.ntp(at: now), rtpTimestamp: timestamp).append(to: &bytes)
        SourceDescription(ssrc: ssrc, canonicalName: canonicalName).append(to: &bytes)
        return bytes
    }
}
