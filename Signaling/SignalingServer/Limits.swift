import SignalingProtocol

/// Bounds of the server; what the messages themselves may hold stands in `SignalingProtocol.Limits`.
enum ServerLimits {
    /// Offers that wait for an answer, per room: twenty viewers joining at once, with room to spare.
    static let pendingPerRoom = 48
    /// Trickled candidates and ICE restarts of one session: this many at once, then so many a second.
    static let patchBurst = 32
    static let patchesPerSecond = 4
    /// Events a sharer has not taken in yet, in number and in bytes (of JSON).
    static let outboxEvents = 512
    static let outboxBytes = 2 * 1024 * 1024
    /// Parts an event stream holds for a reader that is slow to read; then it is ended, and the reader comes again.
    static let streamParts = 1024
    /// Pages and viewers that follow rooms: half of the connections are left for everything else.
    static let watchers = 512
    /// Of so many connections one is kept for whoever comes: where the others are taken, the oldest that has brought no
    /// request makes place.
    static let connectionsForOneNewcomer = 8
    /// Header of a request, in bytes and in fields; browsers send about 1 kB in 20.
    static let headerBytes = 16 * 1024
    static let headerFields = 100
    /// What measures the way to this server: so many bytes at once, in pieces, within so long; of all callers together so
    /// many at once, then so many a second: 8 Mbit/s each way at the worst.
    static let transferBytes = 1024 * 1024
    static let transferChunk = 64 * 1024
    static let transferTime = Duration.seconds(4)
    static let transferBurst = 16
    static let transfersPerSecond = 1
    /// A share secret a client brings along must be as strong as ours.
    static let secretCharacters = 32
    /// What Hummingbird does after its end takes microseconds; this, on a machine that is busy.
    static let farewell = Duration.seconds(1)
}

/// How long things may take; tests shorten them.
package struct Timing: Sendable {
    /// An idle connection, and a header to arrive. With `body` the whole request takes 10 s at most (slow requests).
    var header: Duration = .seconds(5)
    var body: Duration = .seconds(5)
    /// Somebody to read on in an answer: what waits for it holds a connection's place.
    var reading: Duration = .seconds(20)
    /// A sharer to answer an offer or an ICE restart.
    var answer: Duration = .seconds(10)
    /// A sharer unheard for so long turns viewers away; it says something at least every `heartbeatSeconds`.
    var silence: Duration = .seconds(5)
    /// A sharer unheard for so long has gone, and what it had is forgotten.
    var forget: Duration = .seconds(30)
    /// draft-ietf-wish-whep, "Server Sends Counter-Offer": valid for 30 s.
    var counterOffer: Duration = .seconds(30)
    /// Comments in a sharer's event stream, so that either side notices a dead connection.
    var shareHeartbeat: Duration = .milliseconds(1500)
    /// Comments in a page's event stream, for proxies that cut idle connections.
    var watchHeartbeat: Duration = .seconds(5)
    /// How often the rooms are looked through.
    var sweep: Duration = .seconds(1)
    /// How long open requests may go on when the server stops.
    var drain: Duration = .seconds(2)

    init() {}
}
