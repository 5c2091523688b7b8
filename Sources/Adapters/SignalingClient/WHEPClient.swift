import FoundationEssentials
import NIOConcurrencyHelpers
import NIOCore
import NIOHTTP1
import SignalingProtocol
import Timebase

/// A WHEP player's side of signaling (draft-ietf-wish-whep): for our own server and for any other.
package struct WHEPClient: Sendable {
    private let endpoint: URL
    private let token: BearerToken?

    package init(endpoint: String, token: BearerToken? = nil) throws(SignalingError) {
        guard let url = URL(string: endpoint), url.isHTTP else { throw .badAddress(endpoint) }
        self.endpoint = url
        self.token = token
    }

    /// What a server said to our offer.
    package enum Outcome: Sendable {
        case answered(WHEPSession, sdp: String)
        /// It makes an offer of its own, to be answered by `WHEPSession.answer` within 30 s.
        case countered(WHEPSession, sdp: String)
    }

    /// Posts an offer and waits for the word on it.
    ///
    /// `.notThereYet` (409, 503 and the like) is worth another try after the time it names; `.tokenRequired` and
    /// `.forbidden` are not. A session whose answer breaks off, or can't be read, is left before that is said.
    ///
    /// - Parameter limit: for the word on it; nil: each server that is asked has as long as it may take.
    package func join(offer: String, within limit: Duration? = nil) async throws(SignalingError) -> Outcome {
        let reply = try await post(offer, until: limit.map { ContinuousClock.now + $0 })
        guard reply.beginsSession else { throw refusal(reply) }
        let begun = makeSession(of: reply)
        guard let sdp = reply.text, SDPOutline(description: sdp) != nil else {
            await begun?.abandon()
            throw .unreadable("answer")
        }
        guard let session = begun else { throw .unreadable("session address") }
        return reply.status == 201 ? .answered(session, sdp: sdp) : .countered(session, sdp: sdp)
    }

    /// A token that a server was not shown is neither missing nor wrong.
    private func refusal(_ reply: HTTPReply) -> SignalingError {
        guard reply.status == 401, token != nil else { return SignalingError(reply) }
        return reply.url.origin == endpoint.origin ? .tokenRefused : .elsewhere(reply.url.shownOrigin)
    }

    /// Nil where the reply begins none, or does not say where it is, or names an address that is not for it to name.
    private func makeSession(of reply: HTTPReply) -> WHEPSession? {
        guard reply.beginsSession, let address = reply.address(in: "Location"), reply.url.mayLead(to: address)
        else { return nil }
        let mayHaveToken = reply.url.origin == endpoint.origin && endpoint.mayPassToken(to: address)
        return WHEPSession(
            url: address, token: mayHaveToken ? token : nil, etag: reply.headers.first(name: "ETag"),
            iceServers: ICEServerLink.all(in: reply.headers), monitor: reply.monitor)
    }

    /// Follows 307 and 308, which keep the method (draft, "Load Balancing and Redirections"), to where the server may lead.
    /// Another origin doesn't get the token.
    private func post(_ offer: String, until end: ContinuousClock.Instant?) async throws(SignalingError) -> HTTPReply {
        var url = endpoint
        for _ in 0...ClientLimits.redirects {
            let call = HTTPCall(.POST, url, token: url.origin == endpoint.origin ? token : nil)
                .with("Accept", WHEPSession.sdpType)
                .with(body: ByteBuffer(string: offer), type: WHEPSession.sdpType)
            let limit = end.map { min($0 - ContinuousClock.now, ClientLimits.join) } ?? ClientLimits.join
            let reply = try await send(call, within: limit)
            guard reply.status == 307 || reply.status == 308 else { return reply }
            guard let next = reply.address(in: "Location") else { throw .unreadable("redirection") }
            guard !url.isSecure || next.isSecure else { throw .unreachable(.insecure) }
            guard url.mayLead(to: next) else { throw .elsewhere(next.shownOrigin) }
            url = next
        }
        throw .refused(status: 307, words: "redirected too often")
    }

    private func send(_ call: HTTPCall, within limit: Duration) async throws(SignalingError) -> HTTPReply {
        let begun = NIOLockedValueBox<HTTPReply?>(nil)
        do throws(SignalingError) {
            return try await HTTPTransport.send(call, within: limit, isHeld: true) { reply in
                begun.withLockedValue { $0 = reply }
            }
        } catch {
            if let reply = begun.withLockedValue(\.self) { await makeSession(of: reply)?.abandon() }
            throw error
        }
    }
}

