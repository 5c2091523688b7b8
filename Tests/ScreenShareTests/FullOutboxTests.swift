import PeerCore
import Testing

@testable import ScreenShare

@Suite("A pipeline whose pictures are not taken", .timeLimit(.minutes(1)))
struct FullOutboxTests {
    @Test("while as many wait as may none is encoded, and then the newest is")
    func newest() async {
        let pipeline = ScriptedPipeline(isSampled: true, lanes: [.standard], mode: .detail)
        #expect(await pipeline.wait { !$0.units.isEmpty })
        await pipeline.fillOutbox(true)
        #expect(await pipeline.countAll())
        let before = pipeline.now
        let asks = pipeline.asksOfOutbox
        pipeline.show { $0.grey = 60 }
        // A change that is due asks each half period; one that had not to wait would be gone.
        #expect(await pipeline.wait { _ in pipeline.asksOfOutbox > asks + 10 })
        #expect(pipeline.now.units.count == before.units.count)
        pipeline.show { $0.grey = 180 }
        await pipeline.fillOutbox(false)
        #expect(await pipeline.wait { $0.lumas.count > before.lumas.count })
        #expect(await pipeline.countAll())
        let after = pipeline.now.lumas[before.lumas.count...]
        #expect(!after.isEmpty && after.allSatisfy { $0 > 150 }, "\(after)")
        pipeline.stop()
    }
}
