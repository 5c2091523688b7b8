import Timebase

/// Every bound and timer of this target, with the sentence it comes from.
enum Limits {
    // MARK: STUN messages

    /// RFC 8489 § 6.1: messages "SHOULD be less than the path MTU"; nothing on an ICE port comes near this.
    static let messageBytes = 2048
    /// An ICE check carries 8; the rest is room for extensions.
    static let attributes = 48
    /// RFC 8489 § 14.3: "MUST be able to parse a UTF-8-encoded sequence of 763 or fewer octets". The same in
    /// §§ 14.8–14.14.
    static let textBytes = 763
    /// RFC 8839 § 5.4: `ufrag = 4*256ice-char`.
    static let ufragLengths = 4...256
    /// RFC 8839 § 5.4: `password = 22*256ice-char`.
    static let passwordLengths = 22...256

    // MARK: Candidates and pairs

    /// A `candidate` line; browsers write about 150 characters.
    static let candidateLineBytes = 1024
    /// RFC 8839 § 5.1: `foundation = 1*32ice-char`.
    static let foundationLengths = 1...32
    /// RFC 1035 § 2.3.4: names are 255 octets or less.
    static let hostNameBytes = 255
    /// RFC 8839 § 5.1: an integer between 1 and 2³¹ − 1.
    static let priorities: ClosedRange<UInt32> = 1...0x7FFF_FFFF
    /// Our own addresses, host, reflexive and relayed together.
    static let localCandidates = 32
    /// A flood of candidates makes us send checks to strangers (RFC 8445 § 19.5.1); browsers offer fewer than 20.
    static let remoteCandidates = 32
    /// RFC 8445 § 6.1.2.5: "It is RECOMMENDED that a lower-limit value than the default [100] is picked when possible".
    static let pairs = 64
    /// Of them, so many by relays keep their places whatever else there is.
    static let relayedPairs = 16
    /// Checks answered before the peer's password was known (RFC 8445 § 7.3), to be followed up afterwards.
    static let earlyChecks = 16

    // MARK: Checks

    /// RFC 8445 § 14.2: "ICE agents SHOULD use a default Ta value, 50 ms".
    static let checkInterval = Duration.milliseconds(50)
    /// RFC 8445 § 14.2: transactions "MUST NOT be sent more often than once every 5 ms". Triggered checks keep to this
    /// instead of Ta: each answers a check of the peer's, so they are no more than it sends.
    static let triggeredInterval = Duration.milliseconds(5)
    /// RFC 8445 § 14.3: "Agents MUST NOT use an RTO value smaller than 500 ms".
    static let retransmissionTimeout = Duration.milliseconds(500)
    /// RFC 8489 § 6.2.1: "until a total of Rc requests have been sent. Rc … SHOULD have a default of 7".
    static let requestCount = 7
    /// RFC 8489 § 6.2.1: failed once Rm × RTO "has passed without a response … Rm … SHOULD have a default of 16".
    static let finalWait = 16
    /// Between repetitions of a check. They would soon be 8 s apart, and a network that was bad for as long need not be bad
    /// any more: browsers repeat theirs twice a second.
    static let longestRepetition = Duration.seconds(2)
    /// RFC 8445 § 7.3.1.4: a cancelled check waits "the duration of the transaction timeout for a response"; RFC 8489
    /// § 6.2.1 makes that 39.5 s, counted from its start.
    static let transactionTime = Duration.milliseconds(39_500)
    /// Checks in the air: every pair's, and as many cancelled ones.
    static let transactions = 2 * pairs
    /// How long without a valid pair before ICE fails: the PAC timer (RFC 8863 § 4), which "the application is in the
    /// best position to determine"; browsers give up after 30 s.
    static let connectionTime = Duration.seconds(30)
    /// UDP's start before connections are made: its first checks have been sent, and repeated once.
    static let headStart = retransmissionTimeout
    /// Error replies to strangers, at most one in this time: a forged flood is not worth an answer each.
    static let refusalInterval = Duration.milliseconds(50)

    // MARK: Nomination

