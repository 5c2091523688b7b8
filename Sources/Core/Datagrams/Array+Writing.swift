/// Big-endian writes at the end of a packet that grows.
extension [UInt8] {
    @inlinable package mutating func append(u8 value: UInt8) { append(value) }

    @inlinable package mutating func append(u16 value: UInt16) {
        append(UInt8(truncatingIfNeeded: value >> 8))
        append(UInt8(truncatingIfNeeded: value))
    }

    @inlinable package mutating func append(u24 value: UInt32) {
        append(UInt8(truncatingIfNeeded: value >> 16))
        append(u16: UInt16(truncatingIfNeeded: value))
    }

    @inlinable package mutating func append(u32 value: UInt32) {
        append(u16: UInt16(truncatingIfNeeded: value >> 16))
        append(u16: UInt16(truncatingIfNeeded: value))
    }

    @inlinable package mutating func append(u64 value: UInt64) {
        append(u32: UInt32(truncatingIfNeeded: value >> 32))
        append(u32: UInt32(truncatingIfNeeded: value))
    }

    /// Overwrites two bytes, for lengths known only at the end.
    /// - Precondition: they are there already.
    @inlinable package mutating func set(u16 value: UInt16, at offset: Int) {
        self[offset] = UInt8(truncatingIfNeeded: value >> 8)
        self[offset + 1] = UInt8(truncatingIfNeeded: value)
    }

    /// The whole array as a span for the parsers.
    @inlinable package func read<Result, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(span.bytes)
    }
}
