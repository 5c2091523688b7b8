import Datagrams
import PeerCore
import TestSupport
import Testing

@testable import SecureTransport

@Suite("SRTP sessions")
struct SRTPSessionTests {
    /// Two ends of one association, from a written seed.
    static func pair(_ profile: SRTPProfile) throws -> (sender: SRTPSession, receiver: SRTPSession) {
        var random = SeededGenerator(seed: 1)
        let length = profile == .aeadAES128GCM ? 28 : 30
        let (one, other) = (random.bytes(length), random.bytes(length))
        return (
            try SRTPSession(keys: SRTPKeys(profile: profile, local: one, remote: other)),
            try SRTPSession(keys: SRTPKeys(profile: profile, local: other, remote: one))
        )
    }

    static func protected(_ packet: [UInt8], by session: SRTPSession) throws -> [UInt8] {
        var packet = packet
        try session.protectRTP(&packet)
        return packet
    }

    @Test("RTP and RTCP come out as they went in, both ways", arguments: SRTPProfile.allCases)
    func roundTrip(profile: SRTPProfile) throws {
        let (sender, receiver) = try Self.pair(profile)
        for (from, to) in [(sender, receiver), (receiver, sender)] {
            for size in [0, 1, 100, 1200] {
                let plain = TestPacket.rtp(sequence: UInt16(100 + size), payload: [UInt8](repeating: 7, count: size))
                var packet = plain
                try from.protectRTP(&packet)
                #expect(packet.count == plain.count + (profile == .aeadAES128GCM ? 16 : 10))
                try to.unprotectRTP(&packet)
                #expect(packet == plain)
                let plainReport = TestPacket.rtcp(payload: [UInt8](repeating: 9, count: size & ~3))
                var report = plainReport
                try from.protectRTCP(&report)
                #expect(report.count == plainReport.count + (profile == .aeadAES128GCM ? 20 : 14))
                try to.unprotectRTCP(&report)
                #expect(report == plainReport)
            }
        }
    }

    @Test("a packet is taken once", arguments: SRTPProfile.allCases)
    func replay(profile: SRTPProfile) throws {
        let (sender, receiver) = try Self.pair(profile)
        let wire = try Self.protected(TestPacket.rtp(sequence: 5), by: sender)
        var report = TestPacket.rtcp()
        try sender.protectRTCP(&report)
        var packet = wire
        try receiver.unprotectRTP(&packet)
        var opened = report
        try receiver.unprotectRTCP(&opened)
        for _ in 0..<3 {
            packet = wire
            #expect(throws: ProtectionError.replayed) { try receiver.unprotectRTP(&packet) }
            opened = report
            #expect(throws: ProtectionError.replayed) { try receiver.unprotectRTCP(&opened) }
        }
    }

    @Test("the replay window reaches back 1023 packets and no further", arguments: SRTPProfile.allCases)
    func window(profile: SRTPProfile) throws {
        let (sender, receiver) = try Self.pair(profile)
        let wire = try (0...1100).map { try Self.protected(TestPacket.rtp(sequence: UInt16($0)), by: sender) }
        var newest = wire[1100]
        try receiver.unprotectRTP(&newest)
        var oldest = wire[1100 - 1023]
        try receiver.unprotectRTP(&oldest)
        var older = wire[1100 - 1024]
        #expect(throws: ProtectionError.replayed) { try receiver.unprotectRTP(&older) }
    }