    /// RFC 8445 § 8.1.1 leaves the stopping criterion open. A pair of the best type is nominated at once, another after
    /// this long: a direct path answers sooner.
    static let nominationDelay = Duration.milliseconds(100)
    /// RFC 8445 § 8.3.1: "the selected pairs can quickly change after ICE has completed" within three seconds. Until
    /// then the controlling side may choose a pair of better type, and the controlled side goes by priority, since a
    /// peer of RFC 5245 nominates every pair that works.
    static let settlingTime = Duration.seconds(3)
    /// Nothing was asked for so long on a pair that is in use: Chromium asks every 480 ms then, and several pairs in turn.
    static let abandonedTime = Duration.milliseconds(600)
    /// An answer this recent still proves a pair; older ones are checked again before media moves there.
    static let freshness = Duration.seconds(5)
    /// How long the selected pair has for an answer when the peer speaks from another address, or again after silence.
    static let challengeTime = Duration.seconds(1)

    // MARK: Consent

    /// RFC 7675 § 5.1: "each interval MUST be randomized from between 0.8 and 1.2 times the basic period … a default
    /// interval of 5 seconds", and never "less than 4 seconds". The least of that: consent counts from the last answer, and
    /// of a network that is gone for 25 s it must leave something. Short of RFC 8445 § 11's 15 s, so it is the keepalive too.
    static let consentIntervalMilliseconds: ClosedRange<Int64> = 4_000...4_200
    /// RFC 7675 § 5.1: "Consent expires after 30 seconds."
    static let consentTime = Duration.seconds(30)
    /// No answer for this long: a consent check got lost. Those are "transmitted once only", so connectivity checks go out
    /// beside them.
    static let doubtTime = Duration.seconds(5)
    /// So often.
    static let doubtInterval = Duration.seconds(1)
    /// And so often once the peer is heard: a check or two may still get lost, and little may be left of the 30 s.
    static let hopefulDoubtInterval = Duration.milliseconds(200)
    /// No answer for this long: consent ends soon. Where a network comes back after 25 s, as little as 0.8 s are
    /// left to notice.
    static let lastDoubtTime = Duration.seconds(28)
    /// Checks go out so often then: with a round trip of 0.3 s some are still answered.
    static let lastDoubtInterval = Duration.milliseconds(100)
    /// No answer for this long, though the peer was asked half a dozen times, and two dozen times where it is heard: it
    /// counts as interrupted, and the other pairs are tried again.
    static let silenceTime = Duration.seconds(10)
    /// While it is interrupted, all pairs are tried again this often.
    static let recheckInterval = Duration.seconds(5)
    /// Between consent checks that would make a TCP connection anew, once the first has not.
    static let reconnectTime = Duration.seconds(1)

    // MARK: Server-reflexive gathering

    static let servers = 8
    /// A scheme, a name of 255 characters, a port and a transport.
    static let serverURIBytes = 300
    /// One per pair of socket and server.
    static let bindings = 64
    /// RFC 8445 § 5.1.1.4: bindings "MUST be kept alive by additional Binding requests". RFC 4787 § 4.3 allows NATs a
    /// timer of 30 s where the port is well known; the spread keeps many bindings apart.
    static let bindingRefreshMilliseconds: ClosedRange<Int64> = 15_000...25_000
    /// A server that did not answer is asked again: the network may have been down.
    static let serverRetry = Duration.seconds(30)
    /// A question to a server about the NAT: sent three times (at 0, 0.5 and 1.5 s), and given up before a fourth. The
    /// 39.5 s of RFC 8489 § 6.2.1 are too long for a person who waits for the outcome.
    static let mappingTestTime = Duration.milliseconds(3_400)

    // MARK: TCP

    /// A packet in a connection (RFC 4571 § 2 would allow 65,535 bytes): none of ours, nor of a browser's, is longer.
    static let frameBytes = 2048

    // MARK: Relaying

    /// RFC 8489 § 14.3: "It MUST contain a UTF-8-encoded sequence of fewer than 509 bytes".
    static let usernameBytes = 508
    /// A datagram for a peer; with the 48 bytes that a Send indication adds at most it is still a message of ours.
    static let relayedBytes = 2000
    /// Peer IP addresses that may send to the relay: as many as there can be peers, since what is not used lapses. Each
    /// costs a request in four minutes.
    static let permissions = 1024
    /// Channels, and peer addresses that may get one; RFC 8656 § 12 has 4096 numbers.
    static let channels = 1024
    static let channelNumbers: ClosedRange<UInt16> = 0x4000...0x4FFF
    /// Requests in the air at a relay; a new relay's permissions wait for each other.
    static let relayRequests = 32
    /// Datagrams held back until their peer's permission is there: first checks mostly.
    static let heldDatagrams = 64
    /// RFC 8489 § 9.2.5 wants a retry for each 438; a server that calls every nonce stale gets no more than this.
    static let nonceRetries = 3
    /// A channel costs a request and saves 32 bytes of each datagram: not worth it for checks that lead nowhere, of
    /// which eighteen are sent before ICE fails.
    static let datagramsBeforeChannel = 20

