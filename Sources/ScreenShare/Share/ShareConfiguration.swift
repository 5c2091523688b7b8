/// What a share shows and how: everything `ShareSession` needs to know before it starts.
public struct ShareConfiguration: Sendable {
    /// Where the pictures come from.
    public var source: ShareSource
    /// How large the encoded picture is.
    public var size = OutputSize.automatic
    /// What the pictures are about, and so how fast frames leave.
    public var mode = ContentMode.auto
    /// A fixed rate that whatever is shown is turned into; nil: as the mode says.
    public var frameRate: OutputFrameRate?
    /// The sound that goes with the pictures.
    public var audio = AudioConfiguration.none
    /// How hard the encoder tries.
    public var preset = EncoderPreset.ultrafast
    /// The most that video and sound may use together, in bits per second, within `bitrates`; repairs come on top.
    public var maximumBitrate = 4_000_000
    /// Draws the mouse pointer into captured screens.
    public var showsCursor = true
    /// Viewers beyond this many are refused, and any beyond what `viewers` ends at.
    public var maximumViewers = 100
    /// How viewers reach us.
    public var network = NetworkConfiguration()

    /// A silent share of a source; everything else as the properties' defaults say.
    public init(source: ShareSource) {
        self.source = source
    }

    /// What video and sound can be bounded to together, in bits per second: 100,000…100,000,000. What is less or more counts
    /// as the least or the most.
    public static let bitrates: ClosedRange<Int> = 100_000...100_000_000
    /// How many viewers a share can have room for: 1…1000.
    public static let viewers: ClosedRange<Int> = 1...1000
}
