import Testing
import Timebase

@testable import ICE

@Suite("Role conflicts")
struct RoleConflictTests {
    struct Case: Sendable {
        let role: ICERole
        let first: UInt64
        let second: UInt64
    }

    private static let cases: [Case] = [ICERole.controlling, .controlled].flatMap { role in
        [(1, 2), (2, 1), (.max, 0), (7, 7)].map { Case(role: role, first: $0.0, second: $0.1) }
    }

    @Test("two agents of one role end in two, and connect", arguments: cases)
    func conflict(_ conflict: Case) {
        let pair = Pair(
            seed: 21, roles: (conflict.role, conflict.role), tieBreakers: (conflict.first, conflict.second))
        pair.join(answerDelay: .milliseconds(1))
        #expect(pair.world.run(until: .zero + .milliseconds(300)) { pair.isSelected })
        #expect(pair.viewer.agent.role == pair.sharer.agent.role.opposite)
        #expect(pair.pairsMatch)
    }

    @Test("the larger tiebreaker controls (RFC 8445 § 7.3.1.1)")
    func larger() {
        for role in [ICERole.controlling, .controlled] {
            let pair = Pair(seed: 22, roles: (role, role), tieBreakers: (5, 9))
            pair.join()
            pair.world.run(for: .milliseconds(300))
            #expect(pair.sharer.agent.role == .controlling)
        }
    }

    @Test("whoever gives way to a 487 changes its tiebreaker (RFC 8445 § 7.2.5.1)")
    func changed() {
        let pair = Pair(seed: 23, roles: (.controlling, .controlling), tieBreakers: (5, 9))
        // Only the viewer checks, so it learns of the conflict by 487.
        pair.tell(pair.viewer, about: pair.sharer)
        pair.world.run(for: .milliseconds(20))
        #expect(pair.viewer.agent.role == .controlled)
        #expect(pair.viewer.agent.tieBreaker != 5)
        #expect(pair.sharer.agent.tieBreaker == 9)
    }

    @Test("a role conflict with 20 % loss is settled too (seeds 1 to 20)", arguments: 1...20)
    func lossy(seed: Int) {
        let pair = Pair(seed: UInt64(seed), roles: (.controlled, .controlled))
        pair.world.loss = 0.2
        pair.join(answerDelay: .milliseconds(30))
        #expect(pair.world.run(until: .zero + .seconds(10)) { pair.isSelected })
        #expect(pair.viewer.agent.role == pair.sharer.agent.role.opposite)
    }
}
