import PeerCore
import Testing

@testable import ScreenShare

@Suite("A line whose pictures are not taken", .timeLimit(.minutes(1)))
struct FullOutboxTests {
    @Test("while as many wait as may none is encoded, and then the newest is")
    func newest() async {
        let line = ScriptedLine(isSampled: true, lanes: [.standard], mode: .detail)
        #expect(await line.wait { !$0.units.isEmpty })
        await line.fillOutbox(true)
        #expect(await line.countAll())
        let before = line.now
        let asks = line.asksOfOutbox
        line.show { $0.grey = 60 }
        // A change that is due asks each half period; one that had not to wait would be gone.
        #expect(await line.wait { _ in line.asksOfOutbox > asks + 10 })
        #expect(line.now.units.count == before.units.count)
        line.show { $0.grey = 180 }
        await line.fillOutbox(false)
        #expect(await line.wait { $0.lumas.count > before.lumas.count })
        #expect(await line.countAll())
        let after = line.now.lumas[before.lumas.count...]
        #expect(!after.isEmpty && after.allSatisfy { $0 > 150 }, "\(after)")
        line.stop()
    }
}
