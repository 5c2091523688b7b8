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

    private static func open(_ name: String) throws(ALSAFailure) -> PCM {
        let log = ALSALog()
        var handle: OpaquePointer?
        let result = log.during { snd_pcm_open(&handle, name, SND_PCM_STREAM_CAPTURE, Int32(SND_PCM_NONBLOCK)) }
        guard result >= 0, let handle else { throw ALSAFailure(code: -result, message: log.lastLine) }
        return PCM(adopting: handle, log: log)
    }

    private func started() throws(ALSAFailure) -> PCM {
        try start()
        return self
    }
}
