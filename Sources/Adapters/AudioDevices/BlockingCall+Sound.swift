import Media
import SystemClock

extension BlockingCall {
    /// Begins a call that sound waits for.
    static func ofSound(
        name: String, _ body: @escaping @Sendable () -> Value
    ) throws(AudioSourceError) -> BlockingCall {
        do throws(BlockingCallError) {
            return try BlockingCall(name: name, body)
        } catch {
            switch error {
            case .noDescriptor: throw .noDescriptor
            case .noThread: throw .noThread
            }
        }
    }
}

extension AudioSourceError {
    /// What may pass, as the lack of descriptors may.
    fileprivate static let noThread = AudioSourceError.unavailable(
        "The process may start no more threads; sound waits for one.")
}
