/// Every bound of the Ogg Opus writer, with its reason. Samples are at 48 kHz.
enum Limits {
    /// A page holds a second at most, so that no more is lost with the process.
    static let pageSamples: Int64 = 48_000
    /// An hour: what is farther ahead than this comes from a clock that began anew, and isn't waited for in silence.
    static let gapSamples: Int64 = 3600 * 48_000
    /// Ten seconds: no packet is held up for so long; what is farther behind comes from a clock that began anew.
    static let lateSamples: Int64 = 10 * 48_000
}
