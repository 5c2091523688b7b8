import FoundationEssentials
import Glibc

/// Writes one JSON object a second, a line each, to a file or standard output.
final class StatsWriter {
    private let descriptor: Int32
    private let encoder: JSONEncoder

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

    func write(_ record: some Encodable) {
        guard var line = try? encoder.encode(record) else { return }
        line.append(UInt8(ascii: "\n"))
        _ = line.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
    }

    deinit {
        if descriptor != STDOUT_FILENO { close(descriptor) }
    }
}
