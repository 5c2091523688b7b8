import ArgumentParser
import Testing

@testable import ScreenShare
@testable import ScreenShareCLI

@Suite("Sound devices that host is told")
struct NamedDeviceTests {
    private func plan(_ words: String) throws -> (configuration: AudioConfiguration, text: String) {
        let options = try AudioOptions.parse(words.split(separator: " ").map(String.init))
        return try options.plan(among: [], isUnknown: { $0 == "nope" })
    }

    @Test("one that ALSA doesn't know is not there", arguments: ["--mic nope", "--system nope", "--audio both --mic nope"])
    func unknown(words: String) throws {
        let failure = #expect(throws: Failure.self) { _ = try plan(words) }
        #expect(failure?.code == .unavailable && failure?.message.contains("\"nope\"; see screenshare sources") == true)
    }

    @Test("one that ALSA knows is taken, though no list has it")
    func known() throws {
        let named = try plan("--mic plug:hw:1").configuration
        guard case .device("plug:hw:1")? = named.microphone else { Issue.record("\(named)"); return }
        #expect(try plan("--audio both --mic null").text.contains("null"))
    }

    @Test("that there is none of a kind is told where others are")
    func missing() {
        let speaker = ShareableAudio(id: "pulse:speaker.monitor", name: "Speaker", kind: .system, isDefault: true)
        let words = "the microphone"
        #expect(AudioOptions.unnamed(words, .microphone, [speaker]) == "the microphone (there is none now)")
        #expect(AudioOptions.unnamed(words, .system, [speaker]) == words)
        #expect(AudioOptions.unnamed(words, .microphone, nil) == words)
    }

    @Test("that there is none at all is told too, of what is shared all the same")
    func none() throws {
        func text(_ words: String, mayExist: Bool) throws -> String {
            let options = try AudioOptions.parse(words.split(separator: " ").map(String.init))
            return try options.plan(among: [], mayExist: mayExist).text
        }
        let missing = "Sound: system sound (there is none now) and the microphone (there is none now)."
        #expect(try text("--audio both", mayExist: false) == missing)
        #expect(try text("--audio both", mayExist: true) == "Sound: system sound and the microphone.", "nobody answered")
        #expect(try text("", mayExist: false) == "No sound is shared.", "nobody asked for any")
    }
}
