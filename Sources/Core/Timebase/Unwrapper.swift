/// Extends a wrapping counter (RTP sequence numbers, timestamps, transport-wide numbers) to 64 bits: each value is
/// taken as the one nearest to the highest seen (RFC 3550 appendix A.1 does so for sequence numbers).
package struct Unwrapper<Wrapped: FixedWidthInteger & UnsignedInteger & Sendable>: Sendable {
    package private(set) var highest: Int64?

    package init() {}

    /// What `value` extends to; nothing is remembered.
    package func peek(_ value: Wrapped) -> Int64 {
        guard let highest else { return Int64(value) }
        let difference = value &- Wrapped(truncatingIfNeeded: highest)
        let half = Wrapped(1) << (Wrapped.bitWidth - 1)
        return difference < half
            ? highest.addingSaturating(Int64(difference))
            : highest.subtractingSaturating(Int64(0 &- difference))
    }

    package mutating func unwrap(_ value: Wrapped) -> Int64 {
        let extended = peek(value)
        highest = max(highest ?? extended, extended)
        return extended
    }
}

extension Int64 {
    /// What 16 bits mean where nothing above this number can be meant: the newest number up to it that ends so.
    package func last(endingIn bits: UInt16) -> Int64 { self - Int64(UInt16(truncatingIfNeeded: self) &- bits) }
}