    /// RFC 8656 § 8 suggests a minute before the end. At half the time, a request that had no answer can be followed by
    /// others.
    static func allocationRefresh(of lifetime: Duration) -> Duration {
        max(lifetime / 2, allocationRefreshPause)
    }
    /// Between refreshes, whatever lifetime a server grants, and after one that had no answer.
    static let allocationRefreshPause = Duration.seconds(10)
    /// RFC 8656 § 7.2: "It is RECOMMENDED that the server use a maximum allowed lifetime value of no more than 3600
    /// seconds".
    static let allocationLifetimes: ClosedRange<UInt32> = 1...3600
    /// RFC 8656 § 9: "The Permission Lifetime MUST be 300 seconds"; a minute is left for the request.
    static let permissionTime = Duration.seconds(300)
    static let permissionRefresh = Duration.seconds(240)
    /// RFC 8656 § 12: "A channel binding lasts for 10 minutes unless refreshed".
    static let channelTime = Duration.seconds(600)
    static let channelRefresh = Duration.seconds(480)
    /// RFC 8656 § 12: "the client MUST wait 5 minutes after the channel binding expires" before the number or the
    /// address is used otherwise.
    static let channelQuarantine = Duration.seconds(300)
    /// What was not sent to for this long is not refreshed; consent checks use a pair every 4 s.
    static let relayIdleTime = Duration.seconds(120)
    /// A peer that the relay refused, or a request that had no answer, is tried again after this long at the earliest.
    static let refusedPeerRetry = Duration.seconds(60)
    /// As for server-reflexive bindings; where nothing else was sent, an indication keeps the NAT's binding, and with it
    /// the 5-tuple that the allocation belongs to.
    static let relayKeepaliveMilliseconds = bindingRefreshMilliseconds
    /// A lost allocation is made anew after one second, then two, four, … up to five minutes, each ± 20 %. Seven packets to
    /// a server that does not answer cost it nothing, and the line may be back at any moment.
    static let longestSilentRetry = Duration.seconds(30)
    static let allocationRetries: ClosedRange<Duration> = .seconds(1)...(.seconds(300))
    /// One that lasted this long was worth having: the next loss counts as the first.
    static let stableAllocation = Duration.seconds(60)
    /// While a server has another address, the first request to this one is sent three times: at 0, 0.5 and 1.5 s, given up
    /// after 2.5 s. A name may have an address of either family, and its server listen at one of them.
    static let relayTrialCount = 3
    static let relayTrialInterval = Duration.seconds(1)
    /// RFC 8656 § 7.4: at 486 and 508, "the client SHOULD wait at least 1 minute".
    static let capacityRetry = Duration.seconds(60)
    /// RFC 8656 § 7.4: at 437, no other allocation on that server "for 2 minutes".
    static let mismatchRetry = Duration.seconds(120)

    /// Datagrams went to peers and nothing came from the server for this long: it is asked whether the allocation is
    /// still there. Another, and a pair of it, then take a second and a half.
    static let relayDoubt = Duration.seconds(1)
    /// So long where it has answered that and no peer was heard since, and over a stream. Consent lasts for 30 s, so that
    /// another allocation may take over before.
    static let relaySilence = Duration.seconds(5)
    /// A peer counts as quiet after 0.3 s at the earliest: a server that was heard within this still relays.
    static let quietPeer = Duration.milliseconds(250)
    /// Over UDP that question is sent four times, and so is the one for another allocation that may follow it: at 0, 0.5,
    /// 1.5 and 3.5 s, given up after 7.5 s. Both fit into the 30 s of consent.
    static let relayProbeCount = 4
    static let relayProbeInterval = Duration.seconds(4)
    /// How long it may take to answer that over a stream: with the silence before and a new connection behind it, far
    /// less than consent lasts.
    static let streamProbeTime = Duration.seconds(10)

    // MARK: Outputs

    /// What one call may leave to be drained: a check, its answer and an event or two; retransmissions of every pair at
    /// worst. Anything above is dropped as a network would.
    static let outputs = 4 * pairs
}
