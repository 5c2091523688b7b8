/// The bounds of this target, each with its reason.
enum Limits {
    /// Our DTLS datagrams' size: passes every path that takes a 1280-byte IPv6 packet with room for tunnels.
    static let datagramBytes = 1200

    /// A datagram from the peer larger than this is dropped: no UDP payload is larger.
    static let receivedDatagramBytes = 65_535

    /// Flights that wait to be drained; OpenSSL's largest is four datagrams. More are dropped, as a network would.
    static let queuedDatagrams = 16

    /// A peer's certificate message: WebRTC peers send one self-signed certificate, below 2 KiB.
    static let certificateMessageBytes = 16 * 1024

    /// Any handshake message in the clear. A certificate is the longest; a ClientHello with post-quantum keys has 2 KiB.
    static let handshakeMessageBytes: UInt32 = 16 * 1024

    /// What AES-GCM adds to a record: an explicit nonce of 8 bytes and a tag of 16 (RFC 5288 § 3, RFC 5246 § 6.2.3.3).
    static let gcmOverheadBytes = 24

    /// What ChaCha20-Poly1305 adds: the tag alone, its nonce is implied (RFC 7905 § 2). Its alerts are shorter than
    /// `gcmOverheadBytes`.
    static let chaChaOverheadBytes = 16

    /// The first retransmission. RFC 9147 § 5.8.2 allows real-time protocols shorter timers than its 400 ms; 50 ms is
    /// what browsers use, and a lost flight delays the join by just that.
    static let firstTimeoutMicroseconds: UInt32 = 50_000

    /// Doubling ends here (RFC 6347 § 4.2.4.1 asks for at least 60 s, but nobody waits that long for a picture).
    /// OpenSSL gives up after 12 timeouts in a row, that is after 15 s.
    static let longestTimeoutMicroseconds: UInt32 = 2_000_000

    /// What `timeout` says at most, even if the wall clock, which OpenSSL reads, jumped back.
    static let longestTimeout = Duration.microseconds(Int64(longestTimeoutMicroseconds))

    /// The certificate lasts as long as browsers' do, and begins a day ago for clocks that disagree.
    static let certificateLifetimeSeconds = 30 * 86_400
    static let certificateClockSkewSeconds = 86_400

    /// RFC 3711 § 3.3.2 demands at least 64; fast video with retransmissions needs more.
    static let replayWindow: UInt = 1024

    /// Streams a peer may send: media, retransmission and RTCP of a few sections. Each costs libsrtp memory and time,
    /// and even an authenticated peer could otherwise name 2³² of them.
    static let inboundStreams = 32

    /// libsrtp counts a packet's length in an `Int32`; no UDP payload is larger than this.
    static let packetBytes = 65_535
}
