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
        let opened = try Self.open(path)
        let terminal = TerminalOutput.opened(anew: opened)
        if terminal != nil { Self.close(opened) }
        descriptor = terminal ?? opened
    }

    private static func open(_ path: String) throws -> Int32 {
        if path == "-" { return try ProcessSetup.standardOutput() }
        let descriptor = Glibc.open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        if descriptor < 0 {
            throw Failure(.outputError, "can't write statistics to \(path): \(String(cString: strerror(errno)))")
        }
        return descriptor
    }

    private static func close(_ descriptor: Int32) {
        if descriptor != STDOUT_FILENO { Glibc.close(descriptor) }
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
            do throws(OutputFile.WriteError) {
                let count = try OutputFile.writeSome(rest.prefix(Int(PIPE_BUF)), to: descriptor)
                if count == 0 { return }
                rest = rest.dropFirst(count)
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

    deinit { Self.close(descriptor) }
}
