import SignalingProtocol

/// What can go wrong between us and a signaling server, in words a person can read.
package enum SignalingError: Error, Equatable, Sendable, CustomStringConvertible {
    /// This is no address of a server.
    case badAddress(String)
    /// No answer: nothing listens there, the name isn't known, the time ran out.
    case unreachable(Unreachable)
    /// Nobody shares yet, the sharer is silent or busy, the room is full: worth another try after this time.
    case notThereYet(retryAfter: Duration, words: String)
    /// Somebody else is sharing in the room.
    case roomTaken(retryAfter: Duration)
    /// A token is needed.
    case tokenRequired
    /// The token isn't the right one, or the server doesn't let us do this.
    case forbidden(words: String)
    /// The share or the session doesn't exist any more.
    case gone
    /// The ICE session has changed since (412, 428).
    case stale
    /// Another server is to be asked: its scheme, host and port.
    case elsewhere(String)
    /// The server said no, for good.
    case refused(status: Int, words: String)
    /// The server said something we cannot read.
    case unreadable(String)
    case cancelled

    package enum Unreachable: String, Sendable {
        case connectionRefused = "nothing listens there"
        case unknownHost = "the name isn't known"
        case timeout = "it didn't answer in time"
        case insecure = "no secure connection could be made"
        case silent = "it fell silent"
        case brokenOff = "the connection broke off"
    }

    package var description: String {
        switch self {
        case .badAddress(let text): "“\(text)” is no address of a server"
        case .unreachable(let reason): "the signaling server cannot be reached: \(reason.rawValue)"
        case .notThereYet(_, let words): words
        case .roomTaken: "somebody else is sharing in this room"
        case .tokenRequired: "the room needs a token"
        case .forbidden(let words): words
        case .gone: "it doesn't exist any more"
        case .stale: "the ICE session has changed since"
        case .elsewhere(let server): "the address leads to \(server); name that one"
        case .refused(let status, let words): "the server refused (\(status)): \(words)"
        case .unreadable(let what): "the server's \(what) cannot be read"
        case .cancelled: "cancelled"
        }
    }

    /// Whether trying the same again makes sense.
    package var isTemporary: Bool {
        switch self {
        case .unreachable, .notThereYet, .roomTaken, .gone, .stale: true
        // 408: it did not come in time (RFC 9110 § 15.5.9); 425: it is to be sent again (RFC 8470 § 5.2).
        // 501: and never will be done.
        case .refused(let status, _): status >= 500 && status != 501 || status == 408 || status == 425
        case .badAddress, .tokenRequired, .forbidden, .elsewhere, .unreadable, .cancelled: false
        }
    }
}

extension SignalingError {
    /// RFC 6750 § 3.1 has servers say 401 to a token that lapsed or is none of theirs.
    static let tokenRefused = SignalingError.forbidden(words: "the token is not accepted")

    /// How long to wait at least before another try.
    package var retryAfter: Duration {
        switch self {
        case .notThereYet(let time, _), .roomTaken(let time): time
        case .badAddress, .unreachable, .tokenRequired, .forbidden, .gone, .stale, .elsewhere, .refused, .unreadable,
            .cancelled: .zero
        }
    }

    /// What a status other than success means. Unknown codes fall back to their class (draft-ietf-wish-whep, "HTTP
    /// Usage"); our own server's problem type tells more where there is one.
    init(_ response: HTTPReply) {
        let problem = response.problem
        let type = problem.flatMap { ProblemType(uri: $0.type) }
        let words = problem?.detail ?? problem?.title ?? "status \(response.status)"
        switch response.status {
        case 300..<400:
            self = response.otherServer.map(Self.elsewhere) ?? .refused(status: response.status, words: words)
        case 401: self = .tokenRequired
        case 403: self = .forbidden(words: words)
        case 404, 410: self = .gone
        case 409 where type == .roomTaken: self = .roomTaken(retryAfter: response.retryAfter)
        case 409 where type == nil || type == .noSharer, 429, 503, 504:
            self = .notThereYet(retryAfter: response.retryAfter, words: words)
        case 412, 428: self = .stale
        default: self = .refused(status: response.status, words: words)
        }
    }
}
