import Datagrams
import Glibc
import NIOCore
import NIOPosix
import PeerCore
@testable import PeerDriver
import Testing

@Suite("Datagrams that leave in one call")
struct SendBatchTests {
    private static let loopback4 = IPAddress.v4(0x7F00_0001)
    private static let loopback6 = IPAddress.v6(high: 0, low: 1)

    @Test("each arrives as it was, and says how it is to be treated", arguments: [loopback4, loopback6])
    func marked(ip: IPAddress) async throws {
        let cases: [(DSCP, ECN, Int)] = [
            (.video, .notCapable, 0x88), (.audio, .capable0, 0xBA), (.video, .capable1, 0x89), (.standard, .notCapable, 0),
        ]
        for (dscp, ecn, expected) in cases {
            let sizes = [1000, 1000, 300]
            let came = try await arrivals(of: sizes, dscp, ecn, ip, isMarked: true)
            #expect(came.map(\.size) == sizes)
            #expect(came.allSatisfy { $0.typeOfService == expected }, "\(came)")
        }
    }

    @Test("nothing is marked where that is not wanted", arguments: [[700], [700, 700]])
    func unmarked(sizes: [Int]) async throws {
        let came = try await arrivals(of: sizes, .video, .capable0, Self.loopback4, isMarked: false)
        #expect(came.map(\.size) == sizes)
        #expect(came.allSatisfy { $0.typeOfService == 0 })
    }

    @Test("what is treated otherwise, or goes elsewhere, is another call's")
    func apart() {
        let here = TransportAddress(ip: Self.loopback4, port: 1), there = TransportAddress(ip: Self.loopback4, port: 2)
        var batch = SendBatch(Transmit(bytes: [1, 2], from: here, to: there, dscp: .video))
        func fits(_ count: Int, to: TransportAddress, _ dscp: DSCP, _ ecn: ECN = .notCapable) -> Bool {
            batch.append(
                Transmit(bytes: Array(repeating: 1, count: count), from: here, to: to, dscp: dscp, ecn: ecn))
        }
        #expect(!fits(2, to: there, .video, .capable0))
        #expect(!fits(2, to: there, .audio))
        #expect(!fits(2, to: here, .video))
        #expect(!fits(3, to: there, .video))
        #expect(fits(1, to: there, .video))
        #expect(!fits(1, to: there, .video), "a short one is the last")
    }

    @Test("what the kernel has no room for is counted, datagram by datagram")
    func refused() async throws {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let bound = try await UDPSocket.bind(Self.loopback4, port: 0, on: loop) { _, _, _, _ in }
        // Loopback has room for all; a Unix socket, for some (unix(7)).
        let unread = try #require(UnreadSocket())
        defer { unread.close() }
        let full = UDPSocket(
            channel: bound.channel, address: bound.address, descriptor: unread.sender, sendBuffer: bound.sendBuffer)
        let datagram = Transmit(bytes: [7, 7], from: bound.address, to: bound.address, dscp: .video)
        var batch = SendBatch(datagram)
        let fits = [batch.append(datagram), batch.append(datagram)]
        #expect(fits == [true, true])
        let (three, to) = (batch, unread.address)
        let refused = try await loop.submit {
            (0..<10_000).map { _ in three.send(by: full, to: to, isMarked: false) }
        }.get()
        #expect(refused.first == 0 && refused.last == 3)
        try await bound.channel.close()
    }

    @Test("a socket says how much may wait to leave, however much less that is than was asked for")
    func room() async throws {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let socket = try await UDPSocket.bind(Self.loopback4, port: 0, on: loop) { _, _, _, _ in }
        #expect((1...PeerDriver.Limits.socketBuffer).contains(socket.sendBuffer))
        try await socket.channel.close()
    }

    @Test("a socket tells of each datagram whether it was marked", arguments: [loopback4, loopback6])
    func read(ip: IPAddress) async throws {
        let (came, arrivals) = AsyncStream<ECN>.makeStream()
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let receiver = try await UDPSocket.bind(ip, port: 0, on: loop) { _, _, _, ecn in arrivals.yield(ecn) }
        let sender = try await UDPSocket.bind(ip, port: 0, on: loop) { _, _, _, _ in }
        let to = try receiver.address.socketAddress()
        var seen = came.makeAsyncIterator()
        for ecn in [ECN.notCapable, .capable0, .capable1, .congestionExperienced] {
            let batch = SendBatch(
                Transmit(bytes: [7, 7], from: sender.address, to: receiver.address, dscp: .video, ecn: ecn))
            let refused = try await loop.submit { batch.send(by: sender, to: to, isMarked: true) }.get()
            #expect(refused == 0)
            #expect(await seen.next() == ecn)
        }
        try await sender.channel.close()
        try await receiver.channel.close()
    }

