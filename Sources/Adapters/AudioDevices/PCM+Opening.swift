import CALSA
import Glibc

extension PCM {
    /// Opens a PCM of ALSA's configuration, such as "hw:CARD=PCH,DEV=0", and starts it. Blocks.
    ///
    /// The device's own rate is taken if it can be; ALSA's conversions come in where nothing else works.
    static func open(name: String, _ wish: CaptureWish) throws(ALSAFailure) -> PCM {
        let direct = try open(name)
        do throws(ALSAFailure) {
            try direct.configure(wish, resampling: false)
            return try direct.started()
        } catch {
            direct.close()
            guard error.code == EINVAL else { throw error }
        }
        let converting = try open("plug:SLAVE=\"\(name)\"")
        try converting.configure(wish, resampling: true)
        return try converting.started()
    }

    /// Opens a source of a sound server through ALSA's plugin for PulseAudio, and starts it. Blocks.
    ///
    /// The plugin is named by a configuration of ours: that of the system may be without it, and loading it takes a
    /// connection to the server more.
    static func open(pulseSource name: String, server: String?, _ wish: CaptureWish) throws(ALSAFailure) -> PCM {
        let text = pulseConfiguration(source: name, server: server)
        let pcm = try open(ALSALog()) { handle in openPulse(&handle, text) }
        try pcm.configure(wish, resampling: false)
        return try pcm.started()
    }

    static func pulseConfiguration(source: String, server: String?) -> String {
        let server = server.map { " server \(quoted($0))" } ?? ""
        return "pcm.capture { type pulse device \(quoted(source))\(server) }"
    }

    /// A string in ALSA's configuration; control characters are left out.
    private static func quoted(_ text: String) -> String {
        let safe = text.unicodeScalars.filter { $0.value >= 32 && $0.value != 127 }
        let escaped = safe.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : String($0) }
        return "\"\(escaped.joined())\""
    }

    private static func open(_ name: String) throws(ALSAFailure) -> PCM {
        try open(ALSALog()) { handle in
            snd_pcm_open(&handle, name, SND_PCM_STREAM_CAPTURE, Int32(SND_PCM_NONBLOCK))
        }
    }

    private static func open(
        _ log: ALSALog, _ body: (inout OpaquePointer?) -> Int32
    ) throws(ALSAFailure) -> PCM {
        var handle: OpaquePointer?
        let result = log.during { body(&handle) }
        guard result >= 0, let handle else { throw ALSAFailure(code: -result, message: log.lastLine) }
        return PCM(adopting: handle, log: log)
    }

    private static func openPulse(_ handle: inout OpaquePointer?, _ configuration: String) -> Int32 {
        var tree: OpaquePointer?
        var result = snd_config_top(&tree)
        guard result >= 0, let tree else { return result }
        defer { snd_config_delete(tree) }
        var input: OpaquePointer?
        result = snd_input_buffer_open(&input, configuration, configuration.utf8.count)
        guard result >= 0, let input else { return result }
        defer { snd_input_close(input) }
        result = snd_config_load(tree, input)
        guard result >= 0 else { return result }
        return snd_pcm_open_lconf(&handle, "capture", SND_PCM_STREAM_CAPTURE, Int32(SND_PCM_NONBLOCK), tree)
    }

    private func started() throws(ALSAFailure) -> PCM {
        try start()
        return self
    }
}
