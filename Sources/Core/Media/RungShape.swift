import Timebase

/// What becomes of the share's pictures where there are few bits for them: where something plays, smaller ones, for
/// smoothness comes first; where there is text, fewer, for sharpness does.
///
///     bits for a pixel and second:   0.4 and more    0.1      0.04
///     something plays                1:1             1:2      1:3 of width and height
///     text                           1:1, and so few that each may have 0.012 bits for a pixel
package struct RungShape: Sendable {
    /// Width and height are those of the share, divided by this.
    package private(set) var divisor = 1
    private var dividedAt: Instant?
    /// A larger divisor must be the better one for so long.
    private let patience: Duration
    private var misfitSince: Instant?
    private var lastPicture: Instant?

    package init(patience: Duration = .zero) { self.patience = patience }

    /// The size to encode at. It changes seldom, for each change costs a keyframe.
    package mutating func size(
        of picture: PixelSize, bitsPerSecond: Int, isPlaying: Bool, at now: Instant
    ) -> PixelSize {
        let wanted = isPlaying ? wantedDivisor(picture, bitsPerSecond) : 1
        misfitSince = wanted == divisor ? nil : misfitSince ?? now
        if let misfitSince, wanted < divisor || now - misfitSince >= patience,
            dividedAt.map({ now - $0 >= MediaLimits.timeBetweenSizes }) ?? true
        {
            divisor = wanted
            dividedAt = now
            self.misfitSince = nil
        }
        return Self.divide(picture, by: divisor)
    }

    /// Whether another picture may be made, for the bits that there are.
    package func isDue(_ size: PixelSize, bitsPerSecond: Int, isPlaying: Bool, at now: Instant) -> Bool {
        guard let lastPicture, !isPlaying else { return true }
        let bits = Double(size.area) * MediaLimits.bitsPerPixelOfText
        return now - lastPicture >= .seconds(min(1, bits / Double(max(1, bitsPerSecond))))
    }

    package mutating func made(at now: Instant) { lastPicture = now }

    private func wantedDivisor(_ picture: PixelSize, _ bitsPerSecond: Int) -> Int {
        let density = Double(bitsPerSecond) / Double(max(1, picture.area))
        return (1...MediaLimits.largestDivisor).first { candidate in
            // Larger again only where there is clearly room.
            let room = candidate < divisor ? 1.5 : 1
            return density * Double(candidate * candidate) >= MediaLimits.bitsPerPixelOfFilm * room
        } ?? MediaLimits.largestDivisor
    }

    private static func divide(_ size: PixelSize, by divisor: Int) -> PixelSize {
        guard divisor > 1 else { return size }
        return PixelSize(width: max(2, size.width / divisor & ~1), height: max(2, size.height / divisor & ~1))
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
