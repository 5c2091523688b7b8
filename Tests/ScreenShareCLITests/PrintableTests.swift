import Testing

@testable import ScreenShare
@testable import ScreenShareCLI

@Suite("What others write into a line")
struct PrintableTests {
    @Test("neither a line nor a terminal's command can be forged", arguments: [
        ("a\nThe share is live.", "a\u{FFFD}The share is live."), ("a\r\nb", "a\u{FFFD}\u{FFFD}b"),
        ("\u{1B}[2Ja\u{85}b", "\u{FFFD}[2Ja\u{FFFD}b"), ("a\tb – ü", "a\tb – ü"),
        ("\u{202E}evil\u{202C} \u{2066}b\u{2069}", "\u{FFFD}evil\u{FFFD} \u{FFFD}b\u{FFFD}"), ("\u{200F}\u{5E9}", "\u{200F}\u{5E9}"),
    ])
    func replaced(text: String, expected: String) {
        #expect(Console.printable(text) == expected)
    }

    @Test("a device's name stays within its line")
    func devices() {
        let microphone = ShareableAudio(id: "pulse:a", name: "a\nok    display", kind: .microphone, isDefault: false)
        let lines = [microphone].text.split(separator: "\n")
        #expect(lines.suffix(2) == ["Microphones (--mic ID)", "  pulse:a  a\u{FFFD}ok    display"])
    }

    @Test("a server's words stay within their finding")
    func findings() {
        let finding = Finding(.signaling, .failure, "x: gone\nok    signaling      fine", advice: "Ask\nthem.")
        let lines = Diagnosis(findings: [finding]).text.split(separator: "\n")
        #expect(lines.count == 1 && lines[0].contains("gone\u{FFFD}ok") && lines[0].hasSuffix("Ask\u{FFFD}them."))
    }
}