    @Test(
        "numbers begun anew under the same name are old ones, and behind a whole round that was missed nothing is authentic",
        arguments: SRTPProfile.allCases)
    func begunAnew(profile: SRTPProfile) throws {
        let (sender, receiver) = try Self.pair(profile)
        var packet = try Self.protected(TestPacket.rtp(sequence: 40_000), by: sender)
        try receiver.unprotectRTP(&packet)
        // The same keys in a sender that does not mind what it has sent, as other libraries' do not.
        let (other, _) = try Self.pair(profile)
        for sequence in 38_500..<38_510 as Range<UInt16> {
            packet = try Self.protected(TestPacket.rtp(sequence: sequence), by: other)
            #expect(throws: ProtectionError.replayed) { try receiver.unprotectRTP(&packet) }
        }
        for sequence in [60_000, 7000, 30_000, 44_464] as [UInt16] {
            packet = try Self.protected(TestPacket.rtp(sequence: sequence), by: sender)
        }
        #expect(throws: ProtectionError.authenticationFailed) { try receiver.unprotectRTP(&packet) }
    }

    @Test("sequence numbers roll over from 65530 with ten packets lost", arguments: SRTPProfile.allCases)
    func rollOver(profile: SRTPProfile) throws {
        let (sender, receiver) = try Self.pair(profile)
        for step in 0..<200 {
            let plain = TestPacket.rtp(sequence: UInt16(truncatingIfNeeded: 65_530 + step))
            var packet = try Self.protected(plain, by: sender)
            if (1...10).contains(step) { continue }
            try receiver.unprotectRTP(&packet)
            #expect(packet == plain)
        }
    }

    @Test("a packet from before the roll-over still opens after it", arguments: SRTPProfile.allCases)
    func lateAcrossRollOver(profile: SRTPProfile) throws {
        let (sender, receiver) = try Self.pair(profile)
        let plain = (0..<20).map { TestPacket.rtp(sequence: UInt16(truncatingIfNeeded: 65_530 + $0)) }
        let wire = try plain.map { try Self.protected($0, by: sender) }
        for index in [0, 10, 19, 3, 5, 7] {
            var packet = wire[index]
            try receiver.unprotectRTP(&packet)
            #expect(packet == plain[index])
        }
    }

