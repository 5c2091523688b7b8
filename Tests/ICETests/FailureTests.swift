import Datagrams
import Testing
import Timebase

@testable import ICE

@Suite("ICE that fails")
struct FailureTests {
    @Test("gives up after 30 s without a valid pair, not before, and falls silent")
    func timeout() {
        let pair = Pair(seed: 41)
        pair.world.loss = 1
        pair.join()
        pair.world.run(for: .seconds(29))
        #expect(pair.viewer.count(.failed) == 0)
        pair.world.run(for: .seconds(60))
        for peer in [pair.viewer, pair.sharer] {
            #expect(peer.time { $0 == .failed } == .zero + .seconds(30))
            #expect(peer.agent.state == .failed)
            #expect(peer.sent.allSatisfy { $0.at <= .zero + .seconds(30) })
            #expect(peer.agent.nextWake == .distantFuture)
        }
    }

    @Test("waits as long when there is nothing to check (RFC 8863)")
    func nothingToCheck() {
        let pair = Pair(seed: 42)
        pair.join(viewerLists: [], sharerLists: [])
        pair.world.run(for: .milliseconds(29_990))
        #expect(pair.sharer.count(.failed) == 0)
        pair.world.run(for: .milliseconds(20))
        #expect(pair.sharer.count(.failed) == 1)
    }

    @Test("is saved by a candidate that comes in the 29th second")
    func lateCandidate() {
        let pair = Pair(seed: 43)
        pair.join(viewerLists: [], sharerLists: [])
        pair.world.run(for: .seconds(29))
        pair.world.with(pair.sharer) { agent, now in _ = agent.addRemoteCandidate(.host(Pair.viewerSocket), at: now) }
        pair.world.run(for: .seconds(5))
        #expect(pair.isSelected)
        #expect(pair.sharer.count(.failed) + pair.viewer.count(.failed) == 0)
    }

    @Test("does not begin to count before the peer's credentials are known")
    func noCredentials() {
        let pair = Pair(seed: 44)
        pair.world.run(for: .seconds(600))
        #expect(pair.viewer.events.isEmpty)
        pair.join()
        pair.world.run(for: .seconds(1))
        #expect(pair.isSelected)
    }

    @Test("still answers checks after it gave up, and a restart begins anew")
    func restarted() {
        let pair = Pair(seed: 45)
        pair.world.loss = 1
        pair.join()
        pair.world.run(for: .seconds(31))
        pair.world.loss = 0
        for peer in [pair.viewer, pair.sharer] { pair.world.with(peer) { agent, now in _ = agent.restart(at: now) } }
        pair.join()
        pair.world.run(for: .milliseconds(60))
        #expect(pair.isSelected)
    }

    @Test("a request is sent at 0, 0.5, 1.5, 3.5, 7.5, 15.5 and 31.5 s and given up at 39.5 s (RFC 8489 § 6.2.1)")
    func schedule() {
        var retransmission = Retransmission(timeout: .milliseconds(500), at: .zero)
        var times: [Duration] = [.zero]
        while true {
            let due = retransmission.due
            guard retransmission.step(at: due) == .sendAgain else { break }
            times.append(due - .zero)
        }
        #expect(times == [0, 500, 1_500, 3_500, 7_500, 15_500, 31_500].map { .milliseconds($0) })
        #expect(retransmission.due - .zero == .milliseconds(39_500))
    }

    @Test("a check without an answer is repeated every two seconds at least, and begun anew while there is no other pair")
    func repeated() {
        let pair = Pair(seed: 46)
        pair.world.loss = 1
        pair.tell(pair.sharer, about: pair.viewer)
        pair.world.run(for: .seconds(29))
        let once = [0, 500, 1_500, 3_500, 5_500, 7_500, 9_500]
        let times = [0, 11_500, 23_000].flatMap { begin in once.map { Instant.zero + .milliseconds(begin + $0) } }
        #expect(pair.sharer.sent.map(\.at) == times.filter { $0 < .zero + .seconds(29) })
        #expect(Set(pair.sharer.sent.map { Array($0.packet.bytes[8..<20]) }).count == 3)
        pair.world.run(for: .seconds(20))
        #expect(pair.sharer.count(.failed) == 1)
        #expect(pair.sharer.sent.allSatisfy { $0.at <= .zero + .seconds(30) }, "after its failure nothing is sent")
    }

