/// Where the pictures come from.
@nonexhaustive public enum ShareSource: Sendable {
    /// A whole X display, `:0` style; nil reads `DISPLAY`.
    case display(String?)
    /// A monitor by its RandR name, such as `HDMI-1`.
    case monitor(String, display: String?)
    /// One window, by id (`0x…` or decimal) or by a part of its title; that it was closed is told by
    /// `ShareEvent.sourceEnded`.
    case window(String, display: String?)
    /// A rectangle of the display, in pixels from its upper left corner, 1 pixel or more a side. Of one that lies nowhere
    /// on the screen where the share begins an error tells.
    case region(x: Int, y: Int, width: Int, height: Int, display: String?)
    /// A drawn pattern with known colours and something moving, 30 pictures a second, 1…8192 pixels a side: needs no
    /// display.
    case testPattern(width: Int, height: Int)
    /// Frames that the embedder pushes.
    case custom(CustomVideoSource)
}
