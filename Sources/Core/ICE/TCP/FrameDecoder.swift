import Datagrams

/// The connection carries something else than framed packets; nothing after it can be told apart.
package enum FrameError: Error, Hashable, Sendable {
    case tooLong
}

/// Cuts the bytes of a connection into packets, each behind its length in 16 bits (RFC 4571 § 2, RFC 6544 § 10.1).
///
/// A length that no packet of ours has ends it: most other protocols begin with one. Never more is kept than one packet
/// and what was appended last.
package struct FrameDecoder: Sendable {
    private var buffer: [UInt8] = []
    /// Where the next frame begins.
    private var start = 0
    private static let headerBytes = 2

    package init() {}

    package mutating func append(_ bytes: [UInt8]) {
        buffer.removeFirst(start)
        start = 0
        buffer += bytes
    }

    /// The next whole packet; nil until more has come. Null packets are skipped.
    package mutating func next() throws(FrameError) -> [UInt8]? {
        while let length = buffer.read({ $0.u16(at: start) }) {
            guard length <= Limits.frameBytes else { throw .tooLong }
            let begin = start + Self.headerBytes
            let end = begin + Int(length)
            guard end <= buffer.count else { return nil }
            start = end
            if length > 0 { return Array(buffer[begin..<end]) }
        }
        return nil
    }
}
