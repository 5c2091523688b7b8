import Datagrams
import Timebase

@testable import ICE

/// The room reads spans, the tests hold arrays.
extension STUNMessage {
    init(_ bytes: [UInt8]) throws(STUNError) {
        self = try bytes.read { span throws(STUNError) in try STUNMessage(span) }
    }

    static func verify(_ bytes: [UInt8], key: [UInt8]) -> IntegrityAlgorithm? {
        verify(bytes.span.bytes, key: key, with: TestAuthenticator())
    }
}

extension STUNHeader {
    init(_ bytes: [UInt8]) throws(STUNError) {
        self = try bytes.read { span throws(STUNError) in try STUNHeader(span) }
    }
}

extension CRC32 {
    static func checksum(of bytes: [UInt8], upTo end: Int) -> UInt32 { checksum(of: bytes.span.bytes, upTo: end) }
}

extension ICEAgent {
    @discardableResult
    mutating func receive(
        _ bytes: [UInt8], local: TransportAddress, from remote: TransportAddress, at now: Instant
    ) -> Bool {
        receive(bytes.span.bytes, local: local, from: remote, at: now)
    }

    static func localUfrag(of bytes: [UInt8]) -> String? { localUfrag(of: bytes.span.bytes) }
}
