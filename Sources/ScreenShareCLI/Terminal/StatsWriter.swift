import FoundationEssentials
import Glibc

/// Writes one JSON object a second, a line each, to a file or standard output.
///
/// It waits for nobody: what a reader that is behind has no room for is kept, and lines that come meanwhile are left out.
final class StatsWriter {
    private let descriptor: Int32
    private let encoder: JSONEncoder
    private var isClosed = false
    /// The rest of a line that the reader had no room for.
    private var rest: ArraySlice<UInt8> = []
    /// Why the statistics are incomplete.
    private(set) var failure: Failure?

    /// - Parameter path: `-` is standard output.
    init(path: String) throws {
        encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if path == "-" {
            descriptor = try ProcessSetup.standardOutput()
        } else {
            descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
            if descriptor < 0 {
                throw Failure(.outputError, "can't write statistics to \(path): \(String(cString: strerror(errno)))")
            }
        }
    }

    /// A whole line, unless one before it has not been taken yet.
    func write(_ record: some Encodable) {
        push()
        guard failure == nil, !isClosed, rest.isEmpty, let line = try? encoder.encode(record) else { return }
        rest = ([UInt8](line) + [UInt8(ascii: "\n")])[...]
        push()
    }

    /// What can be written at once: so much and no more never waits where there is any room (pipe(7)).
    private func push() {
        while failure == nil, !isClosed, !rest.isEmpty, hasRoom {
            let piece = Array(rest.prefix(Int(PIPE_BUF)))
            do throws(OutputFile.WriteError) {
                try OutputFile.writeAll(piece, to: descriptor)
                rest = rest.dropFirst(piece.count)
            } catch {
                giveUp(after: error)
            }
        }
    }

    private var hasRoom: Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return poll(&entry, 1, 0) > 0
    }

    private func giveUp(after error: OutputFile.WriteError) {
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
