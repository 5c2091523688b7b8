import Media

extension OutputSize {
    /// Numbers that no picture can have count as the nearest that one can.
    func policy(in mode: ContentMode) -> FitGeometry.Policy {
        func side(_ length: Int) -> Int { max(2, min(PictureLimits.side, length)) }
        return switch self {
        case .automatic: mode.size.policy(in: mode)
        case .native: .native
        case .fit(let width, let height): .fit(PixelSize(width: side(width), height: side(height)))
        case .within(let long, let short): .fitTurned(PixelSize(width: side(long), height: side(short)))
        case .maximumPixels(let count): .fitPixels(max(PictureLimits.pixelCounts.lowerBound, min(PictureLimits.pixels, count)))
        case .exactly(let width, let height): .letterbox(PixelSize(width: side(width), height: side(height)))
        }
    }

    /// Where a source of this size goes in the encoded picture. More than any level of H.264, or the encoder, takes is made
    /// smaller, whatever was asked for.
    func geometry(of source: PixelSize, in mode: ContentMode) -> FitGeometry {
        let policy = policy(in: mode)
        let wanted = FitGeometry(source: source, policy: policy)
        guard !PictureLimits.takes(wanted.picture) else { return wanted }
        let size = wanted.picture
        let isTooLong = max(size.width, size.height) > PictureLimits.longestSide
        let box = size.width > size.height
            ? PixelSize(width: PictureLimits.longestSide, height: PictureLimits.shortestSide)
            : PixelSize(width: PictureLimits.shortestSide, height: PictureLimits.longestSide)
        var (pixels, smaller) = (PictureLimits.pixels, size)
        repeat {
            smaller = FitGeometry(source: size, policy: isTooLong ? .fit(box) : .fitPixels(pixels)).picture
            // Rows and columns of macroblocks that are not full count as full.
            pixels -= PictureLimits.pixels / 64
        } while !isTooLong && !PictureLimits.takes(smaller) && pixels > 0
        if case .letterbox = policy { return FitGeometry(source: source, policy: .letterbox(smaller)) }
        return FitGeometry(source: source, policy: .fit(smaller))
    }
}

extension ContentMode {
    /// What `OutputSize.automatic` comes to.
    var size: OutputSize {
        switch self {
        case .detail: .native
        case .auto, .motion: .within(longSide: 1920, shortSide: 1080)
        }
    }
}
