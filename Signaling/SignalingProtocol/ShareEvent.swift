/// What the server tells a sharer, as one server-sent event each.
package enum ShareEvent: Sendable, Equatable {
    /// A viewer wants to join; `POST …/answer` replies.
    case offer(SessionOffer)
    /// Candidates of a viewer, or an ICE restart that waits for `POST …/fragment`.
    case candidates(SessionCandidates)
    /// A viewer's answer to our counter-offer.
    case answer(SessionAnswer)
    /// A viewer left, or gave up before it was answered.
    case left(SessionLeft)

    package enum Name: String, Sendable, CaseIterable {
        case offer, candidates, answer, left
    }

    package var name: Name {
        switch self {
        case .offer: .offer
        case .candidates: .candidates
        case .answer: .answer
        case .left: .left
        }
    }

    package var sessionId: RandomID {
        switch self {
        case .offer(let event): event.sessionId
        case .candidates(let event): event.sessionId
        case .answer(let event): event.sessionId
        case .left(let event): event.sessionId
        }
    }

    /// The event's `data` field before it becomes JSON.
    package var payload: any Encodable & Sendable {
        switch self {
        case .offer(let event): event
        case .candidates(let event): event
        case .answer(let event): event
        case .left(let event): event
        }
    }

    /// Reads an event back; `decode` turns the `data` field into the type it is asked for.
    package init(_ name: Name, decode: (any Decodable.Type) throws -> any Decodable) throws {
        func read<Payload: Decodable>(_ type: Payload.Type) throws -> Payload {
            guard let payload = try decode(type) as? Payload else { throw UndecodableEvent() }
            return payload
        }
        switch name {
        case .offer: self = .offer(try read(SessionOffer.self))
        case .candidates: self = .candidates(try read(SessionCandidates.self))
        case .answer: self = .answer(try read(SessionAnswer.self))
        case .left: self = .left(try read(SessionLeft.self))
        }
    }

    private struct UndecodableEvent: Error {}
}

package struct SessionOffer: Codable, Sendable, Equatable {
    package var sessionId: RandomID
    package var sdp: String
    /// The entity-tag of the session's first ICE session.
    package var etag: EntityTag

    package init(sessionId: RandomID, sdp: String, etag: EntityTag) {
        self.sessionId = sessionId
        self.sdp = sdp
        self.etag = etag
    }
}

package struct SessionCandidates: Codable, Sendable, Equatable {
    package var sessionId: RandomID
    /// `application/trickle-ice-sdpfrag` (RFC 8840 § 9).
    package var fragment: String
    /// Set where the fragment restarts ICE: the reply must carry the same tag.
    package var restart: EntityTag?

    package init(sessionId: RandomID, fragment: String, restart: EntityTag? = nil) {
        self.sessionId = sessionId
        self.fragment = fragment
        self.restart = restart
    }
}

package struct SessionAnswer: Codable, Sendable, Equatable {
    package var sessionId: RandomID
    package var sdp: String

    package init(sessionId: RandomID, sdp: String) {
        self.sessionId = sessionId
        self.sdp = sdp
    }
}

package struct SessionLeft: Codable, Sendable, Equatable {
    package var sessionId: RandomID

    package init(sessionId: RandomID) {
        self.sessionId = sessionId
    }
}
