import FoundationEssentials
import NIOCore
import SignalingProtocol

/// JSON in and out, with the bounds that hold for all bodies.
enum JSON {
    static func encode(_ value: some Encodable) throws -> ByteBuffer {
        ByteBuffer(bytes: try encoder.encode(value))
    }

    static func text(_ value: some Encodable) throws -> String {
        String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    static func decode<Message: Decodable>(
        _ type: Message.Type, from body: ByteBuffer
    ) throws(ProblemError) -> Message {
        let bytes = body.readableBytesView
        switch JSONOutline.fault(in: bytes) {
        case .nestedTooDeeply: throw ProblemError(.malformedJSON, detail: "It is nested too deeply.")
        case .danglingComma: throw ProblemError(.malformedJSON)
        case nil: break
        }
        do {
            return try JSONDecoder().decode(type, from: Data(bytes))
        } catch {
            throw ProblemError(.malformedJSON, detail: detail(of: error))
        }
    }

    /// Which field is wrong, without its value.
    private static func detail(of error: any Error) -> String? {
        guard let error = error as? DecodingError else { return nil }
        switch error {
        case .keyNotFound(let key, let context):
            return "The field \(path(context.codingPath + [key])) is missing."
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            return context.codingPath.isEmpty ? nil : "The field \(path(context.codingPath)) is not as it should be."
        @unknown default:
            return nil
        }
    }

    private static func path(_ keys: [any CodingKey]) -> String {
        keys.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".")
    }

    private static var encoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }
}
