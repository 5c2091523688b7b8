import Glibc
import SystemClock

/// An Xvfb of one test's own, on a display that was free.
final class VirtualScreen {
    static let isInstalled = Program.path("Xvfb") != nil
    /// Printed where the suite can't run: nothing of capture was tested then.
    static let skipNotice = "SKIPPED: Xvfb is not installed, so NO test of screen capture ran (apt install xvfb)"

    let display: String
    private let process: Program

    /// - Parameters:
    ///   - screen: size and depth, as Xvfb takes them.
    ///   - options: further options, such as `-extension MIT-SHM` to leave that out.
    init(_ screen: String = "1280x720x24", options: [String] = []) throws {
        var descriptors: [Int32] = [-1, -1]
        guard pipe(&descriptors) == 0 else { throw Program.Failure(description: "no pipe") }
        defer { close(descriptors[0]) }
        process = try Program(
            "Xvfb",
            ["-displayfd", "3", "-noreset", "-nolisten", "tcp", "-screen", "0", screen] + options,
            inheriting: descriptors[1])
        close(descriptors[1])
        var text: [UInt8] = []
        var byte: UInt8 = 0
        // Xvfb writes its number and a line feed once it is ready.
        while read(descriptors[0], &byte, 1) == 1, byte != 10 { text.append(byte) }
        guard !text.isEmpty else { throw Program.Failure(description: "Xvfb did not start") }
        display = ":" + String(decoding: text, as: UTF8.self)
    }

    deinit { kill() }

    func kill() { process.end(SIGKILL) }
    func stop() { process.signal(SIGSTOP) }
    func resume() { process.signal(SIGCONT) }

    /// Lets a stopped server go on in a while, as seen from a thread of its own.
    func resume(after time: Duration) {
        let identifier = process.identifier
        BlockingThread.start(name: "resume") {
            Wakeup().wait(atMost: time)
            Glibc.kill(identifier, SIGCONT)
        }
    }

    /// Runs a tool of X11 on this screen, to its end.
    func run(_ tool: String, _ arguments: String...) throws {
        let program = try Program(tool, arguments, environment: ["DISPLAY=\(display)"])
        let status = program.wait()
        guard status == 0 else { throw Program.Failure(description: "\(tool) \(arguments) ended with \(status)") }
    }

    /// A mode of this size, chosen at once; Xvfb takes sizes up to the one it started with.
    func resize(width: Int, height: Int) throws {
        let mode = "size\(width)x\(height)"
        try run("xrandr", "--newmode", mode, "0", "\(width)", "0", "0", "0", "\(height)", "0", "0", "0")
        try run("xrandr", "--addmode", "screen", mode)
        try run("xrandr", "--output", "screen", "--mode", mode)
    }
}

/// A child process.
final class Program {
    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    let identifier: pid_t
    private var hasEnded = false

    /// - Parameter inheriting: becomes descriptor 3 of the child.
    init(
        _ name: String, _ arguments: [String], environment: [String] = [], inheriting descriptor: Int32? = nil
    ) throws {
        guard let path = Self.path(name) else { throw Failure(description: "\(name) is not installed") }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for output in [STDOUT_FILENO, STDERR_FILENO] {
            posix_spawn_file_actions_addopen(&actions, output, "/dev/null", O_WRONLY, 0)
        }
        if let descriptor { posix_spawn_file_actions_adddup2(&actions, descriptor, 3) }
        let inherited = ["PATH", "HOME"].map { (name: String) in "\(name)=" + Self.environment(name) }
        let variables = inherited + environment
        let words = [path] + arguments
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
        environment("PATH").split(separator: ":").map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
    }

    private static func environment(_ name: String) -> String {
        getenv(name).map { String(cString: $0) } ?? ""
    }

    private static func withVector<Result>(
        _ strings: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) -> Result {
        var pointers = strings.map { strdup($0) } + [nil]
        defer { pointers.forEach { free($0) } }
        return pointers.withUnsafeMutableBufferPointer { body($0.baseAddress.unsafelyUnwrapped) }
    }
}
