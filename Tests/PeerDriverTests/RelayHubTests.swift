import Datagrams
import Glibc
import ICE
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import TestSupport
import Testing
import Timebase

@testable import PeerDriver

/// A hub on loopback with TURN servers that are none.
@Suite("Relays: a hub's connections", .timeLimit(.minutes(1)))
struct RelayHubTests {
    /// Everything that a hub told of its relays.
    private final class Told: Sendable {
        let failures = NIOLockedValueBox<[RelayFailure]>([])

        func hear(_ event: RelayEvent) {
            if case .failed(_, let failure) = event { failures.withLockedValue { $0.append(failure) } }
        }
    }

    private func hub(
        _ url: String, at addresses: [TransportAddress]? = nil, policy: ICETransportPolicy = .all, _ told: Told
    ) async throws -> PeerHub {
        let uri = try ICEServerURI(url)
        let server = RelayServer(
            uri: uri, addresses: try addresses ?? [#require(uri.address)], credentials: .secret("secret"))
        return try await hub(of: [server], policy: policy, told)
    }

    private func hub(of servers: [RelayServer], policy: ICETransportPolicy = .all, _ told: Told) async throws -> PeerHub {
        var configuration = HubConfiguration.loopback()
        configuration.turnServers = servers
        configuration.transportPolicy = policy
        configuration.onRelay = { told.hear($0) }
        return try await PeerHub.opened(configuration)
    }

    /// A listener that answers every connection with these bytes; its port.
    private func listener(
        _ bytes: [UInt8], came: AsyncStream<Void>.Continuation? = nil
    ) async throws -> (channel: any Channel, port: Int) {
        let channel = try await ServerBootstrap(group: NIOSingletons.posixEventLoopGroup)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Greeter(bytes, came)) }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return (channel, try #require(channel.localAddress?.port))
    }

    @Test("where nobody listens, that is told once, and nobody waits for candidates")
    func refused() async throws {
        let (channel, port) = try await listener([])
        try await channel.close()
        let told = Told()
        let hub = try await hub("turn:127.0.0.1:\(port)?transport=tcp", told)
        await hub.gather(atMost: .seconds(50))
        #expect(told.failures.withLockedValue { $0 } == [.unreachable("connection refused")])
        #expect(await hub.relayFailures().map(\.failure) == [.unreachable("connection refused")])
        #expect(await !hub.hasRelay)
        await hub.close()
    }

    @Test("where one address of a name refuses, the other is asked")
    func second() async throws {
        let (gone, closedPort) = try await listener([])
        try await gone.close()
        let (arrivals, came) = AsyncStream<Void>.makeStream()
        let (channel, port) = try await listener([], came: came)
        let addresses = [closedPort, port].map { TransportAddress(ip: .loopback, port: UInt16($0)) }
        let hub = try await hub("turn:somewhere.invalid?transport=tcp", at: addresses, Told())
        var seen = arrivals.makeAsyncIterator()
        #expect(await seen.next() != nil)
        await hub.close()
        try await channel.close()
    }

    @Test("of addresses that come and go, one that is not ready yet is left; of chosen ones it is an error")
    func notReady() async throws {
        // TEST-NET-1 (RFC 5737): no machine has it.
        let foreign = IPAddress.v4(0xC000_0201)
        for follows in [true, false] {
            var configuration = HubConfiguration.loopback()
            configuration.addresses = [foreign, .loopback]
            configuration.followsAddresses = follows
            let hub = PeerHub(configuration, eventLoop: NIOSingletons.posixEventLoopGroup.next())
            if follows {
                try await hub.open()
                #expect(await hub.localCandidates().contains { $0.base?.ip == .loopback })
            } else {
                await #expect(throws: HubError.self) { try await hub.open() }
            }
            await hub.close()
        }
    }

    @Test("what speaks something else than TURN is left")
    func garbage() async throws {
        let (channel, port) = try await listener([0xFF, 0xFF, 0xFF, 0xFF])
        let told = Told()
        let hub = try await hub("turn:127.0.0.1:\(port)?transport=tcp", told)
        await hub.gather(atMost: .seconds(50))
        #expect(await hub.relayFailures().map(\.failure) == [.unreachable("it closed the connection")])
        await hub.close()
        try await channel.close()
    }

    @Test("where a server names another, that one is connected to, and nothing is told of a failure")
    func redirected() async throws {
        let (arrivals, came) = AsyncStream<Void>.makeStream()
        let (second, secondPort) = try await listener([], came: came)
        let other = TransportAddress(ip: .loopback, port: UInt16(secondPort))
        let first = try await ServerBootstrap(group: NIOSingletons.posixEventLoopGroup)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Redirector(to: other))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(first.localAddress?.port)
        let told = Told()
        let hub = try await hub("turn:127.0.0.1:\(port)?transport=tcp", told)
        var seen = arrivals.makeAsyncIterator()
        #expect(await seen.next() != nil)
        #expect(told.failures.withLockedValue { $0 }.isEmpty)
        await hub.close()
        for channel in [first, second] { try await channel.close() }
    }

