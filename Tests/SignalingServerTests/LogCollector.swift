import Logging
import NIOConcurrencyHelpers

/// Keeps everything that is logged, at every level.
final class LogCollector: Sendable {
    private let lines = NIOLockedValueBox<[String]>([])

    var text: String { lines.withLockedValue { $0.joined(separator: "\n") } }

    var logger: Logger {
        var logger = Logger(label: "test") { _ in Handler(collector: self) }
        logger.logLevel = .trace
        return logger
    }

    private struct Handler: LogHandler {
        let collector: LogCollector
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        init(collector: LogCollector) {
            self.collector = collector
        }

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let all = metadata.merging(event.metadata ?? [:]) { _, last in last }
            collector.lines.withLockedValue { $0.append("\(event.level) \(event.message) \(all)") }
        }
    }
}
