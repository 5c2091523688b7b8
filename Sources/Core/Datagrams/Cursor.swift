/// A reading position in bytes that are passed along with each call, because a type cannot store a span.
///
///     var cursor = Cursor(span)
///     guard let type = cursor.u16(span), let length = cursor.u16(span) else { throw .truncated }
///     guard let value = cursor.take(Int(length)) else { throw .truncated }     // a checked range
package struct Cursor: Sendable {
    package private(set) var offset: Int
    package let end: Int

    package init(_ span: borrowing RawSpan) {
        offset = 0
        end = span.byteCount
    }

    /// - Precondition: the range lies within the span that is read.
    package init(_ range: Range<Int>) {
        offset = range.lowerBound
        end = range.upperBound
    }

    package var remaining: Int { end - offset }

    package mutating func u8(_ span: borrowing RawSpan) -> UInt8? {
        guard remaining >= 1, let value = span.u8(at: offset) else { return nil }
        offset += 1
        return value
    }

    package mutating func u16(_ span: borrowing RawSpan) -> UInt16? {
        guard remaining >= 2, let value = span.u16(at: offset) else { return nil }
        offset += 2
        return value
    }

    package mutating func u24(_ span: borrowing RawSpan) -> UInt32? {
        guard remaining >= 3, let value = span.u24(at: offset) else { return nil }
        offset += 3
        return value
    }

    package mutating func u32(_ span: borrowing RawSpan) -> UInt32? {
        guard remaining >= 4, let value = span.u32(at: offset) else { return nil }
        offset += 4
        return value
    }

    package mutating func u64(_ span: borrowing RawSpan) -> UInt64? {
        guard remaining >= 8, let value = span.u64(at: offset) else { return nil }
        offset += 8
        return value
    }

    /// The range of the next `count` bytes, stepped over; nil where fewer are left.
    package mutating func take(_ count: Int) -> Range<Int>? {
        guard count >= 0, count <= remaining else { return nil }
        defer { offset += count }
        return offset..<(offset + count)
    }
}
