import NIOCore
import Timebase

/// Every bound of the event loop, with its reason.
enum Limits {
    /// Sockets and host candidates; a server with more addresses names the ones it wants.
    static let localAddresses = 8
    /// Addresses change in bursts: after the last of it they are looked at.
    static let addressPause = TimeAmount.milliseconds(100)
    /// A timer is never so late but by a machine that slept, or a loop that is kept from running.
    static let lateTimer = Duration.milliseconds(200)
    /// Reports from unknown addresses, and peers that they are tried with: 2 µs each, half a percent of a core in all.
    static let straysPerSecond = 2000
    /// So many are looked through for one of these.
    static let peersOfLook = 32
    /// A datagram of media is below 1280 bytes with all headers; 2048 leaves room for any DTLS flight.
    static let datagramBytes = 2048
    /// Datagrams taken from a socket per wake-up, so that one flood does not starve timers.
    static let readsPerWake: UInt = 16
    /// Segments of one GSO send: the kernel takes 64 (UDP_MAX_SEGMENTS) and 65,535 bytes.
    static let segmentsPerSend = 40
    static let bytesPerSend = 60_000
    /// 4 MB hold half a second at 60 Mbit/s, should the loop be late.
    static let socketBuffer = 1 << 22
    /// How often it is looked whether the STUN servers have answered.
    static let gatheringLook = Duration.milliseconds(10)
    /// Peers of one hub, whatever an embedder asks for.
    static let peers = 1000
    /// Remote addresses remembered in the kernel's form.
    static let destinations = 2000
    /// Address pairs remembered per peer for demultiplexing: all of a checklist's, and as many that came later.
    static let routesPerPeer = 128
    /// Peers whose checks to one address may be answered: one, and those who only claim to be there.
    static let askersPerPair = 8
    /// TURN servers of one hub; each costs a socket's keepalive, and each viewer a permission there.
    static let relays = 4
    /// Local preferences of relays (RFC 8445 § 5.1.2.1): what a connection loses all that follows waits for, and TLS takes
    /// more round trips to stand. They are further apart than there are relays.
    static let preferenceOverUDP: UInt16 = 65_535
    static let preferenceOverTCP: UInt16 = 32_767
    static let preferenceOverTLS: UInt16 = 16_383
    /// Names of servers that are looked up at once: one that nobody knows takes long, and must not keep others waiting; but
    /// no peer may have threads made without end.
    static let lookUps = 16
    /// Who asks for a name so long after a look-up of it began has another begun: name servers that are silent take up to 40 s,
    /// and half of `lookUps` then.
    static let lookUpShared = Duration.seconds(5)
    /// Between two look-ups of the names of STUN servers that don't answer: they are asked again twice a minute.
    static let lookUpPause = Duration.seconds(60)
    /// RFC 9110 § 4.2.2.
    static let httpsPort: UInt16 = 443
    /// How often one may send us to another, within this time of the last (RFC 8489 § 10 leaves it open).
    static let redirections = 2
    static let memoryOfRedirections = Duration.seconds(60)
    /// A connection to a TURN server that does not stand after this long is given up and tried again.
    static let connectTime = TimeAmount.seconds(10)
    /// Between two tries: twice as long after each failure, up to the longest; and not all at once, where a server was lost.
    static let reconnectPauses = Duration.seconds(1)...Duration.seconds(60)
    static let reconnectScatter = 0.8...1.2
    /// What a Send indication adds (RFC 8656 § 11.1): 36 bytes, and up to three of padding; with IPv6 12 more.
    static let relayHeaderBytes = 52
    /// What waits to leave in a connection: a third of a second at 4 Mbit/s. More is dropped, as a network would.
    static let connectionBacklog = 1 << 17
    /// Checks may wait behind it: without their answers the connection would be given up.
    static let checkBacklog = 1 << 13
    /// What the kernel may hold of it unsent (TCP_NOTSENT_LOWAT, tcp(7)): what waits there can't be dropped.
    static let unsentBytes = 1 << 15

    /// TCP connections of one hub. Half of the descriptors that a process has by default.
    static let connections = 512
    /// Of these, the ones that have not proved anything yet: of all, and of one address, behind which an office may be. Above
    /// that the one that came first goes.
    static let strangers = 128
    static let strangersPerAddress = 32
    /// A peer's; a browser makes one from each of its networks to each address of ours. Above that the one that was
    /// heard least recently goes.
    static let connectionsPerPeer = 16
    /// Connections of our own making at once: the peer lists where they go, and each of its pairs may be the one that works.
    static let outgoingConnections = 64
    /// Until an authenticated check has come; then between two of anything. Consent checks come every 6 s.
    static let strangerTime = Duration.seconds(10)
    static let idleTime = Duration.seconds(60)
    /// One of ours that is silent for so long is made again, when there is something to send: its consent checks went
    /// unanswered, and a NAT that has forgotten a connection does not say so. Consent lasts for 30 s.
    static let silentTime = Duration.seconds(13)
    /// To one address again: whatever a peer does, it is not connected to in a loop.
    static let connectPause = Duration.seconds(1)
    /// Checks that wait for a connection: one, and the consent checks of the time that it may take.
    static let heldFrames = 4
    /// Bytes taken from a connection at once, so that one flood does not starve timers.
    static let bytesPerRead = 1 << 14
    /// After the last packet, until the connection is closed whatever the other side does.
    static let lingerTime = TimeAmount.seconds(1)

    /// Time-limited credentials that are refused sooner than this are wrong, not lapsed.
    static let freshCredentials = Duration.seconds(60)
    /// Our own time-limited credentials, in seconds: they count when an allocation is made.
    static let credentialSeconds: Int64 = 24 * 3600
    /// They begin at a multiple of so many seconds.
    static let credentialStep: Int64 = 3600
}
