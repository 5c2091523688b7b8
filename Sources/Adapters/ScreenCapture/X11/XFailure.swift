import Media

/// Why a request got no answer.
enum XFailure: Error, Hashable {
    /// Not within the time allowed; the reply may still come.
    case timedOut
    /// The connection is broken.
    case lost
    /// The server answered with an error (X11 protocol § 4, the code).
    case refused(UInt8)
}

extension XFailure {
    /// What the failure means where an answer was indispensable.
    func captureError(_ display: String) -> CaptureError {
        switch self {
        case .timedOut: .unavailable("The X server of display \(display) does not answer.")
        case .lost: .lost("The X server of display \(display) is gone.")
        case .refused(let code): .unavailable("The X server of display \(display) refused a request (error \(code)).")
        }
    }
}

extension XConnection {
    /// Does what is indispensable for opening a source; its failure becomes a message for people.
    func require<Value>(_ body: () throws(XFailure) -> Value) throws(CaptureError) -> Value {
        do throws(XFailure) {
            return try BrokenPipe.held(body)
        } catch {
            throw error.captureError(display)
        }
    }
}
