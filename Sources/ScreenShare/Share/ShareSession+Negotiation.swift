import Datagrams
import ICE
import PeerCore
import PeerDriver
import RTP
import SDP
import SystemClock
import Timebase
import VideoCodec

/// Signaling for embedders: carry offer and answer over a channel of your own.
extension ShareSession {
    /// Answers a viewer's offer. The viewer connects with what the answer says; nothing more is needed. It has 30 s for
    /// that, and three where all places are taken and another needs its own (`ShareEvent.viewerFailed`).
    ///
    /// - Parameter offer: SDP with a video section that wants to receive H.264.
    /// - Throws: `.malformedDescription`, `.offerRefused`, `.full`, `.network` where no peer can be made, or `.invalid`
    ///   before `start` and after `stop`.
    public func answer(offer text: String) async throws(ShareError) -> LocalDescription {
        guard let hub, !isStopped else { throw .invalid("the session is not running") }
        let offer = try Self.parse(text)
        guard let option = offer.video.choice else {
            throw .offerRefused("the offer has no H.264 profile that can be served")
        }
        try await makeRoom()
        let stream = LocalStream.random(retransmits: option.retransmissionPayloadType != nil)
        let audio = offersSound ? offer.audio.map { ($0, stream.sibling("sound")) } : nil
        let peer = await admit(
            lane: option.lane, takesHigh: option.takesHigh, audio: audio.map { AudioListener($0.0.opus) })
        do {
            var send = SendParameters(
                offer.video, option, stream, bitsPerSecond: videoBitrate,
                besides: audio == nil ? 0 : soundWithHeaders)
            send.playout = playout(withSound: audio != nil)
            if !configuration.network.marksPackets { send.ecn = nil }
            let setup = PeerSetup(
                // A lite agent nominates nothing (RFC 8445 § 6.1.1).
                iceRole: offer.transport.isLite ? .controlling : .controlled,
                handshakeRole: offer.localSetup == .active ? .active : .passive,
                remote: try RemoteParameters(offer.transport), send: send,
                sendAudio: audio.map { AudioSendParameters($0, $1) })
            let transport = try await hub.transport(of: peer, setup, lane: option.lane)
            viewers[peer]?.credentials = setup.remote?.credentials
            viewers[peer]?.foreignTags = offer.foreignTags
            // What was chosen before the hub knew the peer has reached nobody.
            tellAudioLane(of: peer)
            let plan = AnswerPlan(
                option: option, levelIDC: levelIDC, video: stream, audio: audio?.1, usesECN: send.ecn != nil,
                transport: transport, sessionID: UInt64.random(in: 0...UInt64(Int64.max)))
            return LocalDescription(viewer: viewers[peer]?.name ?? "", sdp: offer.makeAnswer(plan).description)
        } catch {
            left(peer, nil)
            throw Self.refusal(error)
        }
    }

    /// An offer of ours, of pictures in constrained baseline and no sound, for a viewer whose own could not be served;
    /// its answer goes to `accept`. For that, and to connect, it has as long as one that is answered.
    ///
    /// - Throws: `.full`, `.network` where no peer can be made, or `.invalid` before `start` and after `stop`.
    public func counterOffer() async throws(ShareError) -> LocalDescription {
        guard let hub, !isStopped else { throw .invalid("the session is not running") }
        try await makeRoom()
        let peer = await admit(lane: .standard, takesHigh: false, audio: nil)
        let stream = LocalStream.random(retransmits: true)
        do {
            let setup = PeerSetup(iceRole: .controlling, handshakeRole: .active, send: nil)
            let transport = try await hub.transport(of: peer, setup, lane: .standard)
            let offer = LocalOffer.sending(
                stream, levelIDC: levelIDC, transport: transport,
                sessionID: UInt64.random(in: 0...UInt64(Int64.max)))
            pendingOffers[peer] = PendingOffer(offer: offer, stream: stream)
            return LocalDescription(viewer: viewers[peer]?.name ?? "", sdp: offer.description.description)
        } catch {
            left(peer, nil)
            throw Self.refusal(error)
        }
    }

