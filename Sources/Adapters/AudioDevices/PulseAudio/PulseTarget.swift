import Media

/// Which source of a sound server is meant.
enum PulseTarget: Hashable {
    /// What is to be heard on the default output.
    case defaultMonitor
    /// The default input.
    case defaultMicrophone
    case named(String)

    /// The source that is meant, among those there are.
    func resolve(
        among sources: [PulseSource], _ defaults: PulseServer.Defaults
    ) throws(AudioSourceError) -> PulseSource {
        switch self {
        case .defaultMonitor:
            if let source = sources.first(where: { $0.monitoredSink == defaults.sink }) { return source }
            throw .unavailable("The sound server has no output whose sound could be captured; connect one.")
        case .defaultMicrophone:
            // Without a microphone a server takes a monitor for the default source: that would share system sound.
            if let source = sources.first(where: { $0.name == defaults.source && !$0.isMonitor }) { return source }
            throw .unavailable("There is no microphone: connect one, or choose it in the settings for sound.")
        case .named(let name):
            if let source = sources.first(where: { $0.name == name }) { return source }
            throw .unavailable("The sound server has no source \"\(name)\". \(Self.names(of: sources))")
        }
    }

    /// Whether `source` is still what is meant.
    func isMet(by source: PulseSource, _ defaults: PulseServer.Defaults) -> Bool {
        switch self {
        case .defaultMonitor: source.monitoredSink == defaults.sink
        case .defaultMicrophone: source.name == defaults.source
        case .named: true
        }
    }

    private static func names(of sources: [PulseSource]) -> String {
        sources.isEmpty ? "It has none." : "It has: \(sources.map(\.name).joined(separator: ", "))."
    }
}
