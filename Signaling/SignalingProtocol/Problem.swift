/// An error as JSON (RFC 9457).
package struct Problem: Codable, Sendable, Equatable {
    package var type: String
    package var title: String
    package var status: Int
    package var detail: String?

    package init(_ type: ProblemType, detail: String? = nil) {
        self.type = type.uri
        title = type.title
        status = type.status
        self.detail = detail
    }

    package static let mediaType = "application/problem+json"
}

/// The kinds of problem, each with a name that stays as it is: clients may rely on it.
package enum ProblemType: String, Sendable, CaseIterable {
    case malformedRequest = "malformed-request"
    case malformedJSON = "malformed-json"
    case malformedSDP = "malformed-sdp"
    case invalidRoomName = "invalid-room-name"
    case tokenRequired = "token-required"
    case tokenRejected = "token-rejected"
    case originNotAllowed = "origin-not-allowed"
    case sharingNotAllowed = "sharing-not-allowed"
    case notFound = "not-found"
    case shareNotFound = "share-not-found"
    case sessionNotFound = "session-not-found"
    case methodNotAllowed = "method-not-allowed"
    case requestTimeout = "request-timeout"
    case roomTaken = "room-taken"
    case noSharer = "no-sharer"
    case alreadyAnswered = "already-answered"
    case notEstablished = "not-established"
    case restartSuperseded = "restart-superseded"
    case preconditionFailed = "precondition-failed"
    case contentTooLarge = "content-too-large"
    case unsupportedMediaType = "unsupported-media-type"
    case hostNotAllowed = "host-not-allowed"
    case offerNotServed = "offer-not-served"
    case preconditionRequired = "precondition-required"
    case tooManyRequests = "too-many-requests"
    case headerTooLarge = "header-too-large"
    case internalError = "internal-error"
    case methodUnknown = "method-unknown"
    case sharerSilent = "sharer-silent"
    case sharerBusy = "sharer-busy"
    case roomFull = "room-full"
    case serverBusy = "server-busy"
    case noAnswer = "no-answer"

    package var uri: String { "urn:screenshare:problem:\(rawValue)" }

    package init?(uri: String) {
        let prefix = "urn:screenshare:problem:"
        guard uri.hasPrefix(prefix) else { return nil }
        self.init(rawValue: String(uri.dropFirst(prefix.count)))
    }

    package var status: Int {
        switch self {
        case .malformedRequest, .malformedJSON, .malformedSDP, .invalidRoomName: 400
        case .tokenRequired: 401
        case .tokenRejected, .originNotAllowed, .sharingNotAllowed: 403
        case .notFound, .shareNotFound, .sessionNotFound: 404
        case .methodNotAllowed: 405
        case .requestTimeout: 408
        case .roomTaken, .noSharer, .alreadyAnswered, .notEstablished, .restartSuperseded: 409
        case .preconditionFailed: 412
        case .contentTooLarge: 413
        case .unsupportedMediaType: 415
        case .hostNotAllowed: 421
        case .offerNotServed: 422
        case .preconditionRequired: 428
        case .tooManyRequests: 429
        case .headerTooLarge: 431
        case .internalError: 500
        case .methodUnknown: 501
        case .sharerSilent, .sharerBusy, .roomFull, .serverBusy: 503
        case .noAnswer: 504
        }
    }

    /// One sentence for people.
    package var title: String {
        switch self {
        case .malformedRequest: "The request is not well-formed."
        case .malformedJSON: "The body is not the JSON that is expected here."
        case .malformedSDP: "The body is not well-formed SDP."
        case .invalidRoomName: "A room name has 1 to 64 letters, digits, or characters of -._~"
        case .tokenRequired: "A token is needed here."
        case .tokenRejected: "The token is not the right one."
        case .originNotAllowed: "Pages from this origin may not do this."
        case .sharingNotAllowed: "This server doesn't let the room be shared."
        case .notFound: "There is nothing at this address."
        case .shareNotFound: "There is no such share, or the secret is not its own."
        case .sessionNotFound: "There is no such session, or it may not be touched."
        case .methodNotAllowed: "This address doesn't take this method."
        case .requestTimeout: "The request took too long to arrive."
        case .roomTaken: "Somebody else is sharing in this room."
        case .noSharer: "Nobody is sharing in this room."
        case .alreadyAnswered: "The session has its answer already."
        case .notEstablished: "The session isn't established yet."
        case .restartSuperseded: "A newer ICE restart has taken this one's place."
        case .preconditionFailed: "The ICE session has changed since."
        case .contentTooLarge: "The body is larger than is taken here."
        case .unsupportedMediaType: "The body has a content type that isn't taken here."
        case .hostNotAllowed: "This server doesn't answer for this host name."
        case .offerNotServed: "The offer has nothing this sharer can send."
        case .preconditionRequired: "If-Match with the session's ETag is needed."
        case .tooManyRequests: "Too many requests in a short time."
        case .headerTooLarge: "The request's header is too large."
        case .internalError: "Something went wrong in the server."
        case .methodUnknown: "This method isn't known here."
        case .sharerSilent: "The sharer is not heard at the moment."
        case .sharerBusy: "The sharer cannot take the offer now."
        case .roomFull: "The room has as many viewers as it takes."
        case .serverBusy: "The server has too much to do at the moment."
        case .noAnswer: "The sharer didn't answer in time."
        }
    }
}