    @Test("over UDP it is asked from the same socket")
    func redirectedDatagrams() async throws {
        let (arrivals, came) = AsyncStream<Void>.makeStream()
        let second = try await socket(Redirector.Datagrams(to: nil, came))
        let other = try #require(second.localAddress.flatMap(TransportAddress.init))
        let first = try await socket(Redirector.Datagrams(to: other, nil))
        let port = try #require(first.localAddress?.port)
        let told = Told()
        let hub = try await hub("turn:127.0.0.1:\(port)", told)
        var seen = arrivals.makeAsyncIterator()
        #expect(await seen.next() != nil)
        #expect(told.failures.withLockedValue { $0 }.isEmpty)
        await hub.close()
        for channel in [first, second] { try await channel.close() }
    }

    @Test("where one address of a name is silent over UDP, the other is asked after three requests, and no failure is told")
    func secondOverDatagrams() async throws {
        let (firstRequests, toFirst) = AsyncStream<Void>.makeStream()
        let (secondRequests, toSecond) = AsyncStream<Void>.makeStream()
        let first = try await socket(Redirector.Datagrams(to: nil, toFirst))
        let second = try await socket(Redirector.Datagrams(to: nil, toSecond))
        let silent = try #require(first.localAddress.flatMap(TransportAddress.init))
        let other = try #require(second.localAddress.flatMap(TransportAddress.init))
        let told = Told()
        let hub = try await hub("turn:somewhere.invalid", at: [silent, other], told)
        var seen = secondRequests.makeAsyncIterator()
        #expect(await seen.next() != nil)
        toFirst.finish()
        var count = 0
        for await _ in firstRequests { count += 1 }
        #expect((1...3).contains(count))
        #expect(told.failures.withLockedValue { $0 }.isEmpty)
        await hub.close()
        for channel in [first, second] { try await channel.close() }
    }

    @Test("two names of one server over UDP are one relay: each has the same to say, once, and nobody waits for the second")
    func sameServer() async throws {
        // It sends us to where we can't follow it.
        let elsewhere = TransportAddress(ip: try #require(IPAddress("2001:db8::9")), port: 3478)
        let channel = try await socket(Redirector.Datagrams(to: elsewhere, nil))
        let address = try #require(channel.localAddress.flatMap(TransportAddress.init))
        let servers = try ["turn:127.0.0.1", "turn:somewhere.invalid"].map { url in
            RelayServer(uri: try ICEServerURI(url), addresses: [address], credentials: .secret("secret"))
        }
        let told = Told()
        let hub = try await hub(of: servers, told)
        await hub.gather(atMost: .seconds(30))
        let failures = await hub.relayResults(of: servers).map(\.failure)
        #expect(failures == [.turn(.redirected), .turn(.redirected)])
        #expect(told.failures.withLockedValue { $0 } == [.turn(.redirected)])
        await hub.close()
        try await channel.close()
    }

    @Test("what no socket reaches is looked up again when the network has changed: its name may have an address of our family")
    func otherFamily() async throws {
        let (arrivals, came) = AsyncStream<Void>.makeStream()
        let channel = try await socket(Redirector.Datagrams(to: nil, came))
        let port = try #require(channel.localAddress?.port)
        let known = TransportAddress(ip: .v6(high: 0, low: 1), port: UInt16(port))
        let told = Told()
        let hub = try await hub("turn:127.0.0.1:\(port)", at: [known], told)
        #expect(told.failures.withLockedValue { $0 } == [.noLocalAddress])
        await hub.relayAgain()
        var seen = arrivals.makeAsyncIterator()
        #expect(await seen.next() != nil)
        await hub.close()
        try await channel.close()
    }

    private func socket(_ handler: @autoclosure @escaping @Sendable () -> Redirector.Datagrams) async throws -> any Channel {
        try await DatagramBootstrap(group: NIOSingletons.posixEventLoopGroup)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(handler()) }
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }

    @Test("a connection that was to be tried again in an hour is tried now, when the network has changed")
    func networkReturned() async throws {
        let (arrivals, came) = AsyncStream<Void>.makeStream()
        let (channel, port) = try await listener([0xFF, 0xFF, 0xFF, 0xFF], came: came)
        let hub = try await hub("turn:127.0.0.1:\(port)?transport=tcp", Told())
        var seen = arrivals.makeAsyncIterator()
        #expect(await seen.next() != nil)
        await hub.gather(atMost: .seconds(50))
        await hub.postponeTries()
        await hub.relayAgain()
        #expect(await seen.next() != nil)
        await hub.close()
        try await channel.close()
    }

