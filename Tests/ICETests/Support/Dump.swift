import Timebase
@testable import ICE
extension Peer {
    func dump() {
        print("==", name, agent.role, agent.state)
        for e in events { print("  ", (e.at - .zero).inMilliseconds, "\(e.event)".prefix(20)) }
        for s in sent { let m = try? STUNMessage(s.packet.bytes); print("   >", (s.at - .zero).inMilliseconds, m.map { "\($0.messageClass) \($0.usesCandidate ? "USE" : "") \($0.transactionID.low)" } ?? "") }
    }
}
