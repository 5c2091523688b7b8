import Datagrams
import Timebase

/// The pair that media takes, with what keeps it alive. It outlives an ICE restart until the new session has selected
/// (RFC 8445 § 12.1), so it carries its own credentials.
struct ActivePath {
    let pair: CandidatePair
    /// The pair's: it is asked for with each packet, and to ask the pair would copy that.
    let isDirect: Bool
    let local: ICECredentials
    let remote: ICECredentials
    /// Nominated, not only valid.
    let isSelected: Bool
    var consent: Consent
    /// Connections over TCP that were lost, or could not be made, since anything was heard.
    var lostConnections = 0
    /// When the other pairs are tried again; only while the peer is silent.
    var recheckAt: Instant?

    init(pair: CandidatePair, local: ICECredentials, remote: ICECredentials, isSelected: Bool, consent: Consent) {
        self.pair = pair
        isDirect = pair.isDirect
        self.local = local
        self.remote = remote
        self.isSelected = isSelected
        self.consent = consent
    }

    var addresses: AddressPair { pair.addresses }

    func belongs(to session: ICESession) -> Bool { local == session.local }
}
