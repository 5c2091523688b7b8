import Datagrams
import FuzzDriver
import ICE
import Timebase

/// A TURN server that says anything: to a client over UDP, message by message, and to one in a connection, as a stream.
///
/// The input is a row of messages: a byte of flags, a byte of length, and so many bytes. Flags: 1: an answer to the last
/// request, whose transaction ID is put in; 2: in time, a second later; 4: a datagram leaves for a peer meanwhile.
private func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = [UInt8](UnsafeBufferPointer(start: start, count: count))
    var server = Server(.udp)
    var rest = bytes[...]
    while rest.count > 2 {
        let head = Array(rest.prefix(2))
        let message = Array(rest.dropFirst(2).prefix(Int(head[1])))
        rest = rest.dropFirst(2 + message.count)
        server.say(message, flags: head[0])
    }
    var stream = Server(.stream)
    var decoder = TURNStreamDecoder()
    for part in [bytes.prefix(bytes.count / 2), bytes.dropFirst(bytes.count / 2)] {
        decoder.append(Array(part))
        do { while let message = try decoder.next() { stream.say(message, flags: 2) } } catch { break }
    }
    return 0
}

private struct Server {
    private static let address = TransportAddress(ip: .v4(0xC000_0201), port: 3478)
    private static let base = TransportAddress(ip: .v4(0x0A00_0001), port: 5000)
    private static let peer = TransportAddress(ip: .v4(0xC633_6401), port: 6000)
    private var client: TURNClient
    private var now = Instant.zero
    private var lastRequest: [UInt8] = []

    init(_ transport: TURNTransport) {
        let credentials = TURNCredentials(username: "u", password: "p")!
        client = TURNClient(
            TURNConfiguration(
                server: Self.address, base: Self.base, transport: transport, credentials: credentials),
            authenticator: NoSecrets(), random: Counter(), at: now)
        if transport == .stream { client.connected(at: now) }
        drain()
    }

    mutating func say(_ message: [UInt8], flags: UInt8) {
        var message = message
        if flags & 1 != 0, message.count >= 20, lastRequest.count >= 20 {
            message.replaceSubrange(4..<20, with: lastRequest[4..<20])
        }
        if flags & 2 != 0 { now += .seconds(1) }
        if flags & 4 != 0 {
            var wrapped: [UInt8] = []
            _ = client.wrap([1, 2, 3], to: Self.peer, into: &wrapped, at: now)
        }
        if case .data(_, let range) = client.receive(
            message.span.bytes, local: Self.base, from: Self.address, at: now)
        {
            precondition(range.lowerBound >= 0 && range.upperBound <= message.count)
        }
        drain()
        client.advance(to: now)
        drain()
    }

    private mutating func drain() {
        for _ in 0..<10_000 {
            switch client.nextOutput() {
            case .transmit(let bytes): lastRequest = bytes
            case .event: continue
            case .wait: return
            }
        }
        preconditionFailure("it never waits")
    }
}

/// Every digest is zeros, so that the fuzzer can sign.
private final class NoSecrets: MessageAuthenticator {
    func hmacSHA1(key: [UInt8], message: [UInt8]) -> [UInt8] { [UInt8](repeating: 0, count: 20) }
    func hmacSHA256(key: [UInt8], message: [UInt8]) -> [UInt8] { [UInt8](repeating: 0, count: 32) }
    func md5(_ message: [UInt8]) -> [UInt8] { [UInt8](repeating: 0, count: 16) }
}

private struct Counter: RandomNumberGenerator, Sendable {
    private var last: UInt64 = 0

    mutating func next() -> UInt64 {
        last &+= 0x9E37_79B9_7F4A_7C15
        return last
    }
}

@main
enum FuzzTURN {
    static func main() { FuzzDriver.run(fuzz) }
}
