import Glibc
import ScreenShare

/// Why the command ends otherwise than well: one clear line, and a code of sysexits.h.
struct Failure: Error {
    enum Code: Int32 {
        case usage = 64
        case unavailable = 69
        case software = 70
        case outputError = 74
        case noPermission = 77
    }

    let code: Code
    let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// What ends a viewer: where it was, too, unless the server's words say so; without what may be secret.
    init(_ error: ShareError, at place: ViewedPlace) {
        let failure = Failure(error)
        let message = failure.message.replacing(place.address, with: place.shownAddress)
        let isNamed = message.contains(place.shownAddress)
        switch error {
        case .signaling where !isNamed, .unavailable where !isNamed: self.init(failure.code, "\(place.text): \(message)")
        default: self.init(failure.code, message)
        }
    }

    /// What the library says, as an exit code.
    init(_ error: ShareError) {
        switch error {
        case .source where !Self.isDisplayNamed: self.init(.unavailable, "\(error.description) Name one by --display.")
        case .source, .network, .full, .signaling, .unavailable, .roomTaken, .cancelled:
            self.init(.unavailable, error.description)
        case .offerRefused, .malformedDescription, .codec, .invalid: self.init(.software, error.description)
        case .forbidden: self.init(.noPermission, error.description)
        }
    }

    /// What ended an output; nil where its reader has gone, or it was broken off.
    init?(_ error: any Error, writing what: String) {
        switch error {
        case OutputFile.WriteError.closedPipe, is CancellationError: return nil
        case OutputFile.WriteError.failed(let words): self.init(.outputError, "can't write \(what): \(words)")
        case let failure as Failure: self = failure
        default: self.init(.software, "can't write \(what): \(error)")
        }
    }

    /// By the environment, or by an option, which the library knows nothing of.
    private static var isDisplayNamed: Bool {
        // An empty one names none.
        let variables = ["DISPLAY", "SCREENSHARE_DISPLAY"].compactMap { (name: String) in getenv(name) }.filter { $0.pointee != 0 }
        return !variables.isEmpty || CommandLine.arguments.contains { $0.hasPrefix("--display") }
    }
}
