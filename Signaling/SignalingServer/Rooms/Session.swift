import SignalingProtocol

/// One viewer's WHEP session, as far as the server knows it.
///
///     offered ──answer──► established ──┐
///        │                    ▲         ├──► gone (viewer leaves, sharer dismisses, share ends)
///        └──counter-offer──► countered ─┘
struct Session {
    enum State {
        /// The viewer's request waits for the sharer.
        case offered(OneShot<JoinVerdict>)
        /// The viewer has a counter-offer to answer, until then.
        case countered(until: ServerClock.Instant)
        case established
    }

    var state: State
    let begun: ServerClock.Instant
    var etag: EntityTag
    /// The viewer's ICE user name fragments, one for each transport of its offer; another one in a PATCH restarts ICE.
    var ufrags: [String]
    var restart: Restart?
    var patches: RateLimit

    struct Restart {
        var tag: EntityTag
        var ufrags: [String]
        var reply: OneShot<RestartVerdict>
    }

    init(_ state: State, etag: EntityTag, ufrags: [String], at now: ServerClock.Instant) {
        self.state = state
        begun = now
        self.etag = etag
        self.ufrags = ufrags
        patches = RateLimit(burst: ServerLimits.patchBurst, perSecond: ServerLimits.patchesPerSecond, at: now)
    }

    var isPending: Bool {
        switch state {
        case .offered: true
        case .countered, .established: false
        }
    }

    /// It waits for the answer to a counter-offer.
    var isCountered: Bool {
        switch state {
        case .countered: true
        case .offered, .established: false
        }
    }

    var isEstablished: Bool {
        switch state {
        case .established: true
        case .offered, .countered: false
        }
    }

    /// Lets whoever waits for this session know that it came to nothing.
    func fail(_ problem: ProblemError) {
        switch state {
        case .offered(let verdict): verdict.resolve(.failed(problem))
        case .countered, .established: break
        }
        restart?.reply.resolve(.failed(problem))
    }
}

/// What became of an offer.
enum JoinVerdict: Sendable {
    case answered(sdp: String)
    case countered(sdp: String)
    case failed(ProblemError)
}

/// What became of an ICE restart.
enum RestartVerdict: Sendable {
    case answered(fragment: String)
    case failed(ProblemError)
}
