import Timebase

/// What an agent starts with.
package struct ICEConfiguration: Sendable {
    package var role: ICERole
    /// Each with its base: the socket it is sent from.
    package var localCandidates: [Candidate]
    /// Made from the agent's generator where not given.
    package var credentials: ICECredentials?
    /// Settles role conflicts (RFC 8445 § 16.1); made from the agent's generator where not given.
    package var tieBreaker: UInt64?
    /// Ta; anything but the default must have been agreed with the peer by `ice-pacing` (RFC 8445 § 14.2).
    package var checkInterval: Duration?
    package var policy: ICETransportPolicy

    package init(
        role: ICERole, localCandidates: [Candidate], credentials: ICECredentials? = nil, tieBreaker: UInt64? = nil,
        checkInterval: Duration? = nil, policy: ICETransportPolicy = .all
    ) {
        self.role = role
        self.localCandidates = localCandidates
        self.credentials = credentials
        self.tieBreaker = tieBreaker
        self.checkInterval = checkInterval
        self.policy = policy
    }
}
