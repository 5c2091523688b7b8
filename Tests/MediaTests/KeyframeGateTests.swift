import Media
import Testing
import Timebase

@Suite("Keyframe gate")
struct KeyframeGateTests {
    private func at(_ milliseconds: Int) -> Instant { .zero + .milliseconds(milliseconds) }

    @Test("twenty viewers who join within a second cost two keyframes at most")
    func twentyJoins() {
        var gate = KeyframeGate()
        var made: [Int] = []
        for millisecond in 10_000..<12_500 {
            if millisecond < 11_000, millisecond % 50 == 0 { gate.request() }
            if gate.isDue(at: at(millisecond)) {
                made.append(millisecond)
                gate.keyframeMade(at: at(millisecond))
            }
        }
        #expect(made == [10_000, 11_000])
    }

    @Test("the first request after a quiet second is served at once")
    func quiet() {
        var gate = KeyframeGate()
        gate.keyframeMade(at: at(0))
        #expect(!gate.isDue(at: at(5000)))
        gate.request()
        #expect(gate.isDue(at: at(1000)))
        #expect(gate.dueAt == at(1000))
    }

    @Test("a keyframe that nobody asked for restarts the second and serves those who wait")
    func forced() {
        var gate = KeyframeGate()
        gate.keyframeMade(at: at(0))
        gate.request()
        #expect(!gate.isDue(at: at(999)))
        gate.keyframeMade(at: at(500))
        #expect(!gate.isDue(at: at(1400)))
        #expect(gate.dueAt == nil)
        gate.request()
        #expect(gate.dueAt == at(1500))
    }

    @Test("a request from before a keyframe was handed over is served by that one, however late it comes")
    func late() {
        var gate = KeyframeGate()
        gate.request()
        gate.keyframeMade(at: at(0))
        gate.handedOver(at: at(15))
        gate.request(asked: at(14))
        #expect(gate.dueAt == nil)
        gate.request(asked: at(16))
        #expect(gate.dueAt == at(1000))
    }

    @Test("large keyframes come seldom enough to take a fifth of the bits, and no joiner waits longer than four seconds")
    func share() {
        var gate = KeyframeGate()
        gate.keyframeMade(bytes: 50_000, of: 1_000_000, at: at(0))
        gate.request()
        #expect(gate.dueAt == at(2000))
        gate.keyframeMade(bytes: 50_000, of: 4_000_000, at: at(2000))
        gate.request()
        #expect(gate.dueAt == at(3000))
        gate.keyframeMade(bytes: 1_000_000, of: 100_000, at: at(3000))
        gate.request()
        #expect(gate.dueAt == at(7000))
    }

    @Test("without a request nothing is due")
    func nothing() {
        #expect(KeyframeGate().dueAt == nil)
        #expect(!KeyframeGate().isDue(at: .distantFuture))
    }

    @Test("one that nobody needs any more is not made, but for an encoder's first")
    func withdrawn() {
        var gate = KeyframeGate()
        gate.request()
        gate.withdraw()
        #expect(gate.isDue(at: at(0)), "nothing can be shown without it")
        gate.keyframeMade(at: at(0))
        gate.request()
        gate.withdraw()
        #expect(gate.dueAt == nil)
        gate.request()
        #expect(gate.dueAt == at(1000))
    }
}
