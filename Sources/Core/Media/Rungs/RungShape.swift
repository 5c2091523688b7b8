import Timebase

/// What becomes of the share's pictures where there are few bits for them: where something plays, smaller ones, for
/// smoothness comes first; where there is text, fewer, for sharpness does.
///
///     bits for a pixel and second:   1.2 and more    0.53 and more   0.3 and more   less
///     something plays                1:1             2:3             1:2            1:3 of width and height
///     … on the share's own rung      1:1 down to 0.4, for everybody sees its size change
///     text                           1:1, and so few that each may have 0.012 bits for a pixel
package struct RungShape: Sendable {
    /// What width and height are of the share's.
    package enum Scale: Int, CaseIterable, Comparable, Sendable {
        case third = 2, half = 3, twoThirds = 4, whole = 6

        var ofWidth: Double { Double(rawValue) / Double(Self.whole.rawValue) }

        package static func < (left: Scale, right: Scale) -> Bool { left.rawValue < right.rawValue }
    }

    package private(set) var scale = Scale.whole
    private var scaledAt: Instant?
    private var hasBegun = false
    private let isOwn: Bool
    private var misfitSince: Instant?
    private var lastPicture: Instant?

    /// - Parameter isOwn: it is the share's own rung, whose size everybody sees change: for that alone bits must be too few
    ///   for long, and by far.
    package init(isOwn: Bool = false) { self.isOwn = isOwn }

    /// The size to encode at. It changes seldom, for each change costs a keyframe.
    package mutating func size(
        of picture: PixelSize, bitsPerSecond: Int, isPlaying: Bool, at now: Instant
    ) -> PixelSize {
        let wanted = isPlaying ? wantedScale(picture, bitsPerSecond) : .whole
        misfitSince = wanted == scale ? nil : misfitSince ?? now
        let patience = patience(density(bitsPerSecond, picture, scale))
        hasBegun = true
        if let misfitSince, wanted > scale || now - misfitSince >= patience,
            scaledAt.map({ now - $0 >= MediaLimits.timeBetweenSizes }) ?? true
        {
            scale = wanted
            scaledAt = now
            self.misfitSince = nil
        }
        return Self.size(of: picture, scale)
    }

    /// Whether another picture may be made, for the bits that there are.
    package func isDue(_ size: PixelSize, bitsPerSecond: Int, isPlaying: Bool, at now: Instant) -> Bool {
        guard let lastPicture, !isPlaying else { return true }
        let bits = Double(size.area) * MediaLimits.bitsPerPixelOfText
        return now - lastPicture >= .seconds(min(1, bits / Double(max(1, bitsPerSecond))))
    }

    package mutating func made(at now: Instant) { lastPicture = now }

    /// For how long a smaller scale must be the better one: a dip that passes is not worth a keyframe; but what has not begun
    /// costs none, and what falls apart can't wait.
    private func patience(_ density: Double) -> Duration {
        if isOwn { return MediaLimits.timeBelowSize }
        return hasBegun && density >= MediaLimits.leastBitsPerPixel ? MediaLimits.timeBelowSlowSize : .zero
    }

    private func wantedScale(_ picture: PixelSize, _ bitsPerSecond: Int) -> Scale {
        Scale.allCases.last { candidate in
            // Larger again only where there is clearly room.
            let room = candidate > scale ? MediaLimits.roomForLarger : 1
            let isKept = isOwn && candidate == .whole
            let least = isKept ? MediaLimits.leastBitsPerPixel : MediaLimits.bitsPerPixelOfFilm
            return density(bitsPerSecond, picture, candidate) >= least * room
        } ?? .third
    }

    /// Bits for each pixel and second at a scale.
    private func density(_ bitsPerSecond: Int, _ picture: PixelSize, _ scale: Scale) -> Double {
        Double(bitsPerSecond) / Double(max(1, picture.area)) / (scale.ofWidth * scale.ofWidth)
    }

    private static func size(of picture: PixelSize, _ scale: Scale) -> PixelSize {
        guard scale < .whole else { return picture }
        func scaled(_ length: Int) -> Int { max(2, length * scale.rawValue / Scale.whole.rawValue & ~1) }
        return PixelSize(width: scaled(picture.width), height: scaled(picture.height))
    }
}

extension PixelRect {
    /// What a change within `whole` covers of the same picture at another size.
    package func scaled(from whole: PixelSize, to size: PixelSize) -> PixelRect {
        guard !isEmpty, whole != size, whole.area > 0 else { return self }
        // A filter's reach beyond, on either side.
        let left = x * size.width / whole.width - 2, top = y * size.height / whole.height - 2
        let right = (maxX * size.width + whole.width - 1) / whole.width + 2
        let bottom = (maxY * size.height + whole.height - 1) / whole.height + 2
        return PixelRect(x: left, y: top, width: right - left, height: bottom - top).intersection(PixelRect(size))
    }
}
