/// How a source's picture is placed in the encoded one: the aspect is kept, nothing is cropped, the encoded size is
/// even (4:2:0 has one chroma sample for two by two pixels).
package struct FitGeometry: Hashable, Sendable {
    package enum Policy: Hashable, Sendable {
        /// The source's own size.
        case native
        /// As large as fits the box, without bars.
        case fit(PixelSize)
        /// The same in a box that lies or stands as the source does; given as it lies.
        case fitTurned(PixelSize)
        /// No more pixels than these, without bars.
        case fitPixels(Int)
        /// Exactly the box, with bars where the aspect differs.
        case letterbox(PixelSize)
    }

    /// The box unless something else is asked for.
    package static let defaultBox = PixelSize(width: 1920, height: 1080)

    /// The encoded picture; even.
    package let picture: PixelSize
    /// Where the source's pixels go in it. Its corner is even; so is its size, but for an unscaled source of odd size:
    /// that one keeps every pixel, and the spare column or row of the picture repeats the last one.
    package let content: PixelRect
    /// Whether the source's pixels are taken over as they are.
    package let isUnscaled: Bool

    package init(source: PixelSize, policy: Policy) {
        let source = PixelSize(width: max(1, source.width), height: max(1, source.height))
        let box: PixelSize? =
            switch policy {
            case .native: nil
            case .fit(let box), .letterbox(let box): Self.even(box)
            case .fitTurned(let box):
                Self.even(source.width >= source.height ? box : PixelSize(width: box.height, height: box.width))
            case .fitPixels(let count): Self.box(of: count, for: source)
            }
        let size = box.map { Self.scaled(source, into: $0) } ?? source
        isUnscaled = size == source
        if case .letterbox = policy, let box {
            picture = box
        } else {
            picture = PixelSize(width: (size.width + 1) & ~1, height: (size.height + 1) & ~1)
        }
        content = PixelRect(
            x: (picture.width - size.width) / 4 * 2, y: (picture.height - size.height) / 4 * 2, width: size.width,
            height: size.height)
    }

    /// The source's size where it fits; else the largest even one of its aspect.
    private static func scaled(_ source: PixelSize, into box: PixelSize) -> PixelSize {
        if source.width <= box.width, source.height <= box.height { return source }
        // The side that fills the box decides; the other is rounded to the nearest even number.
        if source.width * box.height >= source.height * box.width {
            return PixelSize(width: box.width, height: nearestEven(source.height * box.width, per: source.width))
        }
        return PixelSize(width: nearestEven(source.width * box.height, per: source.height), height: box.height)
    }

    /// The largest even box of the source's aspect with no more than so many pixels.
    private static func box(of pixels: Int, for source: PixelSize) -> PixelSize {
        guard source.area > pixels else { return PixelSize(width: source.width + 1, height: source.height + 1) }
        let scale = (Double(pixels) / Double(source.area)).squareRoot()
        return even(
            PixelSize(width: Int(Double(source.width) * scale), height: Int(Double(source.height) * scale)))
    }

    private static func nearestEven(_ value: Int, per divisor: Int) -> Int {
        max(2, (value + divisor) / (2 * divisor) * 2)
    }

    /// Rounded down, at least 2: a box is a limit.
    private static func even(_ size: PixelSize) -> PixelSize {
        PixelSize(width: max(2, size.width & ~1), height: max(2, size.height & ~1))
    }
}
