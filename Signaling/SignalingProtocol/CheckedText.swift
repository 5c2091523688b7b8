/// A value that travels as one JSON string and is checked when it is read.
protocol CheckedText: Codable, LosslessStringConvertible {
    /// The text that goes on the wire; `description` may hide it.
    var wireText: String { get }
}

extension CheckedText {
    init(decodingText decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let value = Self(text) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "not a valid \(Self.self)"))
        }
        self = value
    }

    func encodeText(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(wireText)
    }
}