    /// Takes a viewer's answer to `counterOffer`.
    ///
    /// - Throws: `.malformedDescription` where it can't be used, and the viewer is removed; `.invalid` where no offer waits
    ///   (any more).
    public func accept(answer text: String, from viewer: String) async throws(ShareError) {
        guard let hub, let peer = peer(named: viewer), let pending = pendingOffers.removeValue(forKey: peer) else {
            throw .invalid("no offer is open for this viewer")
        }
        let answer: AcceptedAnswer
        do { answer = try AcceptedAnswer(SessionDescription(text), to: pending.offer) } catch {
            await remove(viewer, because: .unusableAnswer)
            throw .malformedDescription("the answer can't be used: \(error)")
        }
        do {
            let remote = try RemoteParameters(answer.transport)
            var send = SendParameters(answer.video, pending.stream, bitsPerSecond: videoBitrate)
            send.playout = playout(withSound: false)
            let role: HandshakeRole = answer.localSetup == .active ? .active : .passive
            viewers[peer]?.credentials = remote.credentials
            await hub.with(peer) { core, now in core.setRemote(remote, send: send, handshakeRole: role, at: now) }
        } catch {
            await remove(viewer, because: .unusableAnswer)
            throw .malformedDescription("the answer can't be used: \(error)")
        }
    }

    /// Adds candidates that a viewer found later (trickle ICE, RFC 8840 fragments); those of no use are left out, and what
    /// comes late of an ICE session before.
    ///
    /// - Throws: `.invalid` where there is no such viewer, `.malformedDescription` where it is no fragment.
    public func addCandidates(_ fragment: String, from viewer: String) async throws(ShareError) {
        guard let hub, let peer = peer(named: viewer) else { throw .invalid("no such viewer") }
        let fragment = try parseFragment(fragment, of: peer)
        guard isOfPresentSession(fragment, of: peer) else { return }
        let candidates = fragment.candidates.compactMap { try? Candidate($0) }
        await hub.with(peer) { core, now in
            core.addRemoteCandidates(candidates, isLast: fragment.isComplete, at: now)
        }
    }

    /// Follows a viewer's ICE restart; pictures go on over the old path until the new one works.
    /// - Returns: our side, as a fragment.
    /// - Throws: as `addCandidates`; `.malformedDescription` also where nothing is restarted: all stays as it was.
    public func restartICE(_ fragment: String, from viewer: String) async throws(ShareError) -> String {
        guard let hub, let peer = peer(named: viewer) else { throw .invalid("no such viewer") }
        let theirs = try parseFragment(fragment, of: peer)
        guard let credentials = theirs.credentials.flatMap({ ICE.ICECredentials($0) }), begin(credentials, of: peer),
            let ours = await hub.restart(peer, remote: credentials)
        else { throw .malformedDescription("the fragment restarts nothing") }
        try await addCandidates(fragment, from: viewer)
        let candidates = await hub.listedCandidates().map(\.attributeValue)
        return TrickleFragment(
            answering: theirs, credentials: SDP.ICECredentials(ours), candidates: candidates
        ).description
    }

    /// What comes behind a restart may be of the session before it (RFC 8838 § 9); one without credentials is of whichever
    /// there is.
    private func isOfPresentSession(_ fragment: TrickleFragment, of peer: PeerID) -> Bool {
        guard let said = fragment.credentials, let present = viewers[peer]?.credentials else { return true }
        return said.usernameFragment == present.ufrag
    }

    /// Takes a viewer's new credentials. False where it has these already: fragments of trickled candidates carry them
    /// too (RFC 8840).
    private func begin(_ credentials: ICE.ICECredentials, of peer: PeerID) -> Bool {
        defer { viewers[peer]?.credentials = credentials }
        return viewers[peer]?.credentials != credentials
    }

    /// Says goodbye to a viewer; of one that is gone already nothing is said.
    public func remove(_ viewer: String) async {
        await remove(viewer, because: .removed)
    }

