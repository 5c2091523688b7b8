import Datagrams
import Timebase

/// One request to a TURN server whose answer may still come.
struct TURNTransaction {
    enum Purpose: Hashable {
        case allocate
        case refresh
        /// Deletes what was left of an allocation of this 5-tuple before another is made.
        case clear
        /// Asks for another beside an allocation that the server may have forgotten: it says no while it has that.
        case replace
        /// Deletes an allocation that is of no use.
        case discard
        /// Deletes the allocation for good.
        case close
        case permission(IPAddress)
        case channel(TransportAddress)
    }

    let id: TransactionID
    let purpose: Purpose
    let bytes: [UInt8]
    /// Nil for a request without credentials: anybody could have answered it.
    let authentication: LongTermAuthentication?
    /// How many requests before this one were refused for their nonce.
    let nonceRetries: Int
    let startedAt: Instant
    var retransmission: Retransmission
    /// An answer came that nobody with the password wrote.
    var sawForgery = false
}
