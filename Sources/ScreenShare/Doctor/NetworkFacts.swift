import Datagrams
import ICE
import PeerDriver

/// What was seen of this machine's network, before anything is said of it.
struct NetworkFacts: Sendable {
    struct STUNServer: Sendable {
        enum Outcome: Sendable {
            /// Its name is unknown, or the address malformed.
            case unknown
            /// It was asked, or can't be from any address of ours.
            case silent
            /// The time is nil where a request was repeated.
            case answered(mapped: TransportAddress, base: TransportAddress, time: Duration?)
        }

        let url: String
        let outcome: Outcome
    }

    struct RelayServer: Sendable {
        enum Outcome: Sendable {
            case unknown
            /// Nothing was heard of it in time.
            case silent
            case relays(TransportAddress)
            case failed(RelayFailure)
        }

        let uri: ICEServerURI
        let outcome: Outcome
    }

    /// What one socket's NAT does.
    struct Mapping: Sendable {
        let base: TransportAddress
        let kind: NATMapping
        /// Some server has answered.
        let isAnswered: Bool
    }

    var addresses: [IPAddress] = []
    /// Those of them that this machine doesn't have.
    var foreignAddresses: [IPAddress] = []
    /// Where the addresses can't be had, in words.
    var addressFailure: String?
    /// 0: any.
    var port: UInt16 = 0
    /// Where the port can't be had, in words.
    var portFailure: String?
    /// No socket could be opened, at any port.
    var lacksSockets = false
    /// Bytes that may wait to leave at a socket; nil where there is none.
    var sendBuffer: (granted: Int, asked: Int)?
    var stunServers: [STUNServer] = []
    var relayServers: [RelayServer] = []
    var mappings: [Mapping] = []
    var relayOnly = false

    var hasRelay: Bool {
        relayServers.contains { if case .relays = $0.outcome { true } else { false } }
    }

    var hasReflexiveAddress: Bool {
        stunServers.contains { if case .answered = $0.outcome { true } else { false } }
    }
}

extension IPAddress {
    /// One that the whole internet could send to.
    var isPublic: Bool {
        if isInside || isUnspecified || isMulticast { return false }
        return switch self {
        case .v4: true
        case .v6(let high, _): high >> 61 == 1
        }
    }
}
