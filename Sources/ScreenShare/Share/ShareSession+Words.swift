import ICE
import Media
import PeerCore
import PeerDriver
import Timebase

// From the parts' words to those of an embedder.

extension OutputFrameRate {
    var rate: FrameRate {
        switch self {
        case .fps24: .fps24
        case .fps30: .fps30
        }
    }
}

extension DisconnectReason {
    /// For a person.
    var text: String {
        switch self {
        case .unreachable: "no way between the two was found"
        case .consentExpired: "nothing was heard for 30 seconds"
        case .closedByPeer: "closed by the other side"
        case .streamReplaced: "another stream came in its place"
        case .handshake(.fingerprintMismatch): "its certificate is not the one it announced"
        case .handshake(.noCommonProfile): "no common encryption"
        case .handshake(.closed): "closed by the other side"
        case .handshake(.failed(let text)): "the handshake failed (\(text))"
        case .protection: "encryption failed"
        }
    }
}

extension ViewerDeparture.Reason {
    static let removed = Self(kind: .removed, text: "it was sent away")
    static let saidGoodbye = Self(kind: .closed, text: "it said goodbye")
    static let displaced = Self(kind: .displaced, text: "another needed its place")
    static let unusableAnswer = Self(kind: .unusableAnswer, text: "its answer can't be used")
    static let answerLost = Self(kind: .undelivered, text: "the answer did not arrive")
    static let offerLost = Self(kind: .undelivered, text: "the offer did not arrive")

    init(_ reason: DisconnectReason) {
        self.init(kind: Kind(reason), text: reason.text)
    }
}

extension ViewerDeparture.Reason.Kind {
    fileprivate init(_ reason: DisconnectReason) {
        switch reason {
        case .unreachable: self = .unreachable
        case .consentExpired: self = .consentExpired
        // No viewer sends us a stream that another could replace.
        case .closedByPeer, .streamReplaced, .handshake(.closed): self = .closed
        case .handshake(.fingerprintMismatch), .handshake(.noCommonProfile), .handshake(.failed): self = .handshakeFailed
        case .protection: self = .protectionFailed
        }
    }
}

extension HubError {
    var shareError: ShareError {
        switch self {
        case .cannotBind(let text): .network(text)
        case .closed: .invalid("the session has stopped")
        case .tooManyPeers: .full
        }
    }
}

extension RelayEvent {
    /// For a person; nil where there is nothing to be said.
    var notice: String? {
        switch self {
        case .allocated(let server, let isAgain): isAgain ? "The TURN server \(server) relays again." : nil
        case .failed(let server, let failure):
            "\(failure.text(of: server).firstUpper)." + (failure.isRefusal ? "" : " Trying again.")
        }
    }
}

extension RelayFailure {
    func text(of server: ICEServerURI) -> String {
        switch self {
        case .turn(let failure):
            isRefusal
                ? "the TURN server \(server) refuses the user name, password or secret"
                : "the TURN server \(server) relays nothing: \(failure.text)"
        case .unreachable(let words): "the TURN server \(server) can't be reached: \(words)"
        case .untrusted:
            "the TURN server \(server) can't be trusted: its certificate is not signed by anybody known, or for another "
                + "name"
        case .noLocalAddress: "the TURN server \(server) can't be reached from any address of this machine that is used"
        case .unusable(let words): "the TURN server \(server) can't be used: \(words)"
        }
    }
}

extension TURNFailure {
    fileprivate var text: String {
        switch self {
        case .noAnswer: "it does not answer"
        case .credentialsRejected, .wrongCredentials, .notAuthenticated: "it refuses the credentials"
        case .unsupported: "its answer is none that this program understands"
        case .redirected: "it names another server"
        case .allocationMismatch: "it has lost the address, or not given it back"
        case .quotaReached: "this user has too many addresses there"
        case .insufficientCapacity: "it has no address left"
        case .unusableAddress: "nobody can reach the address it gives"
        case .disconnected: "the connection broke off"
        case .refused(let code): "it refuses (\(code))"
        }
    }
}

extension String {
    fileprivate var firstUpper: String { prefix(1).uppercased() + dropFirst() }
}

extension ViewerStatistics {
    init(_ name: String, _ statistics: PeerStatistics) {
        let sent = statistics.outgoing ?? OutgoingStatistics()
        self.init(
            viewer: name, isConnected: statistics.isConnected,
            roundTripTime: sent.roundTripTime ?? statistics.roundTripTime, lossFraction: sent.lossFraction,
            packetsSent: sent.packetsSent, bytesSent: sent.bytesSent, retransmissions: sent.retransmissions,
            keyframeRequests: sent.keyframeRequests, bytesRepaired: sent.bytesRepaired,
            availableBitrate: statistics.path?.target, queueDelay: statistics.path?.queueDelay,
            isMarkable: statistics.path?.isMarkable ?? false, congestionMarks: statistics.path?.congestionMarks ?? 0)
    }
}

extension SharedContent {
    init(_ content: Content) {
        self = content == .video ? .video : .app
    }
}

extension CadenceStatistics {
    init(_ cadence: Cadence) {
        self.init(picturesPerSecond: cadence.rate.frameRate.framesPerSecond, confidence: cadence.confidence)
    }
}
