import Datagrams

/// Steps through a message's attributes and checks their layout; the bytes are passed along.
struct AttributeWalk {
    struct Field {
        let type: STUNAttributeType
        /// Where the attribute's own header begins.
        let start: Int
        let value: Range<Int>
    }

    private var cursor: Cursor
    private var count = 0
    private var isSealed = false
    private var isOver = false

    /// - Precondition: the bytes begin with a valid header.
    init(_ bytes: RawSpan) {
        cursor = Cursor(min(STUNHeader.byteCount, bytes.byteCount)..<bytes.byteCount)
    }

    /// The next attribute that counts; nil at the end.
    mutating func next(_ bytes: RawSpan) throws(STUNError) -> Field? {
        while let field = try step(bytes) {
            switch field.type {
            case .messageIntegrity, .messageIntegritySHA256:
                isSealed = true
                return field
            case .fingerprint:
                isOver = true
                return field
            default: if !isSealed { return field }  // RFC 8489 § 9: what follows message integrity is ignored
            }
        }
        return nil
    }

    private mutating func step(_ bytes: RawSpan) throws(STUNError) -> Field? {
        if cursor.remaining == 0 { return nil }
        if isOver { throw .misplacedFingerprint }
        count += 1
        guard count <= Limits.attributes else { throw .tooManyAttributes }
        let start = cursor.offset
        guard let type = cursor.u16(bytes), let length = cursor.u16(bytes) else { throw .truncated }
        guard let value = cursor.take(Int(length)), cursor.take((4 - Int(length) % 4) % 4) != nil else {
            throw .truncatedAttribute(type)
        }
        return Field(type: STUNAttributeType(type), start: start, value: value)
    }
}
