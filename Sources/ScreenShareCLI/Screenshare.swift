import ArgumentParser

/// The command `screenshare`.
@main
struct Screenshare: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "screenshare",
        abstract: "Share a screen over WebRTC, and watch one.",
        discussion: """
            Share:  screenshare host --room demo
            Watch:  open the printed address in a browser, or screenshare view --room demo > out.h264
            Where something does not work:  screenshare doctor

            Every option can also be set in the environment: SCREENSHARE_ROOM, SCREENSHARE_SIGNALING and so on \
            (upper case, dashes as underscores; several of one kind with commas between them). An option on the \
            command line wins.

            Exit codes: 0 done, 64 wrong usage, 69 something needed is not there (display, server, room), \
            70 internal error, 74 output can't be written, 77 not allowed.
            """,
        version: ScreenshareVersion.text,
        subcommands: [
            HostCommand.self, ViewCommand.self, ServeCommand.self, SourcesCommand.self, DoctorCommand.self,
        ]
    )

    static func main() async {
        ProcessSetup.prepare()
        let given = Array(CommandLine.arguments.dropFirst())
        let arguments = EnvironmentArguments.merge(given, environment: EnvironmentArguments.current)
        do {
            try await run(arguments)
        } catch let failure as Failure {
            if failure.code == .usage { tellOfVariables(in: arguments, beyond: given) }
            Console.error("screenshare: \(failure.message)")
            exit(withError: ExitCode(failure.code.rawValue))
        } catch {
            if exitCode(for: error) == .validationFailure { tellOfVariables(in: arguments, beyond: given) }
            exit(withError: error)
        }
    }

    private static func run(_ arguments: [String]) async throws {
        do {
            var command = try parseAsRoot(arguments)
            if var runnable = command as? any AsyncParsableCommand {
                try await runnable.run()
            } else {
                try command.run()
            }
        } catch where exitCode(for: error) == .success {
            // Help, a version, completions: `exit(withError:)` would not tell that they can't be written.
            try OutputFile.printLine(fullMessage(for: error))
        }
    }

    /// The complaint names options, which nobody may have typed.
    private static func tellOfVariables(in arguments: [String], beyond given: [String]) {
        let names = EnvironmentArguments.variables(of: arguments.dropFirst(given.count))
        if !names.isEmpty { Console.error("screenshare: from the environment: \(names.joined(separator: ", "))") }
    }
}

enum ScreenshareVersion {
    static let text = "0.1.0"
}
