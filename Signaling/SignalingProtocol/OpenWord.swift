/// A word of a message, of which later versions may know more.
///
/// One that isn't known here is passed over, as an unknown field is: where a word may be missing it is taken for missing,
/// and in a list it is left out.
package protocol OpenWord: RawRepresentable<String>, Codable, CaseIterable, Sendable {}

/// A word that may not be missing.
protocol NeededWord: OpenWord {
    /// What one that isn't known here is read as.
    static var unknown: Self { get }
}

// What the compiler writes for `Codable` calls these for words, in place of the library's, which throw at an unknown one.
extension KeyedDecodingContainer {
    func decode<Word: NeededWord>(_ type: Word.Type, forKey key: Key) throws -> Word {
        try Word(rawValue: decode(String.self, forKey: key)) ?? .unknown
    }

    func decodeIfPresent<Word: OpenWord>(_ type: Word.Type, forKey key: Key) throws -> Word? {
        try decodeIfPresent(String.self, forKey: key).flatMap(Word.init)
    }

    func decodeIfPresent<Word: OpenWord>(_ type: [Word].Type, forKey key: Key) throws -> [Word]? {
        try decodeIfPresent([String].self, forKey: key)?.compactMap(Word.init)
    }
}