/// A WHEP session at a server: candidates, restarts, goodbye. One request at a time, in order.
package actor WHEPSession {
    static let sdpType = "application/sdp"
    static let fragmentType = "application/trickle-ice-sdpfrag"

    /// STUN and TURN servers the server named.
    package nonisolated let iceServers: [ICEServerLink]
    private let url: URL
    private let token: BearerToken?
    /// Where the server tells what becomes of the session (RFC 5989), as ours does.
    private nonisolated let monitor: URL?
    /// The ICE session's tag; servers that know no trickle and no restart give none.
    private var etag: String?

    init(url: URL, token: BearerToken?, etag: String?, iceServers: [ICEServerLink], monitor: URL? = nil) {
        self.url = url
        self.token = token
        self.etag = etag
        self.iceServers = iceServers
        self.monitor = monitor
    }

    /// Follows what the room says to this viewer until the task is cancelled; not at all where it says nothing.
    package nonisolated func followRoom(_ told: @escaping @Sendable (RoomState) async -> Void) async {
        guard let monitor else { return }
        var (backoff, random) = (Backoff.signaling, SystemRandomNumberGenerator())
        while !Task.isCancelled {
            let began = ContinuousClock.now
            let error = await RoomStream(url: monitor).read(told)
            guard error.isTemporary, error != .gone else { return }
            if .now - began > ClientLimits.monitorSilence { backoff.reset() }
            var pause = backoff.next(using: &random)
            if case .notThereYet(let retryAfter, _) = error { pause = max(pause, retryAfter) }
            try? await Task.sleep(for: pause)
        }
    }

    /// Whether the server wants to hear of candidates (draft, "Trickle ICE").
    package var takesCandidates: Bool { etag != nil }

    /// Answers the server's counter-offer.
    package func answer(sdp: String) async throws(SignalingError) {
        let call = HTTPCall(.PATCH, url, token: token).with(body: ByteBuffer(string: sdp), type: Self.sdpType)
        try await expectSuccess(call)
    }

    /// Adds candidates to the present ICE session.
    package func trickle(_ fragment: String) async throws(SignalingError) {
        try await expectSuccess(patch(fragment).with("If-Match", etag))
    }

    /// What a server said to a restart.
    package struct Restarted: Sendable {
        /// The sharer's side.
        package let fragment: String
        fileprivate let etag: String?
    }

    /// Restarts ICE. What is trickled belongs to the session of before until `follow`.
    package func restart(_ fragment: String) async throws(SignalingError) -> Restarted {
        // The draft, "ICE Restarts": any ICE session, so an asterisk.
        let call = patch(fragment).with("If-Match", "*")
        let reply = try await HTTPTransport.send(call, within: ClientLimits.join, isHeld: true)
        guard reply.status == 200 else { throw SignalingError(reply) }
        guard let text = reply.text, TrickleFragment(text) != nil else { throw .unreadable("restart") }
        return Restarted(fragment: text, etag: reply.headers.first(name: "ETag"))
    }

    /// ICE has begun anew on our side as well.
    package func follow(_ restarted: Restarted) { etag = restarted.etag ?? etag }

    /// Leaves. A session that is gone already is left as well.
    package func leave() async throws(SignalingError) {
        let reply = try await HTTPTransport.send(HTTPCall(.DELETE, url, token: token), within: ClientLimits.request)
        guard reply.isSuccess || reply.status == 404 || reply.status == 410 else { throw SignalingError(reply) }
    }

    /// Leaves a session that nobody else knows of: it holds a viewer's place. In a task of its own, since what cancelled
    /// ours must not cancel that.
    package nonisolated func abandon() async {
        await Task { try? await leave() }.value
    }

    private func patch(_ fragment: String) -> HTTPCall {
        HTTPCall(.PATCH, url, token: token).with(body: ByteBuffer(string: fragment), type: Self.fragmentType)
    }

    private func expectSuccess(_ call: HTTPCall) async throws(SignalingError) {
        let reply = try await HTTPTransport.send(call, within: ClientLimits.request)
        guard reply.isSuccess else { throw SignalingError(reply) }
    }
}

extension HTTPReply {
    /// At the server that answered: no other is asked because of it.
    fileprivate var monitor: URL? {
        let link = LinkField.all(in: headers).first { $0.relation == "monitor" }
        guard let found = link.flatMap({ URL(string: $0.target, relativeTo: url)?.absoluteURL }), found.isHTTP,
            found.origin == url.origin
        else { return nil }
        return found
    }

    /// Something was answered, be it by an offer of the server's own.
    fileprivate var beginsSession: Bool { status == 201 || status == 406 && isSDP }

    var isSDP: Bool { headers.first(name: "Content-Type")?.lowercased().hasPrefix(WHEPSession.sdpType) == true }
}
