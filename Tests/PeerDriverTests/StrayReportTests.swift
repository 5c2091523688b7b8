import Datagrams
import ICE
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import PeerCore
import RTP
import SystemClock
import TestSupport
import Testing
import Timebase

@testable import PeerDriver

@Suite("Reports from addresses that are nobody's", .timeLimit(.minutes(1)))
struct StrayReportTests {
    private static let name: UInt32 = 0xCCCC

    private func hub(
        makeSecurity: @escaping @Sendable () -> any SecurityProvider,
        hear: @escaping @Sendable (PeerEvent) -> Void = { _ in }
    ) async throws -> PeerHub {
        let configuration = HubConfiguration(
            addresses: [.loopback], port: 0, stunServers: [], makeSecurity: makeSecurity,
            makeAuthenticator: { TestAuthenticator() }, onEvent: { _, _, event in hear(event) })
        let hub = PeerHub(configuration, eventLoop: NIOSingletons.posixEventLoopGroup.next())
        try await hub.open()
        return hub
    }

    /// - Returns: where the sharer gets what the viewer sends.
    private func connect(_ sharer: PeerHub, _ viewer: PeerHub) async throws -> AddressPair {
        let id = PeerID(1)
        let ours = try await sharer.add(id, PeerSetup(iceRole: .controlled, handshakeRole: .active), lane: nil)
        let theirs = try await viewer.add(id, PeerSetup(iceRole: .controlling, handshakeRole: .passive), lane: nil)
        let toViewer = RemoteParameters(
            credentials: ours, fingerprint: try await sharer.localFingerprint(), candidates: await sharer.listedCandidates())
        let toSharer = RemoteParameters(
            credentials: theirs, fingerprint: try await viewer.localFingerprint(),
            candidates: await viewer.listedCandidates())
        await sharer.with(id) { core, now in core.setRemote(toSharer, at: now) }
        await viewer.with(id) { core, now in core.setRemote(toViewer, at: now) }
        return AddressPair(
            local: try #require(toViewer.candidates.first?.base), remote: try #require(toSharer.candidates.first?.base))
    }

    @Test("looks at them, and tries with the keys of the peer whose name they bear, are two thousand a second in all")
    func flood() async throws {
        let tries = NIOLockedValueBox(0)
        let (connected, joined) = AsyncStream.makeStream(of: Void.self)
        let sharer = try await hub(makeSecurity: { CountingSecurity(tries) }) { event in
            if case .connected = event { joined.yield() }
        }
        let viewer = try await hub(makeSecurity: { TransparentSecurity(name: 2) })
        let pair = try await connect(sharer, viewer)
        for await _ in connected { break }

        var report: [UInt8] = []
        ReceiverReport(ssrc: Self.name, reports: []).append(to: &report)
        let genuine = TransparentSecurity.protected(report, number: .max)
        await sharer.dispatch(genuine, local: pair.local, remote: pair.remote, at: SystemClock.now())
        try #require(tries.withLockedValue { $0 } == 1, "its name is known")
        await sharer.flood(3000, with: report + [UInt8](repeating: 0, count: 8), to: pair.local)
        // A try counts as much as a look, and there is one of each.
        #expect(tries.withLockedValue { $0 } == 1 + 1000)
        await sharer.close()
        await viewer.close()
    }
}

extension PeerHub {
    /// So many in one moment, when nothing was heard of anybody for long; each from an address of its own.
    fileprivate func flood(_ count: Int, with datagram: [UInt8], to local: TransportAddress) {
        let now = SystemClock.now() + .seconds(10)
        for port in 1...UInt16(count) {
            dispatch(datagram, local: local, remote: TransportAddress(ip: .loopback, port: port), at: now)
        }
    }
}

/// Counts on how many reports its keys are tried.
private final class CountingSecurity: SecurityProvider {
    private let plain = TransparentSecurity(name: 1)
    private let tries: NIOLockedValueBox<Int>

    init(_ tries: NIOLockedValueBox<Int>) { self.tries = tries }

    var localFingerprint: Fingerprint { plain.localFingerprint }

    func makeHandshake(role: HandshakeRole, remoteFingerprint: Fingerprint) throws(HandshakeError) -> any HandshakeEngine {
        try plain.makeHandshake(role: role, remoteFingerprint: remoteFingerprint)
    }

    func makeProtector(keys: SRTPKeys) throws(ProtectionError) -> any PacketProtector {
        CountingProtector(try plain.makeProtector(keys: keys), tries)
    }
}

private final class CountingProtector: PacketProtector {
    private let plain: any PacketProtector
    private let tries: NIOLockedValueBox<Int>

    init(_ plain: any PacketProtector, _ tries: NIOLockedValueBox<Int>) {
        self.plain = plain
        self.tries = tries
    }

    func protectRTP(_ packet: inout [UInt8]) throws(ProtectionError) { try plain.protectRTP(&packet) }
    func protectRTCP(_ packet: inout [UInt8]) throws(ProtectionError) { try plain.protectRTCP(&packet) }
    func unprotectRTP(_ packet: inout [UInt8]) throws(ProtectionError) { try plain.unprotectRTP(&packet) }

    func unprotectRTCP(_ packet: inout [UInt8]) throws(ProtectionError) {
        tries.withLockedValue { $0 += 1 }
        try plain.unprotectRTCP(&packet)
    }
}
