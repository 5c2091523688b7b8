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
    /// The most that video and sound may use together, in bits per second, 100,000…100,000,000; repairs come on top.
    public var maximumBitrate = 4_000_000
    /// Draws the mouse pointer into captured screens.
    public var showsCursor = true
    /// Viewers beyond this many are refused, 1…1000.
    public var maximumViewers = 100
    /// How viewers reach us.
    public var network = NetworkConfiguration()

    /// A silent share of a source; everything else as the properties' defaults say.
    public init(source: ShareSource) {
        self.source = source
    }
}