    package func remove(_ viewer: String, because reason: ViewerDeparture.Reason) async {
        guard let peer = peer(named: viewer) else { return }
        await hub?.remove(peer)
        left(peer, reason)
        await forgetPath(of: peer)
    }

    /// No event tells of a viewer that was sent away.
    private func forgetPath(of peer: PeerID) async {
        guard let change = paths.update(peer, nil, at: SystemClock.now()) else { return }
        controls?.change { $0.rungRates = change.rates }
        await move(change.moved)
    }

    /// A place for one more. Where there is none, the viewer that has tried to connect for longest makes way: offers
    /// that nobody follows up keep nobody out.
    private func makeRoom() async throws(ShareError) {
        while viewers.count >= configuration.maximumViewers {
            let slowest = viewers.values.filter { !$0.isConnected }.min { $0.since < $1.since }
            guard let slowest, SystemClock.now() - slowest.since >= ShareLimits.connecting else { throw .full }
            await remove(slowest.name, because: .displaced)
        }
    }

    /// Why a viewer can't be added.
    private static func refusal(_ error: any Error) -> ShareError {
        (error as? HubError)?.shareError ?? .network("a viewer can't be added: \(error)")
    }

    // MARK: Names

    var viewerNames: Set<String> { Set(viewers.values.map(\.name)) }

    private func peer(named name: String) -> PeerID? { viewers.first { $0.value.name == name }?.key }

    private func admit(lane: LaneKey, takesHigh: Bool, audio: AudioListener?) async -> PeerID {
        lastPeer += 1
        let peer = PeerID(lastPeer)
        viewers[peer] = Viewer(
            name: "viewer-\(lastPeer)", lane: lane, takesHigh: takesHigh, audio: audio,
            since: SystemClock.now())
        updateLanes()
        await forgetOtherProfile(before: peer)
        return peer
    }

    /// The level that the encoded size and rate need (ITU-T H.264 table A-1); before the first picture, that of the
    /// largest the share may have.
    private var levelIDC: UInt8 {
        let level = H264Level.minimum(
            size: encodedSize, frameRate: configuration.frameRate?.rate ?? .fps30, bitsPerSecond: totalBitrate,
            references: X264Configuration.references(for: encodedSize))
        return UInt8(clamping: level?.identifier ?? 40)
    }

    // MARK: Parsing

    private static func parse(_ text: String) throws(ShareError) -> Offer {
        let description: SessionDescription
        do throws(SDPError) { description = try SessionDescription(text) } catch {
            throw .malformedDescription("the offer is not valid SDP (\(error))")
        }
        do throws(AnswerRefusal) { return try Offer(description) } catch {
            switch error {
            case .transport, .noMedia: throw .malformedDescription(error.text)
            case .noVideo, .nothingToReceive, .noH264, .unsupportedProtocol, .unusableTags, .noRTCPMux:
                throw .offerRefused(error.text)
            }
        }
    }

    /// What it says of the transport that the viewer has with us.
    private func parseFragment(_ text: String, of peer: PeerID) throws(ShareError) -> TrickleFragment {
        do throws(SDPError) { return try TrickleFragment(text).without(viewers[peer]?.foreignTags ?? []) } catch {
            throw .malformedDescription("the fragment is not valid (\(error))")
        }
    }
}

extension AnswerRefusal {
    /// For whoever wrote the offer.
    fileprivate var text: String {
        switch self {
        case .noMedia: "the offer has no media"
        case .noVideo: "the offer has no video section"
        case .nothingToReceive: "no video section of the offer wants to receive"
        case .noH264: "the offer has no H.264"
        case .unsupportedProtocol: "the offer's video section is not RTP"
        case .unusableTags: "two sections of the offer have the same tag, or one a tag that is too long"
        case .noRTCPMux: "the offer does not multiplex RTCP"
        case .transport(let fault): "the offer's ICE or DTLS part can't be used (\(fault))"
        }
    }
}
