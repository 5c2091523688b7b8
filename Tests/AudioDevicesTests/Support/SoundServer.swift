import Glibc
import SystemClock
import TestSupport

/// A PulseAudio daemon of one test's own, in a folder of its own; the system's and the user's are not touched.
final class SoundServer {
    static let isInstalled =
        ["pulseaudio", "pactl", "paplay"].allSatisfy { Program.path($0) != nil } && hasPlugin
    /// Printed where the suite can't run: nothing of the sound server was tested then.
    static let skipNotice = """
        SKIPPED: NO test of capturing from a sound server ran \
        (apt install pulseaudio pulseaudio-utils libasound2-plugins)
        """

    /// Where ALSA looks for its plugin, by Debian's layout and others'.
    private static var hasPlugin: Bool {
        ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib"]
            .contains { access("\($0)/alsa-lib/libasound_module_pcm_pulse.so", R_OK) == 0 }
    }

    let folder: String
    private let modules: [String]
    private var process: Program?

    /// As `PULSE_SERVER` has it.
    var address: String { "unix:\(folder)/socket" }

    /// - Parameter modules: to be loaded, with their arguments; by default two speakers and a microphone.
    init(_ modules: [String] = SoundServer.desk) throws {
        self.modules = modules
        var template = Array("/tmp/sound-server-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Program.Failure("no temporary folder") }
        folder = template.withUnsafeBufferPointer { String(cString: $0.baseAddress.unsafelyUnwrapped) }
        try start()
    }

    deinit {
        kill()
        _ = try? Program("rm", ["-rf", folder]).wait()
    }

    /// Speakers (the default sink), others, and a microphone that hears what is played into the sink "cable".
    static let desk = [
        "\(nullSink)=speakers rate=48000 channels=2 \(named("sink", "Test Speakers"))",
        "\(nullSink)=headphones rate=44100 channels=1 \(named("sink", "Test Headphones"))",
        "\(nullSink)=cable rate=32000 channels=1 \(named("sink", "Test Cable"))",
        "module-remap-source source_name=microphone master=cable.monitor \(named("source", "Test Microphone"))",
    ]

    /// Without rewinds it is never more than 50 ms ahead; otherwise it begins with a sleep of up to 2 s.
    static let nullSink = "module-null-sink norewinds=1 sink_name"

    private static func named(_ kind: String, _ name: String) -> String {
        let words = name.split(separator: " ").joined(separator: "\\ ")
        return "\(kind)_properties=device.description=\"\(words)\""
    }

    func start() throws {
        let protocolModule = "module-native-protocol-unix auth-anonymous=1 socket=\(folder)/socket"
        process = try Program(
            "pulseaudio",
            [
                "-n", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no", "--realtime=no",
                "--high-priority=no", "--log-target=stderr",
            ] + ([protocolModule] + modules).flatMap { ["-L", $0] },
            environment: ["HOME=\(folder)", "XDG_RUNTIME_DIR=\(folder)"])
        for _ in 0..<300 {
            if (try? control("info")) != nil { return }
            Wakeup.made().wait(atMost: .milliseconds(10))
        }
        throw Program.Failure("pulseaudio did not start")
    }

    func kill() {
        process?.end(SIGKILL)
        process = nil
    }

    func stop() { process?.signal(SIGSTOP) }
    func resume() { process?.signal(SIGCONT) }

    /// Runs pactl to its end.
    func control(_ arguments: String...) throws {
        let status = try Program("pactl", arguments, environment: environment).wait()
        guard status == 0 else { throw Program.Failure("pactl \(arguments) ended with \(status)") }
    }

    /// Plays a tone until the result is let go, for a minute at most.
    func play(_ tone: Tone, into sink: String) throws -> Program {
        let file = "\(folder)/\(sink)-\(Int(tone.frequency)).raw"
        let second = tone.second
        let descriptor = open(file, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        defer { close(descriptor) }
        for _ in 0..<60 { _ = second.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) } }
        return try Program(
            "paplay",
            [
                "--raw", "--format=float32le", "--rate=\(tone.sampleRate)", "--channels=1", "--latency-msec=400",
                "--device=\(sink)", file,
            ], environment: environment)
    }

    private var environment: [String] { ["PULSE_SERVER=\(address)", "HOME=\(folder)"] }
}
