import CLinux
import Glibc
import NIOPosix
import Synchronization

/// Standard output for video or Matroska, or a file of sound: written by a thread of its own, so that a slow reader blocks
/// nothing else.
final class OutputFile: Sendable {
    enum WriteError: Error {
        /// The reader has gone: a clean end.
        case closedPipe
        /// Disk full and the like, in words.
        case failed(String)
    }

    private let descriptor: Int32
    /// Where in the file this output begins; nil where what was written can't be changed.
    private let beginning: Int64?
    /// Why the first bytes were not written that could not be; those behind them have no place in the file.
    private let failure = Mutex<WriteError?>(nil)
    private let pool = NIOThreadPool(numberOfThreads: 1)

    init(descriptor: Int32) {
        self.descriptor = descriptor
        let isAppending = fcntl(descriptor, F_GETFL) & O_APPEND != 0
        let position = lseek(descriptor, 0, SEEK_CUR)
        beginning = isAppending || position < 0 ? nil : Int64(position)
        pool.start()
    }

    /// Whether it is read by somebody at the other end, not later: pipes and sockets have no position.
    static func isRead(_ descriptor: Int32) -> Bool { lseek(descriptor, 0, SEEK_CUR) < 0 && errno == ESPIPE }

    var isRead: Bool { Self.isRead(descriptor) }

    /// Everything, or an error; what was written before an error stays written, and nothing is behind it.
    ///
    /// At once where a pipe is empty, as that of a reader who keeps up is: to wake another thread takes longer than to
    /// write a picture.
    func write(_ bytes: [UInt8]) async throws {
        if bytes.isEmpty { return }
        if bytes.count <= linux_room_in_empty_pipe(descriptor) { return try append(bytes) }
        try await pool.runIfActive { try self.append(bytes) }
    }

    private func append(_ bytes: [UInt8]) throws(WriteError) {
        if let failure = failure.withLock({ $0 }) { throw failure }
        do throws(WriteError) { try Self.writeAll(bytes, to: descriptor) } catch {
            failure.withLock { $0 = error }
            throw error
        }
    }

    /// How many bytes of this output are in the file; nil where what was written can't be changed.
    var length: Int64? { beginning.map { Int64(lseek(descriptor, 0, SEEK_CUR)) - $0 } }

    /// Of a pipe that nobody reads any more.
    var hasLostReader: Bool {
        var entry = pollfd(fd: descriptor, events: 0, revents: 0)
        return poll(&entry, 1, 0) > 0 && entry.revents & Int16(POLLERR | POLLHUP) != 0
    }

    /// Puts bytes in place of some that were written; where the output is a pipe, nothing.
    ///
    /// - Parameter offset: since the beginning of this output.
    func rewrite(_ bytes: [UInt8], at offset: Int64) async throws {
        guard let beginning else { return }
        try await pool.runIfActive { [descriptor] in
            try Self.writeAll(bytes, to: descriptor, at: beginning + offset)
        }
    }

    /// - Parameter position: in the file; nil: where it has been written to.
    static func writeAll(_ bytes: [UInt8], to descriptor: Int32, at position: Int64? = nil) throws(WriteError) {
        var written = 0
        while written < bytes.count {
            let count = try writeSome(bytes[written...], to: descriptor, at: position.map { $0 + Int64(written) })
            written += count
            if count > 0 { continue }
            // A reader that made the pipe non-blocking: wait until it takes more.
            var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            poll(&entry, 1, 1000)
        }
    }

    /// What is taken at once.
    ///
    /// - Returns: how many bytes that is; 0 where there is no room for now.
    static func writeSome(
        _ bytes: ArraySlice<UInt8>, to descriptor: Int32, at position: Int64? = nil
    ) throws(WriteError) -> Int {
        while true {
            let count = bytes.withUnsafeBytes { rest in
                position.map { pwrite(descriptor, rest.baseAddress, rest.count, off_t($0)) }
                    ?? Glibc.write(descriptor, rest.baseAddress, rest.count)
            }
            if count > 0 { return count }
            switch errno {
            // The second is a socket's, as inetd(8) gives, whose reader left unread what had come.
            case EPIPE, ECONNRESET: throw .closedPipe
            case EAGAIN: return 0
            case EINTR: continue
            default: throw .failed(String(cString: strerror(errno)))
            }
        }
    }
}

extension OutputFile {
    /// A text and a line break to standard output. A reader who has gone is a clean end.
    ///
    /// - Throws: `Failure` where it can't be written; print(_:) would not tell.
    static func printLine(_ text: String) throws {
        let descriptor = try ProcessSetup.standardOutput()
        do throws(WriteError) {
            try writeAll([UInt8]((text + "\n").utf8), to: descriptor)
        } catch {
            if case .failed(let words) = error {
                throw Failure(.outputError, "can't write to standard output: \(words)")
            }
        }
    }
}