    /// Sends datagrams of `sizes` in one batch to a plain socket, and reads what comes there.
    private func arrivals(
        of sizes: [Int], _ dscp: DSCP, _ ecn: ECN, _ ip: IPAddress, isMarked: Bool
    ) async throws -> [PlainSocket.Arrival] {
        let socket = try await UDPSocket.bind(ip, port: 0, on: MultiThreadedEventLoopGroup.singleton.next()) { _, _, _, _ in }
        let receiver = try #require(PlainSocket(ip))
        let to = TransportAddress(ip: ip, port: receiver.port)
        let datagrams = sizes.map {
            Transmit(bytes: Array(repeating: 7, count: $0), from: socket.address, to: to, dscp: dscp, ecn: ecn)
        }
        var batch = SendBatch(datagrams[0])
        let fits = datagrams.dropFirst().map { batch.append($0) }
        #expect(!fits.contains(false))
        let (full, remote) = (batch, try to.socketAddress())
        let refused = try await socket.channel.eventLoop.submit {
            full.send(by: socket, to: remote, isMarked: isMarked)
        }.get()
        #expect(refused == 0)
        let came = sizes.compactMap { _ in receiver.receive() }
        try await socket.channel.close()
        return came
    }
}

/// A bound socket that tells the type of service (IPv4) or traffic class (IPv6) of what it receives.
private final class PlainSocket {
    struct Arrival {
        var size: Int
        var typeOfService: Int
    }

    let port: UInt16
    private let descriptor: CInt

    init?(_ ip: IPAddress) {
        let is4 = if case .v4 = ip { true } else { false }
        descriptor = socket(is4 ? AF_INET : AF_INET6, Int32(SOCK_DGRAM.rawValue), 0)
        var on: CInt = 1
        let size = socklen_t(MemoryLayout<CInt>.size)
        setsockopt(
            descriptor, is4 ? Int32(IPPROTO_IP) : Int32(IPPROTO_IPV6), is4 ? IP_RECVTOS : IPV6_RECVTCLASS, &on, size)
        var wait = timeval(tv_sec: 5, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &wait, socklen_t(MemoryLayout<timeval>.size))
        guard let any = try? TransportAddress(ip: ip, port: 0).socketAddress() else { return nil }
        let descriptor = descriptor
        let isBound = any.withSockAddr { address, size in bind(descriptor, address, socklen_t(size)) } == 0
        var name = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let isNamed = withUnsafeMutableBytes(of: &name) { bytes in
            getsockname(descriptor, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), &length)
        } == 0
        // The port stands behind the family in both (ip(7), ipv6(7)).
        port = withUnsafeBytes(of: &name) { UInt16(bigEndian: $0.loadUnaligned(fromByteOffset: 2, as: UInt16.self)) }
        guard isBound, isNamed else { return nil }
    }

    deinit { close(descriptor) }

    func receive() -> Arrival? {
        var bytes = [UInt8](repeating: 0, count: 2048), control = [UInt8](repeating: 0, count: 64)
        return bytes.withUnsafeMutableBytes { data in
            control.withUnsafeMutableBytes { ancillary in
                var part = iovec(iov_base: data.baseAddress, iov_len: data.count)
                return withUnsafeMutablePointer(to: &part) { part in
                    var message = msghdr()
                    (message.msg_iov, message.msg_iovlen) = (part, 1)
                    (message.msg_control, message.msg_controllen) = (ancillary.baseAddress, ancillary.count)
                    let size = recvmsg(descriptor, &message, 0)
                    guard size >= 0 else { return nil }
                    // One cmsghdr of 16 bytes and its value: a byte with IPv4, an int with IPv6.
                    guard message.msg_controllen > 16 else { return Arrival(size: size, typeOfService: -1) }
                    return Arrival(size: size, typeOfService: Int(ancillary[16]))
                }
            }
        }
    }
}

/// Two Unix sockets: what one sends, nobody reads at the other.
private final class UnreadSocket {
    let sender: CInt
    let address: SocketAddress
    private let receiver: CInt
    private let path = "/tmp/unread-\(getpid())"

    init?() {
        let kind = Int32(SOCK_DGRAM.rawValue | SOCK_NONBLOCK.rawValue)
        guard let address = try? SocketAddress(unixDomainSocketPath: path) else { return nil }
        self.address = address
        let receiver = socket(AF_UNIX, kind, 0)
        (sender, self.receiver) = (socket(AF_UNIX, kind, 0), receiver)
        unlink(path)
        let isBound = address.withSockAddr { address, size in bind(receiver, address, socklen_t(size)) } == 0
        guard sender >= 0, isBound else { return nil }
    }

    func close() {
        Glibc.close(sender)
        Glibc.close(receiver)
        unlink(path)
    }
}
