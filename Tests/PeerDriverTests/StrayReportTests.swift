import Datagrams
import ICE
import NIOConcurrencyHelpers
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

    @Test("looks at them, and tries with the keys of the peer whose name they bear, are two thousand a second in all")
    func flood() async throws {
        let tries = NIOLockedValueBox(0)
        let (connected, joined) = AsyncStream.makeStream(of: Void.self)
        var configuration = HubConfiguration.loopback { event in
            if case .connected = event { joined.yield() }
        }
        configuration.makeSecurity = { CountingSecurity(tries) }
        let sharer = try await PeerHub.opened(configuration)
        let viewer = try await PeerHub.opened(.loopback(name: 2))
        try await sharer.meet(viewer)
        for await _ in connected { break }
        // Where the sharer gets what the viewer sends.
        let pair = AddressPair(
            local: try #require(await sharer.listedCandidates().first?.base),
            remote: try #require(await viewer.listedCandidates().first?.base))

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
