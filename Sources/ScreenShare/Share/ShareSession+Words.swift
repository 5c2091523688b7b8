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
        case .handshake(.fingerprintMismatch): "its certificate is not the one it announced"
        case .handshake(.noCommonProfile): "no common encryption"
        case .handshake(.closed): "closed by the other side"
        case .handshake(.failed(let text)): "the handshake failed (\(text))"
        case .protection: "encryption failed"
        }
    }
}

extension HubError {
    var shareError: ShareError {
        switch self {
        case .cannotBind(let text): .network(text)
        case .closed: .invalid("the session has stopped")
        case .tooManyPeers: .full
        case .unknownPeer: .invalid("no such viewer")
        }
    }
}

extension ViewerStatistics {
    init(_ name: String, _ statistics: PeerStatistics) {
        let sent = statistics.outgoing ?? OutgoingStatistics()
        self.init(
            viewer: name, connected: statistics.isConnected,
            roundTripTime: (sent.roundTripTime ?? statistics.roundTripTime)?.inSeconds, lossFraction: sent.lossFraction,
            packetsSent: sent.packetsSent, bytesSent: sent.bytesSent, retransmissions: sent.retransmissions,
            keyframeRequests: sent.keyframeRequests, bytesRepaired: sent.bytesRepaired,
            availableBitrate: statistics.path?.target, queueDelay: statistics.path?.queueDelay.inSeconds)
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
