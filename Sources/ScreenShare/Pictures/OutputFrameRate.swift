/// A fixed output frame rate. In mode `auto` whatever is shown is treated as a film then, where a path is slow as well: its
/// pictures become smaller, not fewer, until nothing has changed for two seconds. In mode `detail` none is left out for
/// sharpness.
@nonexhaustive public enum OutputFrameRate: Int, Sendable, CaseIterable {
    /// 24 a second exactly, not 24000/1001.
    case fps24 = 24
    /// 30 a second exactly, not 30000/1001.
    case fps30 = 30
}
