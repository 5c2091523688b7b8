import CALSA
import Media

@testable import AudioDevices

/// The two ways to a source of a sound server.
enum Route: CaseIterable {
    /// A stream of the server's own, which is how its sources are captured.
    case stream
    /// ALSA's plugin for PulseAudio, a PCM that whoever wants it can name.
    case plugin

    func source(_ name: String, of server: SoundServer, period: Duration = .milliseconds(10)) -> DeviceSource {
        switch self {
        case .stream: return DeviceSource("pulse:\(name)", server: server.address, period: period)
        case .plugin:
            let configuration = "pcm.capture { type pulse device \"\(name)\" server \"\(server.address)\" }"
            return DeviceSource("plugin", preferring: .stereo48k) { () throws(AudioSourceError) in
                let pcm: PCM
                do throws(ALSAFailure) {
                    pcm = try Self.open(configuration)
                    try pcm.configure(CaptureWish(period: period), resampling: false)
                    try pcm.start()
                } catch {
                    throw error.unavailable("plugin")
                }
                return OpenDevice(source: try ALSACapture(pcm, of: "plugin"))
            }
        }
    }

    /// Opens the PCM "capture" of a configuration of ALSA's.
    private static func open(_ configuration: String) throws(ALSAFailure) -> PCM {
        var tree: OpaquePointer?
        var input: OpaquePointer?
        var handle: OpaquePointer?
        defer { if let tree { snd_config_delete(tree) } }
        defer { if let input { snd_input_close(input) } }
        let steps: [() -> Int32] = [
            { snd_config_top(&tree) },
            { snd_input_buffer_open(&input, configuration, configuration.utf8.count) },
            { snd_config_load(tree, input) },
            { snd_pcm_open_lconf(&handle, "capture", SND_PCM_STREAM_CAPTURE, Int32(SND_PCM_NONBLOCK), tree) },
        ]
        for step in steps {
            let result = step()
            if result < 0 { throw ALSAFailure(code: -result) }
        }
        guard let handle else { throw ALSAFailure(code: EINVAL) }
        return PCM(adopting: handle, log: ALSALog())
    }
}