    @Test("a server whose certificate can't be read is none")
    func certificates() async throws {
        let told = Told()
        var configuration = HubConfiguration.loopback()
        let uri = try ICEServerURI("turns:127.0.0.1:9")
        configuration.turnServers = [
            RelayServer(
                uri: uri, addresses: [try #require(uri.address)], credentials: .secret("secret"),
                trustedCertificates: "/nowhere/at/all.pem")
        ]
        configuration.onRelay = { told.hear($0) }
        let hub = try await PeerHub.opened(configuration)
        let words = "the certificates to check it with can't be read: /nowhere/at/all.pem"
        #expect(told.failures.withLockedValue { $0 } == [.unusable(words)])
        await hub.close()
    }

    @Test("a server whose certificates can be read after a change of networks is asked then")
    func laterCertificates() async throws {
        let (arrivals, came) = AsyncStream.makeStream(of: Void.self)
        let (channel, port) = try await listener([], came: came)
        let path = "/tmp/screenshare-\(UInt64.random(in: 0 ... .max)).pem"
        defer { unlink(path) }
        let uri = try ICEServerURI("turns:127.0.0.1:\(port)")
        let server = RelayServer(
            uri: uri, addresses: [try #require(uri.address)], credentials: .secret("secret"), trustedCertificates: path)
        let hub = try await hub(of: [server], Told())
        await hub.relayAgain()
        // Behind the next try, which comes within that time.
        try await hub.eventLoop.scheduleTask(in: .nanoseconds(Limits.connectPause.nanoseconds)) {}.futureResult.get()
        try #require(symlink("/etc/ssl/certs/ca-certificates.crt", path) == 0)
        await hub.relayAgain()
        var seen = arrivals.makeAsyncIterator()
        #expect(await seen.next() != nil)
        await hub.close()
        try await channel.close()
    }

    @Test("under relay-only nothing but relays is told, and no STUN server is asked")
    func relayOnly() async throws {
        let told = Told()
        let hub = try await hub("turn:127.0.0.1:9", policy: .relayOnly, told)
        #expect(await hub.localCandidates().isEmpty)
        let server = STUNServer(
            uri: try ICEServerURI("stun:127.0.0.1:9"), addresses: [TransportAddress(ip: .loopback, port: 9)])
        await hub.gather(from: [server])
        #expect(await hub.gatherer == nil)
        await hub.close()
    }
}

extension PeerHub {
    /// As behind many tries that came to nothing.
    fileprivate func postponeTries() {
        for relay in relays {
            for _ in 0..<16 { _ = relay.pauses.next() }
            relay.retry?.cancel()
            relay.retry = eventLoop.scheduleTask(in: .hours(1)) {}
        }
    }
}

/// A TURN server that names another.
private final class Redirector: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer
    private let other: TransportAddress

    init(to other: TransportAddress) {
        self.other = other
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard let reply = Self.reply(to: unwrapInboundIn(data), other) else { return }
        context.writeAndFlush(wrapOutboundOut(reply), promise: nil)
    }

    private static func reply(to request: ByteBuffer, _ other: TransportAddress) -> ByteBuffer? {
        let bytes = Array(request.readableBytesView)
        guard let message = try? STUNMessage(bytes.span.bytes) else { return nil }
        let attributes: [STUNAttribute] = [.errorCode(STUNErrorCode(300)), .alternateServer(other)]
        let header = STUNHeader(.error, message.header.method, message.transactionID)
        return ByteBuffer(bytes: STUNMessage(header, attributes).encoded())
    }

    /// Over UDP; without another, one that only notes that it was asked.
    final class Datagrams: ChannelInboundHandler {
        typealias InboundIn = AddressedEnvelope<ByteBuffer>
        typealias OutboundOut = AddressedEnvelope<ByteBuffer>
        private let other: TransportAddress?
        private let came: AsyncStream<Void>.Continuation?

        init(to other: TransportAddress?, _ came: AsyncStream<Void>.Continuation?) {
            self.other = other
            self.came = came
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            came?.yield()
            let envelope = unwrapInboundIn(data)
            guard let other, let reply = Redirector.reply(to: envelope.data, other) else { return }
            let answer = AddressedEnvelope(remoteAddress: envelope.remoteAddress, data: reply)
            context.writeAndFlush(wrapOutboundOut(answer), promise: nil)
        }
    }
}

/// Says the same to everybody.
private final class Greeter: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer
    private let greeting: [UInt8]
    private let came: AsyncStream<Void>.Continuation?

    init(_ greeting: [UInt8], _ came: AsyncStream<Void>.Continuation?) {
        self.greeting = greeting
        self.came = came
    }

    func channelActive(context: ChannelHandlerContext) {
        came?.yield()
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: greeting)), promise: nil)
    }
}
