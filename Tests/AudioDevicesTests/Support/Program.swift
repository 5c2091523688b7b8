import Glibc

/// A child process.
final class Program {
    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    let identifier: pid_t
    private var hasEnded = false

    /// - Parameter environment: all of it, besides the search path.
    init(_ name: String, _ arguments: [String], environment: [String] = []) throws {
        guard let path = Self.path(name) else { throw Failure(description: "\(name) is not installed") }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for output in [STDOUT_FILENO, STDERR_FILENO] {
            posix_spawn_file_actions_addopen(&actions, output, "/dev/null", O_WRONLY, 0)
        }
        let words = [path] + arguments
        let variables = ["PATH=\(Self.searchPath)"] + environment
        var child = pid_t()
        let error: Int32 = Self.withVector(words) { words in
            Self.withVector(variables) { variables in posix_spawn(&child, path, &actions, nil, words, variables) }
        }
        guard error == 0 else { throw Failure(description: "\(name) can't be started: error \(error)") }
        identifier = child
    }

    deinit { end(SIGKILL) }

    func signal(_ number: Int32) {
        if !hasEnded { Glibc.kill(identifier, number) }
    }

    func end(_ number: Int32) {
        signal(number)
        _ = wait()
    }

    /// Waits for the end and returns the exit status.
    @discardableResult
    func wait() -> Int32 {
        if hasEnded { return 0 }
        hasEnded = true
        var status: Int32 = 0
        while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
        return status
    }

    /// Where a program lies on the search path.
    static func path(_ name: String) -> String? {
        searchPath.split(separator: ":").map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
    }

    private static var searchPath: String { getenv("PATH").map { String(cString: $0) } ?? "" }

    private static func withVector<Result>(
        _ strings: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) -> Result {
        var pointers = strings.map { strdup($0) } + [nil]
        defer { pointers.forEach { free($0) } }
        return pointers.withUnsafeMutableBufferPointer { body($0.baseAddress.unsafelyUnwrapped) }
    }
}
