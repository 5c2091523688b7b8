import Glibc

/// A file that may be left full by whoever reads it: what finds no room is left out then.
struct ConsoleOutput {
    /// A pipe with room takes so much without blocking (PIPE_BUF, pipe(7)).
    private static let chunk = 4096

    private let descriptor: Int32
    /// The last write had no room.
    private var isStuck = false

    /// - Parameter descriptor: stays as it is, others may have it too.
    init(_ descriptor: Int32) { self.descriptor = TerminalOutput.opened(anew: descriptor) ?? descriptor }

    /// - Parameter patience: milliseconds until it counts as not to be read.
    mutating func write(_ text: String, patience: Int32 = 0) {
        var text = text
        text.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)
            while let base = rest.baseAddress, !rest.isEmpty {
                isStuck = !hasRoom(patience: isStuck ? 0 : patience)
                if isStuck { return }
                let count = Glibc.write(descriptor, base, min(rest.count, Self.chunk))
                if count <= 0 { return }
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            }
        }
    }

    private func hasRoom(patience: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return poll(&entry, 1, patience) != 0
    }
}
