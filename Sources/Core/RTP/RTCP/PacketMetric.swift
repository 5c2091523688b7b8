import Datagrams
import Timebase

/// What congestion control feedback says of one packet, as it stands on the wire: R, ECN and ATO (RFC 8888 § 3.1).
package struct PacketMetric: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt16

    package static let notReceived = PacketMetric(rawValue: 0)

    private static let received: UInt16 = 0x8000
    private static let offsets: UInt16 = 0x1fff
    /// Longer ago than can be said.
    private static let beyondRange: UInt16 = 0x1ffe
    /// Not known, or after the report's own time.
    private static let unknown: UInt16 = 0x1fff
    private static let tick = Duration.seconds(1) / 1024
    private static let longestOffset = tick * 8189

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// A packet that came.
    ///
    /// - Parameter offset: how long before the report's time; nil where that is not known.
    package init(offset: Duration?, ecn: ECN = .notCapable) {
        rawValue = Self.received | UInt16(ecn.rawValue) << 13 | Self.ticks(offset)
    }

    package var isReceived: Bool { rawValue & Self.received != 0 }

    package var ecn: ECN { isReceived ? ECN(rawValue: UInt8(rawValue >> 13 & 3)) ?? .notCapable : .notCapable }

    /// How long before the report's time the packet came; nil where it didn't, or nobody can say.
    package var offset: Duration? {
        let ticks = rawValue & Self.offsets
        return isReceived && ticks < Self.beyondRange ? Self.tick * Int(ticks) : nil
    }

    private static func ticks(_ offset: Duration?) -> UInt16 {
        guard let offset, offset >= .zero else { return unknown }
        guard offset <= longestOffset else { return beyondRange }
        return UInt16((offset.nanoseconds * 1024 + 500_000_000) / 1_000_000_000)
    }
}
