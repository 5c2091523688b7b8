import Datagrams
import TestSupport
import Testing
import Timebase

@testable import ICE

@Suite("The checklist")
struct ChecklistTests {
    private let local = Candidate.host(address("10.0.0.1", 5001))

    /// A remote candidate with a priority and, on request, a foundation shared with others.
    private func remote(_ last: Int, priority: UInt32, foundation: String? = nil) -> Candidate {
        Candidate(
            foundation: foundation ?? "f\(last)", priority: priority, address: .ip(address("10.0.1.\(last)", 7000)),
            type: .host)
    }

    private func pair(_ last: Int, priority: UInt32, foundation: String? = nil) throws -> CandidatePair {
        try #require(CandidatePair(local, remote(last, priority: priority, foundation: foundation)))
    }

    /// Pairs of one foundation, the first of the highest priority.
    private func alike(_ count: Int) throws -> Checklist {
        var checklist = Checklist()
        for last in 1...count {
            checklist.add(try pair(last, priority: UInt32(100 - last), foundation: "same"), .controlling)
        }
        return checklist
    }

    private func states(_ checklist: Checklist) -> [CheckedPair.State] { checklist.pairs.map(\.state) }

    @Test("pairs stand in order of priority, redundant ones once (RFC 8445 §§ 6.1.2.3, 6.1.2.4)")
    func order() throws {
        var checklist = Checklist()
        for (last, priority) in [(1, 20), (2, 30), (3, 10), (2, 99)] as [(Int, UInt32)] {
            checklist.add(try pair(last, priority: priority), .controlling)
        }
        #expect(checklist.pairs.map(\.pair.remote) == [2, 1, 3].map { address("10.0.1.\($0)", 7000) })
    }

    @Test("of one foundation one pair waits, the others are frozen until it is answered (RFC 8445 § 6.1.2.6)")
    func frozen() throws {
        var checklist = try alike(3)
        checklist.add(try pair(4, priority: 1), .controlling)
        #expect(states(checklist) == [.waiting, .frozen, .frozen, .waiting])
        let first = try #require(checklist.nextOrdinary { _ in true })
        checklist.update(first.addresses) { $0.state = .inProgress(TransactionID(high: 1, low: 1)) }
        let second = try #require(checklist.nextOrdinary { _ in true })
        #expect(second.pair.remote == address("10.0.1.4", 7000))
        checklist.update(second.addresses) { $0.state = .failed }
        #expect(checklist.nextOrdinary { _ in true } == nil)
        #expect(!checklist.hasOrdinary { _ in true })
        checklist.unfreeze(first.foundation)
        #expect(states(checklist).dropFirst() == [.waiting, .waiting, .failed])
    }

    @Test("a frozen pair whose foundation nobody tries any more is free (RFC 8445 § 6.1.4.2)")
    func freed() throws {
        var checklist = try alike(2)
        let first = try #require(checklist.nextOrdinary { _ in true })
        checklist.update(first.addresses) { $0.state = .failed }
        #expect(checklist.nextOrdinary { _ in true }?.pair.remote == address("10.0.1.2", 7000))
    }

    @Test("above the limit the lowest priority goes; an observed pair always finds room, a valid one always stays")
    func limit() throws {
        var checklist = Checklist()
        for last in 1...Limits.pairs { checklist.add(try pair(last, priority: UInt32(1000 + last)), .controlling) }
        checklist.add(try pair(200, priority: 5), .controlling)
        #expect(checklist.pairs.count == Limits.pairs)
        #expect(checklist.pairs.last?.pair.remote == address("10.0.1.1", 7000))
        checklist.add(try pair(201, priority: 5000), .controlling)
        #expect(checklist.pairs.first?.pair.remote == address("10.0.1.201", 7000))
        #expect(checklist.pairs.last?.pair.remote == address("10.0.1.2", 7000))
        checklist.update(AddressPair(local: address("10.0.0.1", 5001), remote: address("10.0.1.2", 7000))) {
            $0.state = .succeeded
        }
        checklist.addObserved(try pair(202, priority: 1), .controlling)
        #expect(checklist.pairs.count == Limits.pairs)
        #expect(checklist.pairs.suffix(2).map(\.pair.remote) == [2, 202].map { address("10.0.1.\($0)", 7000) })
    }

