/// Checked big-endian reads: nil where the bytes end. Every parser of network input reads through these.
extension RawSpan {
    @inlinable package func u8(at offset: Int) -> UInt8? {
        guard offset >= 0, offset < byteCount else { return nil }
        return unsafeLoad(fromByteOffset: offset, as: UInt8.self)
    }

    @inlinable package func u16(at offset: Int) -> UInt16? { bigEndian(at: offset) }
    @inlinable package func u32(at offset: Int) -> UInt32? { bigEndian(at: offset) }
    @inlinable package func u64(at offset: Int) -> UInt64? { bigEndian(at: offset) }

    @inlinable package func u24(at offset: Int) -> UInt32? {
        guard let high = u8(at: offset), let low = u16(at: offset.addingClamped(1)) else { return nil }
        return UInt32(high) << 16 | UInt32(low)
    }

    /// A copy of the bytes in `range`; nil where it does not fit.
    package func copy(_ range: Range<Int>) -> [UInt8]? {
        guard range.lowerBound >= 0, range.upperBound <= byteCount else { return nil }
        return withUnsafeBytes { [UInt8](UnsafeRawBufferPointer(rebasing: $0[range])) }
    }

    @inlinable func bigEndian<Value: FixedWidthInteger & BitwiseCopyable>(at offset: Int) -> Value? {
        guard offset >= 0, offset <= byteCount - MemoryLayout<Value>.size else { return nil }
        return Value(bigEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: Value.self))
    }
}

extension Int {
    @inlinable func addingClamped(_ other: Int) -> Int {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}
