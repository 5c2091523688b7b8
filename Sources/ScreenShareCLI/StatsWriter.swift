import FoundationEssentials
import Glibc

/// Writes one JSON object a second, a line each, to a file or standard output.
final class StatsWriter {
    private let descriptor: Int32
    private let encoder: JSONEncoder
    private var isClosed = false
    /// Why the statistics are incomplete.
    private(set) var failure: Failure?

    /// - Parameter path: `-` is standard output.
    init(path: String) throws {
        encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if path == "-" {
            descriptor = STDOUT_FILENO
        } else {
            descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
            if descriptor < 0 {
                throw Failure(.outputError, "can't write statistics to \(path): \(String(cString: strerror(errno)))")
            }
        }
    }

    /// A whole line, or nothing more from then on.
    func write(_ record: some Encodable) {
        guard failure == nil, !isClosed, let line = try? encoder.encode(record) else { return }
        do throws(OutputFile.WriteError) {
            try OutputFile.writeAll([UInt8](line) + [UInt8(ascii: "\n")], to: descriptor)
        } catch {
            give(up: error)
        }
    }

    private func give(up error: OutputFile.WriteError) {
        switch error {
        case .closedPipe:
            isClosed = true
            Console.line("Nobody reads the statistics any more.")
        case .failed(let text):
            failure = Failure(.outputError, "can't write the statistics: \(text)")
            Console.line("The statistics can't be written: \(text). Going on without.")
        }
    }

    deinit {
        if descriptor != STDOUT_FILENO { close(descriptor) }
    }
}
