import Timebase

/// A rate that films, calls and games are made in.
package struct CadenceRate: Hashable, Sendable {
    /// 24, 25, 30, 50 or 60.
    package let nominal: Int64
    /// A thousandth slower, as colour television made it: 23.976, 29.97, 59.94.
    package let isFractional: Bool

    init(_ nominal: Int64, isFractional: Bool = false) {
        self.nominal = nominal
        self.isFractional = isFractional
    }

    /// Those that a few pictures can tell from each other; the fractional ones show in the long run.
    static let nominal = [24, 25, 30, 50, 60].map { CadenceRate($0) }

    package var frameRate: FrameRate {
        isFractional ? FrameRate(nominal * 1000, per: 1001) : FrameRate(nominal)
    }

    var hasFractional: Bool { nominal % 6 == 0 }

    /// In nanoseconds.
    var period: Double { 1e9 / frameRate.framesPerSecond }
}
