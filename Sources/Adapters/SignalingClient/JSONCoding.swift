import FoundationEssentials
import NIOCore
import SignalingProtocol

/// JSON in and out. What a server sends is held to the same depth as what it takes.
enum JSONCoding {
    struct Malformed: Error {}

    static let mediaType = "application/json"

    static func encode(_ value: some Encodable) -> ByteBuffer {
        let encoder = JSONEncoder()
        // Base64 and SDP are full of slashes, and bodies have a bound.
        encoder.outputFormatting = .withoutEscapingSlashes
        // Our messages are strings and numbers, which always encode.
        return ByteBuffer(bytes: (try? encoder.encode(value)) ?? Data())
    }

    static func decode<Message: Decodable>(_ type: Message.Type, from body: ByteBuffer) throws -> Message {
        let bytes = body.readableBytesView
        guard JSONOutline.fault(in: bytes) == nil else { throw Malformed() }
        return try JSONDecoder().decode(type, from: Data(bytes))
    }
}