    @Test("any changed bit is noticed", arguments: SRTPProfile.allCases)
    func tampering(profile: SRTPProfile) throws {
        let (sender, receiver) = try Self.pair(profile)
        let wire = try Self.protected(TestPacket.rtp(sequence: 9), by: sender)
        // The version's bits make the packet malformed; the rest must fail authentication. Changed flags and CSRC
        // counts may also contradict the length.
        for index in wire.indices {
            var packet = wire
            packet[index] ^= 0x01
            #expect(throws: ProtectionError.self, "byte \(index)") { try receiver.unprotectRTP(&packet) }
            if index > 0 {
                packet = wire
                packet[index] ^= 0x20
                #expect(throws: ProtectionError.authenticationFailed, "byte \(index)") {
                    try receiver.unprotectRTP(&packet)
                }
            }
        }
        var report = TestPacket.rtcp()
        try sender.protectRTCP(&report)
        for index in report.indices {
            var packet = report
            packet[index] ^= 0x01
            #expect(throws: ProtectionError.self, "byte \(index)") { try receiver.unprotectRTCP(&packet) }
        }
        var packet = wire
        try receiver.unprotectRTP(&packet)
        try receiver.unprotectRTCP(&report)
    }

    @Test("keys of another association open nothing", arguments: SRTPProfile.allCases)
    func otherKeys(profile: SRTPProfile) throws {
        let (sender, _) = try Self.pair(profile)
        var random = SeededGenerator(seed: 2)
        let stranger = try SRTPSession(keys: .both(profile, random.bytes(profile == .aeadAES128GCM ? 28 : 30)))
        var packet = try Self.protected(TestPacket.rtp(sequence: 9), by: sender)
        #expect(throws: ProtectionError.authenticationFailed) { try stranger.unprotectRTP(&packet) }
    }

    @Test("short, long and senseless packets are malformed", arguments: SRTPProfile.allCases)
    func malformed(profile: SRTPProfile) throws {
        let (sender, receiver) = try Self.pair(profile)
        let tag = profile == .aeadAES128GCM ? 16 : 10
        for count in 0..<(12 + tag) {
            var packet = [UInt8](repeating: 0x80, count: count)
            #expect(throws: ProtectionError.malformed) { try receiver.unprotectRTP(&packet) }
        }
        for count in 0..<(12 + tag) {
            var packet = [UInt8](repeating: 0x80, count: count)
            #expect(throws: ProtectionError.malformed) { try receiver.unprotectRTCP(&packet) }
        }
        for bad in [[UInt8](), [0x80], [UInt8](repeating: 0, count: 100), [UInt8](repeating: 0x80, count: 65_536)] {
            var packet = bad
            #expect(throws: ProtectionError.malformed) { try sender.protectRTP(&packet) }
            packet = bad
            #expect(throws: ProtectionError.malformed) { try sender.protectRTCP(&packet) }
        }
    }

    @Test("random bytes are refused by a typed error, and the session lives on", arguments: SRTPProfile.allCases)
    func randomBytes(profile: SRTPProfile) throws {
        let (sender, receiver) = try Self.pair(profile)
        var random = SeededGenerator(seed: 3)
        for round in 0..<20_000 {
            var packet = random.bytes(round % 200)
            if !packet.isEmpty { packet[0] = packet[0] & 0x3F | 0x80 }
            var copy = packet
            #expect(throws: ProtectionError.self) { try receiver.unprotectRTP(&packet) }
            #expect(throws: ProtectionError.self) { try receiver.unprotectRTCP(&copy) }
        }
        var packet = try Self.protected(TestPacket.rtp(sequence: 1), by: sender)
        try receiver.unprotectRTP(&packet)
    }

    @Test("a sequence number is never protected twice, because a GCM nonce would repeat")
    func noNonceTwice() throws {
        let (sender, _) = try Self.pair(.aeadAES128GCM)
        _ = try Self.protected(TestPacket.rtp(sequence: 9), by: sender)
        #expect(throws: ProtectionError.replayed) { try Self.protected(TestPacket.rtp(sequence: 9), by: sender) }
    }

    @Test("a peer gets 32 streams and no more, and the ones it has go on", arguments: SRTPProfile.allCases)
    func streamLimit(profile: SRTPProfile) throws {
        let (sender, receiver) = try Self.pair(profile)
        for ssrc in 1...UInt32(Limits.inboundStreams) {
            var packet = try Self.protected(TestPacket.rtp(sequence: 1, ssrc: ssrc), by: sender)
            try receiver.unprotectRTP(&packet)
        }
        var excess = try Self.protected(TestPacket.rtp(sequence: 1, ssrc: 1000), by: sender)
        #expect(throws: ProtectionError.malformed) { try receiver.unprotectRTP(&excess) }
        var report = TestPacket.rtcp(ssrc: 1001)
        try sender.protectRTCP(&report)
        #expect(throws: ProtectionError.malformed) { try receiver.unprotectRTCP(&report) }
        var known = try Self.protected(TestPacket.rtp(sequence: 2, ssrc: 7), by: sender)
        try receiver.unprotectRTP(&known)
    }

    @Test("forged packets use up no streams")
    func forgedStreams() throws {
        let (sender, receiver) = try Self.pair(.aeadAES128GCM)
        for ssrc in 0..<UInt32(1000) {
            var forged = TestPacket.rtp(sequence: 1, ssrc: ssrc, payload: [UInt8](repeating: 0, count: 40))
            #expect(throws: ProtectionError.authenticationFailed) { try receiver.unprotectRTP(&forged) }
        }
        var packet = try Self.protected(TestPacket.rtp(sequence: 1), by: sender)
        try receiver.unprotectRTP(&packet)
    }

    @Test("keys of the wrong length are refused", arguments: SRTPProfile.allCases, [0, 16, 27, 29, 31, 46])
    func keyLengths(profile: SRTPProfile, count: Int) {
        #expect(throws: ProtectionError.malformed) {
            try SRTPSession(keys: .both(profile, [UInt8](repeating: 1, count: count)))
        }
    }
}
