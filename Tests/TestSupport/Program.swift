import Glibc

/// A child process.
package final class Program {
    package struct Failure: Error, CustomStringConvertible {
        package var description: String

        package init(_ description: String) { self.description = description }
    }

    package let identifier: pid_t
    private var hasEnded = false

    /// - Parameters:
    ///   - environment: all of it, besides the search path and, unless it says otherwise, the home folder.
    ///   - descriptor: becomes descriptor 3 of the child.
    package init(
        _ name: String, _ arguments: [String], environment: [String] = [], inheriting descriptor: Int32? = nil
    ) throws {
        guard let path = Self.path(name) else { throw Failure("\(name) is not installed") }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for output in [STDOUT_FILENO, STDERR_FILENO] {
            posix_spawn_file_actions_addopen(&actions, output, "/dev/null", O_WRONLY, 0)
        }
        if let descriptor { posix_spawn_file_actions_adddup2(&actions, descriptor, 3) }
        let inherited = ["PATH", "HOME"]
            .filter { name in !environment.contains { $0.hasPrefix("\(name)=") } }
            .map { "\($0)=" + Self.variable($0) }
        var child = pid_t()
        let error: Int32 = Self.withVector([path] + arguments) { words in
            Self.withVector(inherited + environment) { posix_spawn(&child, path, &actions, nil, words, $0) }
        }
        guard error == 0 else { throw Failure("\(name) can't be started: error \(error)") }
        identifier = child
    }

    deinit { end(SIGKILL) }

    package func signal(_ number: Int32) {
        if !hasEnded { Glibc.kill(identifier, number) }
    }

    package func end(_ number: Int32) {
        signal(number)
        _ = wait()
    }

    /// Waits for the end and returns the exit status.
    @discardableResult
    package func wait() -> Int32 {
        if hasEnded { return 0 }
        hasEnded = true
        var status: Int32 = 0
        while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
        return status
    }

    /// Where a program lies on the search path.
    package static func path(_ name: String) -> String? {
        variable("PATH").split(separator: ":").map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
    }

    private static func variable(_ name: String) -> String { getenv(name).map { String(cString: $0) } ?? "" }

    private static func withVector<Result>(
        _ strings: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) -> Result {
        var pointers = strings.map { strdup($0) } + [nil]
        defer { pointers.forEach { free($0) } }
        return pointers.withUnsafeMutableBufferPointer { body($0.baseAddress.unsafelyUnwrapped) }
    }
}
