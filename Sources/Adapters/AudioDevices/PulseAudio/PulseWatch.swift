import Media

/// Notices that a captured source is gone, or not the default any more.
///
/// A sound server may then move the capture to another source by itself, even from system sound to the microphone,
/// which nobody agreed to share. Used by one thread.
final class PulseWatch {
    private let server: PulseServer
    private let source: PulseSource
    private let target: PulseTarget

    init(_ server: PulseServer, over source: PulseSource, as target: PulseTarget) {
        self.server = server
        self.source = source
        self.target = target
        server.watchedSource = source.index
    }

    var descriptors: [PollEntry] { server.descriptors }

    var sourceIsGone: AudioSourceError { .lost("\(source.description) is gone.") }

    /// Takes what came from the server, and throws where the capture must end. Doesn't wait.
    func check() throws(AudioSourceError) {
        do throws(PulseFailure) {
            try server.catchUp()
        } catch {
            throw .lost("The sound server is gone.")
        }
        guard server.takeNews() else { return }
        if server.isWatchedSourceGone { throw sourceIsGone }
        if !target.isMet(by: source, server.defaults) {
            throw .lost("\(source.description) is not the default any more.")
        }
    }
}
