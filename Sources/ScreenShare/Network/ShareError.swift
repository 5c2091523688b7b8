/// What can go wrong in a share or a view, in words for a person.
@nonexhaustive public enum ShareError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The source can't be opened, or has gone; what to do is in the text.
    case source(String)
    /// Encoding failed.
    case codec(String)
    /// Sockets, addresses, servers' names, the limits of open files and threads; for a viewer, that the sharer can't be
    /// reached.
    case network(String)
    /// An offer, an answer or a trickle fragment is not SDP, or breaks its rules; the text names what is wrong.
    case malformedDescription(String)
    /// The offer has nothing that can be served (no H.264, no fingerprint); the text names what is wrong.
    case offerRefused(String)
    /// As many viewers as allowed are connected.
    case full
    /// No such viewer, the call does not fit the state, or what it was given is malformed.
    case invalid(String)
    /// A token is missing or wrong, or a TURN server refuses the credentials.
    case forbidden(String)
    /// The signaling server refused for good, says what can't be read, or its address is none.
    case signaling(String)
    /// What is asked for is not there now: the signaling server can't be reached or has too much to do, or, for a viewer whose
    /// patience has ended, nobody shares or no picture came. Worth another try, after this time at least: a second where nobody
    /// said when.
    case unavailable(String, retryAfter: Duration)
    /// Somebody else is sharing in the room, or was until a moment ago: a share that was killed keeps its room, until this time
    /// has passed at most.
    case roomTaken(retryAfter: Duration)
    /// The task that asked was cancelled.
    case cancelled

    /// The case's text; those without one have their own.
    public var description: String {
        switch self {
        case .source(let text), .codec(let text), .network(let text), .malformedDescription(let text),
            .offerRefused(let text), .invalid(let text), .forbidden(let text), .signaling(let text),
            .unavailable(let text, _):
            text
        case .full: "as many viewers as allowed are connected"
        case .roomTaken(let time):
            "somebody else is sharing in this room, or was until a moment ago: choose another name, or try again in "
                + "\(time.components.seconds) s"
        case .cancelled: "cancelled"
        }
    }
}

extension ShareError {
    /// Who tries again as soon as it may doesn't spin.
    static func later(_ text: String, after time: Duration) -> Self {
        .unavailable(text, retryAfter: max(time, .seconds(1)))
    }
}