    @Test("the answer to a check that was repeated tells no round trip: nobody knows which of the two it answers")
    func repeatedCheck() {
        let pair = Pair(seed: 51)
        pair.world.loss = 1
        pair.join()
        pair.world.run(for: .milliseconds(100))
        pair.world.loss = 0
        #expect(pair.world.run(until: .zero + .seconds(1)) { pair.isSelected })
        #expect(pair.viewer.sent.contains { $0.at == .zero + .milliseconds(500) }, "the first one was lost")
        for peer in [pair.viewer, pair.sharer] { #expect(peer.agent.roundTripTime == .milliseconds(2), "\(peer.name)") }
    }

    @Test("however often the peer asks on a pair that is not answered, the others are checked until one is")
    func busyPair() {
        let (busy, other) = (address("10.0.0.1", 5001), address("10.0.0.2", 5001))
        let viewer = [Candidate.host(busy, localPreference: 200), .host(other, localPreference: 100)]
        let pair = Pair(seed: 98, viewer: viewer)
        let world = pair.world
        // Nothing of ours reaches the one, nor the other as long as its first check is repeated.
        world.tap = { [unowned world] packet in
            if packet.destination == busy { return nil }
            return packet.destination == other && world.now < .zero + .seconds(11) ? nil : packet
        }
        pair.tell(pair.sharer, about: pair.viewer)
        let (ours, theirs) = (pair.sharer.agent.localCredentials, pair.viewer.agent.localCredentials)
        let attributes: [STUNAttribute] = [
            .username("\(ours.ufrag):\(theirs.ufrag)"), .priority(1000), .iceControlling(.max),
        ]
        let check = STUNMessage(.request, TransactionID(high: 1, low: 1), attributes)
            .encoded(key: ours.key, with: TestAuthenticator())
        for _ in 0..<200 {
            world.send(Packet(bytes: check, source: busy, destination: Pair.sharerSocket))
            world.run(for: .milliseconds(60))
        }
        #expect(pair.sharer.agent.sendPair?.remote == other)
    }

    @Test("a network that mends is noticed within two seconds, however long it was down")
    func mended() {
        for down in stride(from: 1, through: 25, by: 3) {
            let pair = Pair(seed: 49)
            pair.world.loss = 1
            pair.join()
            pair.world.run(for: .seconds(down))
            pair.world.loss = 0
            pair.world.run(for: .milliseconds(2100))
            #expect(pair.isSelected, "\(down) s")
        }
    }

    @Test("a nomination whose own answers get lost is answered by a consent check, and the pair is selected")
    func nominatedByConsent() {
        let pair = Pair(seed: 50)
        pair.world.tap = { packet in
            let answered = (try? STUNMessage(packet.bytes.span.bytes)).flatMap { message in
                message.messageClass == .request ? nil : pair.viewer.agent.transactions[message.transactionID]
            }
            return answered?.purpose == .nomination ? nil : packet
        }
        pair.join()
        pair.world.run(for: .seconds(1))
        #expect(pair.sharer.agent.selectedPair != nil)
        #expect(pair.viewer.agent.sendPair != nil && pair.viewer.agent.selectedPair == nil)
        pair.world.run(for: .seconds(6))
        #expect(pair.isSelected)
    }

    @Test("checks of several pairs leave 50 ms apart, the best first")
    func pacing() {
        let hosts = (0..<6).map { Candidate.host(address("10.0.1.\($0 + 1)", 7000), localPreference: 60_000 + $0) }
        let pair = Pair(seed: 47)
        pair.world.loss = 1
        pair.tell(pair.sharer, about: pair.viewer, hosts)
        pair.world.run(for: .milliseconds(400))
        #expect(pair.sharer.sent.map { $0.at - .zero } == (0..<6).map { .milliseconds(50 * $0) })
        #expect(pair.sharer.sent.map(\.packet.destination) == hosts.reversed().map { $0.address.transportAddress })
    }

    @Test("a peer that numbers all its candidates alike does not hold up the one that works")
    func alike() {
        let pair = Pair(seed: 48)
        let listed = [address("10.0.1.1", 7000), address("10.0.1.2", 7000), Pair.viewerSocket].enumerated().map {
            Candidate(foundation: "1", priority: UInt32(100 - $0), address: .ip($1), type: .host)
        }
        pair.tell(pair.sharer, about: pair.viewer, listed)
        #expect(pair.world.run(until: .zero + .milliseconds(700)) { pair.sharer.agent.sendPair != nil })
    }
}
