/// `POST …/sessions/{sessionId}/answer`: what the sharer says to an offer.
package enum SessionReply: Codable, Sendable, Equatable {
    case answer(sdp: String)
    case refusal(Refusal)

    private enum CodingKeys: String, CodingKey {
        case sdp, refusal
    }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        let refusal = try fields.decodeIfPresent(Refusal.self, forKey: .refusal)
        let sdp = try fields.decodeIfPresent(String.self, forKey: .sdp)
        switch (sdp, refusal) {
        case (let sdp?, nil): self = .answer(sdp: sdp)
        case (nil, let refusal?): self = .refusal(refusal)
        case (nil, nil), (_?, _?):
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "exactly one of sdp and refusal is needed"))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .answer(let sdp): try fields.encode(sdp, forKey: .sdp)
        case .refusal(let refusal): try fields.encode(refusal, forKey: .refusal)
        }
    }
}

/// Why a sharer doesn't take an offer.
package struct Refusal: Codable, Sendable, Equatable {
    package enum Reason: String, NeededWord {
        /// The offer is no SDP, or breaks its rules.
        case malformed
        /// The offer has nothing we can serve; a counter-offer says what would do.
        case unsupported
        /// As many viewers as the sharer wants.
        case full
        /// The sharer cannot answer now.
        case busy

        package static let unknown = Reason.busy
    }

    package var reason: Reason
    /// One plain sentence for whoever wrote the offer; no addresses, no SDP.
    package var detail: String?
    /// An SDP offer the viewer may answer instead (draft-ietf-wish-whep, "Server Sends Counter-Offer").
    package var counterOffer: String?

    package init(_ reason: Reason, detail: String? = nil, counterOffer: String? = nil) {
        self.reason = reason
        self.detail = detail
        self.counterOffer = counterOffer
    }
}

/// `POST …/sessions/{sessionId}/fragment`: the sharer's side of an ICE restart.
package struct RestartReply: Codable, Sendable, Equatable {
    /// New ufrag, password and candidates (RFC 8840 § 9.2).
    package var fragment: String
    /// The tag that came with the restart; it names the new ICE session.
    package var restart: EntityTag

    package init(fragment: String, restart: EntityTag) {
        self.fragment = fragment
        self.restart = restart
    }
}
