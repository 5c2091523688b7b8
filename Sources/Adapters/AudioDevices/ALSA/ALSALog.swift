import CALSA
import Glibc

/// Takes ALSA's messages in place of the standard error stream, and keeps the last one of each call.
///
/// ALSA lets every thread have a handler of its own; the one of the process is left to whoever owns the process.
final class ALSALog {
    private(set) var lastLine: String?

    /// Where a thread's messages go: ALSA's handler has no context.
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        return key
    }()

    /// Calls ALSA on this thread.
    func during<Value, Failure: Error>(_ body: () throws(Failure) -> Value) throws(Failure) -> Value {
        lastLine = nil
        let outer = pthread_getspecific(Self.key)
        pthread_setspecific(Self.key, Unmanaged.passUnretained(self).toOpaque())
        let outerHandler = snd_lib_error_set_local { _, _, _, error, format, arguments in
            guard let format, let arguments, let log = pthread_getspecific(ALSALog.key) else { return }
            var text = [CChar](repeating: 0, count: 512)
            vsnprintf(&text, text.count, format, arguments)
            Unmanaged<ALSALog>.fromOpaque(log).takeUnretainedValue().take(text, error: error)
        }
        defer {
            snd_lib_error_set_local(outerHandler)
            pthread_setspecific(Self.key, outer)
        }
        return try body()
    }

    private func take(_ text: [CChar], error: Int32) {
        let bytes = text.prefix { $0 != 0 && $0 != 10 }.map { UInt8(bitPattern: $0) }
        let line = String(decoding: bytes, as: UTF8.self)
        lastLine = error == 0 ? line : "\(line): \(String(cString: snd_strerror(error)))"
    }
}
