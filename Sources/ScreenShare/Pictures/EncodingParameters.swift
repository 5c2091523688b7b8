import Media

/// Size, rate and bits that suit what is shared: a start for an embedder's own settings.
///
/// | encoded picture, at most | `detail`, 15 a second | `motion`, to 30 a second |
/// |---|---|---|
/// | 640×360 | 0.6 Mbit/s | 0.8 Mbit/s |
/// | 960×540 | 1.0 | 1.5 |
/// | 1280×720 | 1.5 | 2.5 |
/// | 1920×1080 | 2.5 | 4.5 |
/// | 2560×1440 | 4.0 | 8.0 |
/// | larger | 6.0 | 12.0 |
///
/// These are for constrained baseline; High profile needs an eighth less. `detail` keeps the screen's own size, `motion` and
/// `auto` fit it into 1920×1080; `auto` gets the bits of `motion`.
public struct EncodingParameters: Hashable, Sendable {
    /// What `recommended` was asked for.
    public var mode: ContentMode
    /// For `ShareConfiguration.size`, where it stays also in another mode.
    public var size: OutputSize
    /// Bits per second.
    public var maximumBitrate: Int

    /// Pictures a second at most: what the mode keeps to by itself. What plays leaves at its own rate, up to this.
    public var maximumFrameRate: Int { mode == .detail ? 15 : 30 }

    /// What the viewers' decoders take.
    @nonexhaustive public enum Profile: Hashable, Sendable {
        /// Constrained baseline every WebRTC endpoint takes (RFC 7742 § 6.2); High needs an eighth fewer bits.
        case constrainedBaseline, high
    }

    /// Numbers of one's own, unchecked; `recommended` has those of the table.
    public init(mode: ContentMode, size: OutputSize, maximumBitrate: Int) {
        self.mode = mode
        self.size = size
        self.maximumBitrate = maximumBitrate
    }

    /// What the table says.
    ///
    /// - Parameters:
    ///   - screenWidth: in pixels; so is `screenHeight`.
    ///   - profile: High while every viewer takes it, as browsers do.
    public static func recommended(
        for mode: ContentMode, screenWidth: Int, screenHeight: Int, profile: Profile = .high
    ) -> EncodingParameters {
        let size = mode.size
        func side(_ length: Int) -> Int { max(1, min(SourceLimits.screen, length)) }
        let screen = PixelSize(width: side(screenWidth), height: side(screenHeight))
        let pixels = size.geometry(of: screen, in: mode).picture.area
        let row = rows.first { pixels <= $0.pixels } ?? largest
        let bits = mode == .detail ? row.detail : row.motion
        return EncodingParameters(mode: mode, size: size, maximumBitrate: profile == .high ? bits * eighthsOfHigh / 8 : bits)
    }

    /// What High needs of the table's bits: CABAC saves an eighth.
    private static let eighthsOfHigh = 7

    private typealias Row = (pixels: Int, detail: Int, motion: Int)
    private static let rows: [Row] = [
        (640 * 360, 600_000, 800_000), (960 * 540, 1_000_000, 1_500_000), (1280 * 720, 1_500_000, 2_500_000),
        (1920 * 1080, 2_500_000, 4_500_000), (2560 * 1440, 4_000_000, 8_000_000),
    ]
    private static let largest: Row = (.max, 6_000_000, 12_000_000)
}

extension ShareConfiguration {
    /// Takes over mode, size and bit rate.
    public mutating func use(_ parameters: EncodingParameters) {
        mode = parameters.mode
        size = parameters.size
        maximumBitrate = parameters.maximumBitrate
    }
}
