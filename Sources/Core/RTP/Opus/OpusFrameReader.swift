import Datagrams

/// Finds the frames of an Opus packet (RFC 6716 § 3.2).
struct OpusFrameReader {
    private var cursor: Cursor

    /// A range that reaches past the bytes holds no packet.
    init(_ span: RawSpan, _ range: Range<Int>) {
        let isInside = range.lowerBound >= 0 && range.upperBound <= span.byteCount
        cursor = Cursor(isInside ? range : 0..<0)
    }

    mutating func toc(_ span: RawSpan) throws(OpusPacketError) -> OpusTOC {
        guard let byte = cursor.u8(span) else { throw .truncated }
        return OpusTOC(byte: byte)
    }

    /// The bytes behind the table of contents, cut into frames.
    mutating func frames(_ span: RawSpan, _ toc: OpusTOC) throws(OpusPacketError) -> [Range<Int>] {
        switch toc.code {
        case 0: try equalFrames(1)
        case 1: try equalFrames(2)
        case 2: try variableFrames(span, 2)
        default: try countedFrames(span, toc)
        }
    }

    /// Code 3: the byte "v p M", and padding at the end where `p` says so (§ 3.2.5).
    private mutating func countedFrames(_ span: RawSpan, _ toc: OpusTOC) throws(OpusPacketError) -> [Range<Int>] {
        guard let header = cursor.u8(span) else { throw .truncated }
        let count = Int(header & 0x3F)
        guard count > 0, count * toc.frameSamples <= Limits.opusPacketSamples else { throw .frameCount }
        if header & 0x40 != 0 { try cutPadding(span) }
        return header & 0x80 == 0 ? try equalFrames(count) : try variableFrames(span, count)
    }

    /// 255 means 254 bytes and another length byte.
    private mutating func cutPadding(_ span: RawSpan) throws(OpusPacketError) {
        var padding = 0
        var last: UInt8
        repeat {
            guard let byte = cursor.u8(span) else { throw .truncated }
            padding += min(Int(byte), 254)
            last = byte
        } while last == 255
        guard padding <= cursor.remaining else { throw .truncated }
        cursor = Cursor(cursor.offset..<cursor.end - padding)
    }

    private mutating func equalFrames(_ count: Int) throws(OpusPacketError) -> [Range<Int>] {
        guard cursor.remaining % count == 0 else { throw .unevenFrames }
        return try take(Array(repeating: cursor.remaining / count, count: count))
    }

    /// A length for each frame but the last, which takes what remains.
    private mutating func variableFrames(_ span: RawSpan, _ count: Int) throws(OpusPacketError) -> [Range<Int>] {
        var lengths: [Int] = []
        for _ in 1..<count { lengths.append(try frameLength(span)) }
        let rest = cursor.remaining - lengths.reduce(0, +)
        guard rest >= 0 else { throw .truncated }
        return try take(lengths + [rest])
    }

    /// § 3.2.1.
    private mutating func frameLength(_ span: RawSpan) throws(OpusPacketError) -> Int {
        guard let first = cursor.u8(span) else { throw .truncated }
        if first < 252 { return Int(first) }
        guard let second = cursor.u8(span) else { throw .truncated }
        return Int(second) * 4 + Int(first)
    }

    private mutating func take(_ lengths: [Int]) throws(OpusPacketError) -> [Range<Int>] {
        var frames: [Range<Int>] = []
        for length in lengths {
            guard length <= Limits.opusFrameBytes else { throw .frameTooLong }
            guard let frame = cursor.take(length) else { throw .truncated }
            frames.append(frame)
        }
        return frames
    }
}
