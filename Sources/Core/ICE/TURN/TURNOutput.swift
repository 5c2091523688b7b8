import Datagrams
import Timebase

/// Why there is no allocation, or no longer.
package enum TURNFailure: Error, Hashable, Sendable {
    /// The server did not answer a request with all its repetitions.
    case noAnswer
    /// It answered, but nobody who knows the password did (RFC 8489 § 9.2.5).
    case notAuthenticated
    /// 401 to a request with credentials: the server does not know them, or they have lapsed.
    case credentialsRejected
    /// 441: the allocation was made with another user name.
    case wrongCredentials
    /// It wants an algorithm that is not here, or answered with attributes that must be understood and are not.
    case unsupported
    /// 300: it names another server, which is the client's `alternateServer`. The owner follows, or it does not.
    case redirected
    /// 437: the allocation exists no more, or one exists that should not.
    case allocationMismatch
    /// 486: this user has too many.
    case quotaReached
    /// 508: the server has no address left.
    case insufficientCapacity
    /// The relayed address is of a family or a kind that no peer could be reached from.
    case unusableAddress
    /// The connection to the server is gone.
    case disconnected
    /// Another error code of STUN's or TURN's.
    case refused(UInt16)

    init(_ code: UInt16) {
        self =
            switch code {
            case 300: .redirected
            case STUNErrorCode.unauthenticated.code: .credentialsRejected
            case STUNErrorCode.allocationMismatch.code: .allocationMismatch
            case STUNErrorCode.wrongCredentials.code: .wrongCredentials
            case STUNErrorCode.quotaReached.code: .quotaReached
            case STUNErrorCode.insufficientCapacity.code: .insufficientCapacity
            default: .refused(code)  // any other number: what is to be done follows from its hundreds
            }
    }

    /// Whether the same request would fail again, so that it is not repeated until somebody has changed something
    /// (RFC 8656 § 7.4).
    package var isPermanent: Bool {
        switch self {
        case .credentialsRejected, .unsupported, .redirected, .unusableAddress: true
        case .noAnswer, .notAuthenticated, .wrongCredentials, .allocationMismatch, .quotaReached, .insufficientCapacity,
            .disconnected:
            false
        case .refused(let code): code < 500  // RFC 8489 § 6.3.4: 5xx may be tried again, others not
        }
    }
}

package enum TURNEvent: Hashable, Sendable {
    /// The server relays from this address; `mapped` is our base as the server sees it.
    case allocated(relayed: TransportAddress, mapped: TransportAddress)
    /// The allocation is gone with its relayed address. Another is made after a while.
    case lost(TURNFailure)
    /// There could be no allocation. It is tried again after a while, unless the failure is permanent.
    case failed(TURNFailure)
    /// The server does not relay to this address.
    case refusedPeer(IPAddress)
    /// What `close` began is done, or was given up.
    case closed
}

/// Why the client wants to be woken. For traces and tests; drivers ignore it.
package enum TURNWaitReason: Hashable, Sendable {
    case allocation
    case refresh
    case permission
    case channel
    case retransmission
    case keepalive
    case nothing
}

/// What `TURNClient.nextOutput()` gives: drained until it says `wait`.
package enum TURNOutput: Hashable, Sendable {
    /// From the configuration's base to its server, or into the connection.
    case transmit(bytes: [UInt8])
    case event(TURNEvent)
    case wait(until: Instant, TURNWaitReason)
}

/// What a message from the server was.
package enum TURNReceipt: Hashable, Sendable {
    /// Not the server's: it is for somebody else.
    case notOurs
    /// The server's, and dealt with or dropped.
    case handled
    /// A datagram that a peer sent to the relayed address: this part of the bytes.
    case data(from: TransportAddress, Range<Int>)
}

/// What became of a datagram for a peer.
package enum TURNSending: Hashable, Sendable {
    /// It stands in the buffer, ready for the server.
    case ready
    /// It follows as an output, once the server lets it through.
    case held
    /// There is no allocation, or the peer is not one to be relayed to.
    case dropped
}
