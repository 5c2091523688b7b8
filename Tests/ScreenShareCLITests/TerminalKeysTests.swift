import Testing

@testable import ScreenShareCLI

@Suite("Keys of a terminal")
struct TerminalKeysTests {
    private func keys(_ text: String) -> String { String(TerminalKeys.keys(in: Array(text.utf8)[...])) }

    @Test("letters are keys, several at once too")
    func letters() {
        #expect(keys("p") == "p")
        #expect(keys("P?q") == "P?q")
    }

    @Test(
        "keys that send several bytes are none of the letters in them",
        arguments: [
            "\u{1B}OP", "\u{1B}OQ", "\u{1B}OS", "\u{1B}O2Q", "\u{1B}[1;2Q", "\u{1B}[[B", "\u{1B}[12~", "\u{1B}[A",
            "\u{1B}\u{1B}OQ", "\u{1B}q", "\u{1B}p", "\u{1B}", "\u{1B}[", "\u{1B}O",
        ])
    func sequences(_ sequence: String) {
        #expect(keys(sequence) == "")
        #expect(keys("m" + sequence) == "m")
    }

    @Test("what is typed behind such a key is heard", arguments: ["\u{1B}OQ", "\u{1B}[1;2Q", "\u{1B}[[B", "\u{1B}[12~", "\u{1B}[A"])
    func behind(_ sequence: String) {
        #expect(keys(sequence + "p") == "p")
    }
}
