import Media

extension OutputSize {
    /// Numbers that no picture can have count as the nearest that one can.
    var policy: FitGeometry.Policy {
        func side(_ length: Int) -> Int { max(2, min(LineLimits.side, length)) }
        return switch self {
        case .native: .native
        case .fit(let width, let height): .fit(PixelSize(width: side(width), height: side(height)))
        case .within(let long, let short): .fitTurned(PixelSize(width: side(long), height: side(short)))
        case .maximumPixels(let count): .fitPixels(max(256, min(LineLimits.pixels, count)))
        case .exactly(let width, let height): .letterbox(PixelSize(width: side(width), height: side(height)))
        }
    }
}
