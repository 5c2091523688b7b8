import Timebase

/// Where in the file packets belong, in its milliseconds: each track's times rise, whatever its clock does.
///
/// A track's clock begins anew with a sharer that restarts. The file then goes on: the track's times are shifted as the
/// other one's were, if that is where the file is now, otherwise to the file's end. At first both have one zero. Sound that
/// went to the file's end by itself is beside the pictures again as soon as its clock is; so is sound that was ahead of them.
struct Timeline {
    private struct Track {
        /// From its clock to the file's.
        var shift: Int64 = 0
        var latest: Int64?
    }

    private var video = Track()
    private var sound = Track()
    /// Where the latest sound ends.
    private var soundEnd: Int64 = 0
    /// What comes lies within sound that the file has, by no clock that began anew.
    private var isSetBack = false

    /// - Parameter ticks: at 90 kHz.
    mutating func placeVideo(_ ticks: Int64) -> Int64 {
        let place = place(Self.rounded(ticks, per: 90), \.video, beside: \.sound)
        let time = max(place, video.latest.map { $0 + 1 } ?? 0)
        video.latest = time
        return time
    }

    /// - Parameters:
    ///   - ticks: at 48 kHz.
    ///   - duration: in milliseconds.
    /// - Returns: nil for what belongs before the file's zero, or lies within sound that it has already.
    mutating func placeSound(_ ticks: Int64, duration: Int64) -> Int64? {
        let time = Self.rounded(ticks, per: 48)
        if sound.latest == nil {
            sound.shift = video.shift
            if -Limits.gapTime..<0 ~= time.addingSaturating(sound.shift) { return nil }
        }
        if isSetBack, isBehind(time) { return nil }
        isSetBack = false
        let place = place(time, \.sound, beside: \.video)
        if let latest = sound.latest, place + duration / 2 < soundEnd || place <= latest { return nil }
        sound.latest = place
        soundEnd = place + duration
        return place
    }

    /// It has turned out that sound belongs earlier than it was placed: no clock has begun anew. It waits until what the file has
    /// is over; shifted to the file's end it would be late for good.
    mutating func setSoundBack() { isSetBack = true }

    private func isBehind(_ time: Int64) -> Bool {
        guard let latest = sound.latest, sound.shift == video.shift else { return false }
        return soundEnd - Limits.apartTime..<latest - Limits.lateTime ~= time.addingSaturating(sound.shift)
    }

    /// Whether sound that is shifted alone stands beside the pictures again, as behind a report that sets its clock right:
    /// from here on it is shifted as they are. By its own shift it would leap ahead by what had set it apart, for good.
    ///
    /// - Parameter ticks: at 48 kHz.
    /// - Returns: how much is missing before it, in such ticks; nil where it goes on as it is.
    mutating func rejoinPictures(_ ticks: Int64) -> Int64? {
        guard let latest = sound.latest, sound.shift != video.shift else { return nil }
        let time = Self.rounded(ticks, per: 48)
        let (own, beside) = (time.addingSaturating(sound.shift), time.addingSaturating(video.shift))
        guard own > soundEnd + Limits.lateTime, latest - Limits.lateTime...soundEnd + Limits.apartTime ~= beside else {
            return nil
        }
        sound.shift = video.shift
        return max(0, beside - soundEnd) * 48
    }

    // MARK: Clocks

    private mutating func place(
        _ time: Int64, _ track: WritableKeyPath<Timeline, Track>, beside other: KeyPath<Timeline, Track>
    ) -> Int64 {
        let near = nearEnd(self[keyPath: track])
        let place = time.addingSaturating(self[keyPath: track].shift)
        if near.contains(place) { return place }
        let beside = time.addingSaturating(self[keyPath: other].shift)
        let next = near.contains(beside) ? beside : end
        // A time that this overflows for begins anew with the next packet.
        self[keyPath: track].shift = next.subtractingSaturating(time)
        return next
    }

    private var end: Int64 { max(video.latest ?? 0, soundEnd) }

    /// Where a track's next packet may be.
    private func nearEnd(_ track: Track) -> ClosedRange<Int64> {
        // One that goes on by its own clock has not begun anew, however far the other is.
        let earliest = track.latest.map { $0 - Limits.lateTime } ?? end - Limits.apartTime
        return earliest...end + Limits.gapTime
    }

    /// To the nearest millisecond.
    private static func rounded(_ ticks: Int64, per millisecond: Int64) -> Int64 {
        let (whole, rest) = ticks.quotientAndRemainder(dividingBy: millisecond)
        return rest * 2 >= millisecond ? whole + 1 : rest * 2 < -millisecond ? whole - 1 : whole
    }
}
