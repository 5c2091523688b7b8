import Datagrams
import TestSupport
import Testing
import Timebase

@testable import ICE

@Suite("ICE restarts")
struct RestartTests {
    private func connected(seed: UInt64) -> Pair {
        let pair = Pair(seed: seed)
        pair.join()
        pair.world.run(for: .seconds(10))
        return pair
    }

    /// The viewer restarts; the sharer follows after `answerDelay`, as by a PATCH and its answer.
    private func restart(_ pair: Pair, delay: Duration) {
        let credentials = pair.world.with(pair.viewer) { agent, now in agent.restart(at: now) }
        pair.world.run(for: delay)
        let answer = pair.world.with(pair.sharer) { agent, now in
            defer { agent.addRemoteCandidate(.host(Pair.viewerSocket), at: now) }
            return agent.restart(remote: credentials, at: now)
        }
        pair.world.run(for: delay)
        pair.world.with(pair.viewer) { agent, now in
            agent.setRemote(answer, at: now)
            agent.addRemoteCandidate(.host(Pair.sharerSocket), at: now)
        }
    }

    @Test("the old pair stays in use until the new one is selected, and never is there none")
    func overlap() {
        let pair = connected(seed: 51)
        let before = (pair.viewer.agent.localCredentials, pair.sharer.agent.localCredentials)
        var isAlwaysUsable = true
        pair.world.tap = { packet in
            isAlwaysUsable = isAlwaysUsable && pair.viewer.agent.sendPair != nil && pair.sharer.agent.sendPair != nil
            return packet
        }
        restart(pair, delay: .seconds(8))
        #expect(pair.viewer.agent.localUfrags.count == 2)
        pair.world.run(for: .milliseconds(60))
        #expect(isAlwaysUsable)
        #expect(pair.viewer.events.count { if case .selectedPair = $0.event { true } else { false } } == 2)
        #expect(pair.sharer.events.count { if case .selectedPair = $0.event { true } else { false } } == 2)
        #expect(pair.viewer.agent.localCredentials != before.0)
        #expect(pair.sharer.agent.localCredentials != before.1)
        #expect(pair.viewer.agent.localUfrags == [pair.viewer.agent.localCredentials.ufrag])
        #expect(pair.viewer.agent.role == .controlling)
    }

    @Test("consent of the old pair is kept up during a long restart (RFC 7675 § 5.1)")
    func consent() {
        let pair = connected(seed: 52)
        pair.world.with(pair.viewer) { agent, now in _ = agent.restart(at: now) }
        pair.world.run(for: .seconds(100))
        #expect(pair.viewer.agent.sendPair != nil)
        #expect(pair.sharer.agent.sendPair != nil)
        #expect(pair.viewer.events.count == 2)
    }

    @Test("the new pair has the new credentials: the old password opens nothing any more")
    func oldPassword() {
        let pair = connected(seed: 53)
        let (viewer, sharer) = (pair.viewer.agent.localCredentials, pair.sharer.agent.localCredentials)
        restart(pair, delay: .milliseconds(20))
        pair.world.run(for: .seconds(1))
        let request = STUNMessage(
            .request, TransactionID(high: 1, low: 1),
            [.username("\(sharer.ufrag):\(viewer.ufrag)"), .priority(1), .iceControlling(1)])
        let bytes = request.encoded(key: sharer.key, with: TestAuthenticator())
        let isTaken = pair.world.with(pair.sharer) { agent, now in
            agent.receive(bytes, local: Pair.sharerSocket, from: Pair.viewerSocket, at: now)
        }
        #expect(!isTaken)
    }

    @Test("a restart that finds nothing leaves the old pair, and says so")
    func failed() {
        let pair = connected(seed: 54)
        let nowhere = Candidate.host(address("10.0.9.9", 9999))
        let viewer = pair.world.with(pair.viewer) { agent, now in agent.restart(at: now) }
        let sharer = pair.world.with(pair.sharer) { agent, now in agent.restart(remote: viewer, at: now) }
        // The sharer's checks are lost, and the viewer is told an address where nobody is.
        pair.world.tap = { packet in
            ICEAgent.localUfrag(of: packet.bytes) == viewer.ufrag ? nil : packet
        }
        pair.world.with(pair.viewer) { agent, now in
            agent.setRemote(sharer, at: now)
            agent.addRemoteCandidate(nowhere, at: now)
        }
        pair.world.run(for: .seconds(60))
        #expect(pair.viewer.count(.failed) == 1)
        #expect(pair.viewer.agent.sendPair?.remote == Pair.sharerSocket)
        #expect(pair.viewer.agent.state == .running)
    }

