import Datagrams

/// A ClientHello in one datagram, one record and one fragment, as OpenSSL sends it (RFC 6347 § 4.2.2).
enum ClientHello {
    /// Record header 13, handshake header 12, version 2, random 32.
    private static let sessionIDOffset = 13 + 12 + 34

    /// The hello with further extensions; every length that covers them is corrected.
    static func adding(_ extensions: [UInt8], to hello: [UInt8]) -> [UInt8] {
        var hello = hello + extensions
        var offset = sessionIDOffset
        offset += 1 + Int(hello[offset])  // session id
        offset += 1 + Int(hello[offset])  // cookie
        offset += 2 + length16(hello, at: offset)  // cipher suites
        offset += 1 + Int(hello[offset])  // compression methods
        for position in [11, 14 + 1, 22 + 1, offset] {
            let length = length16(hello, at: position) + extensions.count
            hello.set(u16: UInt16(length), at: position)
        }
        return hello
    }

    private static func length16(_ bytes: [UInt8], at offset: Int) -> Int {
        Int(bytes[offset]) << 8 | Int(bytes[offset + 1])
    }
}
