import Glibc
import SystemClock
import TestSupport

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
        guard pipe(&descriptors) == 0 else { throw Program.Failure("no pipe") }
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
        guard !text.isEmpty else { throw Program.Failure("Xvfb did not start") }
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
            Wakeup.made().wait(atMost: time)
            Glibc.kill(identifier, SIGCONT)
        }
    }

    /// Runs a tool of X11 on this screen, to its end.
    func run(_ tool: String, _ arguments: String...) throws {
        let program = try Program(tool, arguments, environment: ["DISPLAY=\(display)"])
        let status = program.wait()
        guard status == 0 else { throw Program.Failure("\(tool) \(arguments) ended with \(status)") }
    }

    /// A mode of this size, chosen at once; Xvfb takes sizes up to the one it started with.
    func resize(width: Int, height: Int) throws {
        let mode = "size\(width)x\(height)"
        try run("xrandr", "--newmode", mode, "0", "\(width)", "0", "0", "0", "\(height)", "0", "0", "0")
        try run("xrandr", "--addmode", "screen", mode)
        try run("xrandr", "--output", "screen", "--mode", mode)
    }
}