    @Test("a session that works only after it was given up has every other pair tried once its own falls silent")
    func lateAnswer() throws {
        let sockets = (1...2).map { Candidate.host(address("10.0.0.\($0)", 5001), localPreference: UInt16(400 - $0)) }
        let pair = Pair(seed: 58, viewer: sockets)
        pair.join()
        pair.world.run(for: .seconds(10))
        let viewer = pair.world.with(pair.viewer) { agent, now in agent.restart(at: now) }
        // Until the viewer hears of the sharer's answer nothing of the new session passes.
        pair.world.tap = { ICEAgent.localUfrag(of: $0.bytes) == viewer.ufrag ? nil : $0 }
        let sharer = pair.world.with(pair.sharer) { agent, now in
            defer { for socket in sockets { agent.addRemoteCandidate(socket, at: now) } }
            return agent.restart(remote: viewer, at: now)
        }
        pair.world.run(for: .seconds(45))
        #expect(pair.sharer.count(.failed) == 1)
        pair.world.tap = { $0 }
        pair.world.with(pair.viewer) { agent, now in
            agent.setRemote(sharer, at: now)
            agent.addRemoteCandidate(.host(Pair.sharerSocket), at: now)
        }
        pair.world.run(for: .seconds(10))
        #expect(pair.sharer.agent.localUfrags == [sharer.ufrag])
        let remote = try #require(pair.sharer.agent.selectedPair?.remote)
        let begin = pair.world.now
        pair.world.loss = 1
        pair.world.run(for: .seconds(14))
        let others = pair.sharer.sent.filter { $0.at > begin && $0.packet.destination != remote }
        #expect(others.contains { STUNFacts($0.packet.bytes)?.isRequest == true })
    }

    @Test("a peer that restarts, answers one check, and is never heard again fails")
    func answeredOnce() {
        let pair = connected(seed: 57)
        let viewer = pair.world.with(pair.viewer) { agent, now in agent.restart(at: now) }
        let sharer = pair.world.with(pair.sharer) { agent, now in
            defer { agent.addRemoteCandidate(.host(Pair.viewerSocket), at: now) }
            return agent.restart(remote: viewer, at: now)
        }
        // The viewer answers, and checks and nominates nothing.
        pair.world.tap = { packet in packet.source == Pair.viewerSocket && packet.bytes[0] == 0 ? nil : packet }
        pair.world.with(pair.viewer) { agent, now in agent.setRemote(sharer, at: now) }
        pair.world.run(for: .seconds(1))
        #expect(pair.sharer.agent.session.checklist.hasValidPair)
        pair.world.loss = 1
        pair.world.run(for: .seconds(70))
        #expect(pair.sharer.agent.sendPair == nil)
        #expect(pair.sharer.count(.failed) == 1)
    }

    @Test("credentials change by a restart only")
    func fixed() {
        let pair = connected(seed: 55)
        var random = SeededGenerator(seed: 55)
        let others = ICECredentials.random(using: &random)
        #expect(pair.world.with(pair.viewer) { agent, now in agent.setRemote(others, at: now) } == false)
        let same = pair.sharer.agent.localCredentials
        #expect(pair.world.with(pair.viewer) { agent, now in agent.setRemote(same, at: now) } == true)
    }

    @Test("after consent was lost a restart connects again")
    func revived() {
        let pair = connected(seed: 56)
        pair.world.loss = 1
        pair.world.run(for: .seconds(40))
        pair.world.loss = 0
        restart(pair, delay: .milliseconds(20))
        pair.world.run(for: .milliseconds(60))
        #expect(pair.isSelected)
    }
}
