import PeerCore
import TestSupport
import Testing

@testable import SecureTransport

/// These wait for OpenSSL's real timers.
@Suite("DTLS on a bad network")
struct HandshakeLossTests {
    @Test("the loss of any one flight is repaired by a timeout or two", arguments: 1...4)
    func flightLost(lost: Int) async throws {
        let pair = try HandshakePair()
        try await pair.run { flight, _, _ in flight != lost }
        #expect(pair.isDone)
        #expect((1...2).contains(pair.timeouts))
    }

    @Test("the loss of any one datagram is repaired", arguments: 0..<6)
    func datagramLost(lost: Int) async throws {
        let pair = try HandshakePair()
        var count = -1
        try await pair.run { _, _, _ in
            count += 1
            return count != lost
        }
        #expect(pair.isDone)
    }

    @Test("two flights in a row may be lost", arguments: 1...4)
    func twoFlightsLost(lost: Int) async throws {
        let pair = try HandshakePair()
        try await pair.run { flight, _, _ in flight != lost && flight != lost + 1 }
        #expect(pair.isDone)
    }

    @Test("duplicates and datagrams in reverse order do no harm")
    func duplicatesAndReordering() async throws {
        let pair = try HandshakePair()
        try pair.active.start()
        for _ in 0..<100 where !pair.isDone {
            for (from, to) in [(pair.active, pair.passive), (pair.passive, pair.active)] {
                let flight = HandshakePair.drain(from)
                for datagram in (flight + flight).reversed() { try to.receive(datagram) }
            }
            try await Task.sleep(for: .milliseconds(5))
            for engine in [pair.active, pair.passive] where engine.timeout == .zero { try engine.handleTimeout() }
        }
        #expect(pair.isDone)
        #expect(pair.active.keys?.local == pair.passive.keys?.remote)
    }

    @Test("a quarter of all datagrams lost, from written seeds", arguments: 1...6)
    func heavyLoss(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let pair = try HandshakePair()
        try await pair.run(timeouts: 40) { _, _, _ in random.next() % 4 != 0 }
        #expect(pair.isDone)
    }

    @Test("the last flight is repeated as long as the other side lacks it")
    func lastFlightRepeated() async throws {
        let pair = try HandshakePair()
        try await pair.run(timeouts: 3) { flight, _, _ in
            // What the passive side sends after its first flight never arrives.
            flight < 4
        }
        #expect(pair.passive.keys != nil && pair.active.keys == nil)
        try await pair.run()
        #expect(pair.isDone)
    }

    @Test("a Finished that is repeated comes with its ChangeCipherSpec, in one datagram")
    func repeatedFinished() async throws {
        let pair = try HandshakePair()
        try pair.active.start()
        for datagram in HandshakePair.drain(pair.active) { try pair.passive.receive(datagram) }
        for datagram in HandshakePair.drain(pair.passive) { try pair.active.receive(datagram) }
        for datagram in HandshakePair.drain(pair.active) { try pair.passive.receive(datagram) }
        let last = HandshakePair.drain(pair.passive)
        #expect(last.count == 1)
        for datagram in try await Self.repeated(by: pair.active) { try pair.passive.receive(datagram) }
        let lastAgain = HandshakePair.drain(pair.passive)
        #expect(lastAgain.count == 1)
        #expect(lastAgain.map(\.count) == last.map(\.count))
        for datagram in lastAgain { try pair.active.receive(datagram) }
        #expect(pair.isDone)
    }

    private static func repeated(by engine: any HandshakeEngine) async throws -> [[UInt8]] {
        try await Task.sleep(for: try #require(engine.timeout) + .milliseconds(1))
        try engine.handleTimeout()
        return HandshakePair.drain(engine)
    }
}