    @Test("however many addresses both sides have, relays keep some places: they are what works at last")
    func relays() throws {
        var checklist = Checklist()
        var relay = local
        relay.type = .relayed
        let relayed = { (last: Int) in try #require(CandidatePair(relay, try self.pair(last, priority: 1).remoteCandidate)) }
        checklist.add(try relayed(201), .controlling)
        for last in 1...Limits.pairs { checklist.add(try pair(last, priority: UInt32(1000 + last)), .controlling) }
        #expect(checklist.pairs.count == Limits.pairs)
        for last in 202...230 { checklist.add(try relayed(last), .controlling) }
        #expect(checklist.pairs.count == Limits.pairs)
        let kept = checklist.pairs.filter(\.pair.isRelayed)
        #expect(kept.count == Limits.relayedPairs, "\(kept.count)")
        #expect(kept.first?.pair.remote == address("10.0.1.201", 7000))
    }

    @Test("triggered checks come first in, first out, each pair once")
    func triggered() throws {
        var checklist = Checklist()
        let pairs = try (1...3).map { try pair($0, priority: UInt32(100 + $0)) }
        for pair in pairs { checklist.add(pair, .controlled) }
        for index in [0, 2, 0, 1, 2] { checklist.trigger(pairs[index].addresses) }
        checklist.trigger(AddressPair(local: address("10.0.0.1", 5001), remote: address("10.9.9.9", 1)))
        let order = (0..<4).map { _ in checklist.nextTriggered()?.addresses }
        #expect(order == [pairs[0].addresses, pairs[2].addresses, pairs[1].addresses, nil])
    }

    @Test("once a pair is selected, of triggered checks those stay that the peer nominated (RFC 8445 § 8.1.2)")
    func selected() throws {
        var checklist = Checklist()
        let pairs = try (1...3).map { try pair($0, priority: UInt32(100 + $0)) }
        for pair in pairs { checklist.add(pair, .controlled) }
        for pair in pairs { checklist.trigger(pair.addresses) }
        checklist.update(pairs[1].addresses) { $0.isNominated = true }
        checklist.dropTriggered()
        let order = (0..<2).map { _ in checklist.nextTriggered()?.addresses }
        #expect(order == [pairs[1].addresses, nil])
    }

    @Test("an observed candidate finds room among too many, and none that is in use makes it")
    func observedCandidate() {
        var candidates = RemoteCandidates()
        for last in 1...Limits.remoteCandidates {
            let outcome = candidates.add(remote(last, priority: 100))
            #expect(outcome == .accepted)
        }
        let used = remote(Limits.remoteCandidates, priority: 100)
        let observed = remote(200, priority: 100)
        candidates.addObserved(observed) { $0 == used }
        #expect(candidates.all.count == Limits.remoteCandidates)
        #expect(candidates.all.suffix(2) == [used, observed])
        candidates.addObserved(remote(201, priority: 100)) { _ in true }
        #expect(candidates.all.last == observed, "where all are in use there is none")
    }

    @Test("of early checks on one pair a nomination stays, whatever came behind it")
    func earlyNomination() {
        var random: any RandomNumberGenerator & Sendable = SeededGenerator(seed: 7)
        var session = ICESession(local: .random(using: &random))
        let addresses = AddressPair(local: address("10.0.0.1", 5001), remote: address("10.0.1.1", 7000))
        for nominates in [false, true, false, false] {
            session.remember(IncomingCheck(addresses: addresses, sender: "peer", priority: 1, usesCandidate: nominates))
        }
        #expect(session.earlyChecks.map(\.usesCandidate) == [true, false])
    }

    @Test("a change of role changes the order (RFC 8445 § 7.2.5.1)")
    func roles() throws {
        var checklist = Checklist()
        // The same two priorities, once ours the larger and once theirs: only the last bit differs.
        var (low, high) = (local, local)
        (low.priority, high.priority) = (100, 200)
        high.base = address("10.0.0.2", 5001)
        let ours = try #require(CandidatePair(high, remote(1, priority: 100)))
        let theirs = try #require(CandidatePair(low, remote(2, priority: 200)))
        checklist.add(ours, .controlling)
        checklist.add(theirs, .controlling)
        #expect(checklist.pairs.map(\.pair) == [ours, theirs])
        checklist.prioritise(.controlled)
        #expect(checklist.pairs.map(\.pair) == [theirs, ours])
    }
}
