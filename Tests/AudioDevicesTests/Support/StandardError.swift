import Glibc
import TestSupport

/// The process's standard error stream.
enum StandardError {
    /// What was written to it meanwhile; it is passed on afterwards.
    static func written(during body: () throws -> Void) throws -> String {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw Program.Failure("no pipe") }
        let stream = dup(STDERR_FILENO)
        dup2(ends[1], STDERR_FILENO)
        defer { close(ends[0]) }
        let result = Result { try body() }
        dup2(stream, STDERR_FILENO)
        close(stream)
        close(ends[1])
        // Less than a pipe holds.
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = max(0, read(ends[0], &bytes, bytes.count))
        _ = write(STDERR_FILENO, bytes, count)
        try result.get()
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }
}
