import Datagrams

/// SDES (RFC 3550 § 6.5); of its items only CNAME is kept.
package struct SourceDescription: Hashable, Sendable {
    /// One source and its canonical name; nil where the chunk has none, or none in UTF-8.
    package struct Chunk: Hashable, Sendable {
        package var ssrc: UInt32
        package var canonicalName: String?

        package init(ssrc: UInt32, canonicalName: String?) {
            self.ssrc = ssrc
            self.canonicalName = canonicalName
        }
    }

    /// At most 31 are written.
    package var chunks: [Chunk]

    package init(chunks: [Chunk]) {
        self.chunks = chunks
    }

    /// The usual one: a single source.
    package init(ssrc: UInt32, canonicalName: String) {
        chunks = [Chunk(ssrc: ssrc, canonicalName: canonicalName)]
    }

    /// A name for one session: 96 random bits in Base64, so that nobody is followed from session to session by it
    /// (RFC 7022 § 4.2).
    package static func randomName(using random: inout some RandomNumberGenerator) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        let bytes = (0..<16).map { _ in alphabet[Int(truncatingIfNeeded: random.next() & 63)] }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Item types (RFC 3550 § 6.5).
    private static let end: UInt8 = 0
    private static let cname: UInt8 = 1

    init?(_ span: RawSpan, _ header: RTCPHeader) {
        var cursor = Cursor(header.body)
        chunks = []
        for _ in 0..<header.count {
            guard let chunk = Self.chunk(span, &cursor) else { return nil }
            chunks.append(chunk)
        }
    }

    private static func chunk(_ span: RawSpan, _ cursor: inout Cursor) -> Chunk? {
        guard let ssrc = cursor.u32(span) else { return nil }
        var chunk = Chunk(ssrc: ssrc, canonicalName: nil)
        while let type = cursor.u8(span) {
            if type == end {
                // "the list of items … terminated by one or more null octets … until the next 32-bit boundary". An
                // RTCP datagram's packets all start at multiples of four.
                return cursor.take(-cursor.offset & 3) == nil ? nil : chunk
            }
            guard let length = cursor.u8(span), let value = cursor.take(Int(length)) else { return nil }
            if type == cname, let bytes = span.copy(value) {
                chunk.canonicalName = String(validating: bytes, as: UTF8.self)
            }
        }
        return nil
    }

    package func append(to bytes: inout [UInt8]) {
        let chunks = chunks.prefix(31)
        RTCPHeader.append(to: &bytes, type: .sourceDescription, count: UInt8(chunks.count)) { bytes in
            for chunk in chunks { Self.append(chunk, to: &bytes) }
        }
    }

    private static func append(_ chunk: Chunk, to bytes: inout [UInt8]) {
        let start = bytes.count
        bytes.append(u32: chunk.ssrc)
        if let name = chunk.canonicalName?.utf8, name.count <= 255 {
            bytes.append(u8: cname)
            bytes.append(u8: UInt8(name.count))
            bytes.append(contentsOf: name)
        }
        let length = bytes.count - start
        bytes.append(contentsOf: repeatElement(end, count: 4 - length % 4))
    }
}
