import Logging

extension Console {
    /// Log lines go where everything human goes, above the status line.
    static func logger(level: Logger.Level) -> Logger {
        var logger = Logger(label: "screenshare") { _ in ConsoleLogHandler() }
        logger.logLevel = level
        return logger
    }
}

private struct ConsoleLogHandler: LogHandler {
    var logLevel = Logger.Level.warning
    var metadata: Logger.Metadata = [:]

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let all = metadata.merging(event.metadata ?? [:]) { $1 }
        let details = all.isEmpty ? "" : " " + all.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }.joined(separator: " ")
        Console.line("\(event.level): \(event.message)\(details)")
    }
}
