import Foundation
import Testing

@testable import ScreenShare

@Suite("Signs of sound")
struct SoundSignsTests {
    /// Whether a machine with these files, and nothing else, may have sound.
    private func mayHaveSound(_ files: [String: String], _ environment: [String: String] = [:]) throws -> Bool {
        let root = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: root) }
        for (path, text) in files {
            let file = root.appending(path: path)
            try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
        let variables = environment.merging(["HOME": "/home/me"]) { given, _ in given }
        return SoundSigns(root: root.path) { variables[$0] }.areThere
    }

    @Test("a configuration of ALSA's is one, the machine's and the user's", arguments: [
        "etc/asound.conf", "home/me/.asoundrc", "home/me/.config/alsa/asoundrc", "dev/snd/controlC0", "run/pulse/native",
    ])
    func files(path: String) throws {
        #expect(try mayHaveSound([path: ""]))
    }

    @Test("a sound server's address is one, wherever libpulse reads it", arguments: [
        "etc/pulse/client.conf", "etc/pulse/client.conf.d/10-remote.conf", "home/me/.config/pulse/client.conf",
        "home/me/.config/pulse/client.conf.d/a.conf", "home/me/.pulse/client.conf",
    ])
    func server(path: String) throws {
        #expect(try mayHaveSound([path: "; autospawn = yes\n\n  default-server = unix:/run/other\n"]))
        #expect(try mayHaveSound([path: "default-server=tcp:example.org"]))
    }

    @Test("the configuration that comes with libpulse is none, nor is a server that is commented out or has no name", arguments: [
        "; default-server = example.org\n# default-server = example.org\nautospawn = yes\n", "default-server =\n", "",
        "default-sink = default-server = a\n",
    ])
    func noServer(text: String) throws {
        #expect(try !mayHaveSound(["etc/pulse/client.conf": text]))
        #expect(try !mayHaveSound(["etc/pulse/client.conf.d/backup": "default-server = a"]))
    }

    @Test("the environment may name other places")
    func environment() throws {
        let named = ["srv/client": "default-server = a"]
        #expect(try mayHaveSound(named, ["PULSE_CLIENTCONFIG": "/srv/client"]))
        #expect(try !mayHaveSound(named))
        #expect(try mayHaveSound(["cfg/alsa/asoundrc": ""], ["XDG_CONFIG_HOME": "/cfg"]))
        #expect(try mayHaveSound(["runtime/pulse/native": ""], ["XDG_RUNTIME_DIR": "/runtime"]))
        #expect(try mayHaveSound([:], ["PULSE_SERVER": "example.org"]))
        #expect(try !mayHaveSound([:]))
    }
}
