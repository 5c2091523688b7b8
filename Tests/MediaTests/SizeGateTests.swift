import Media
import Testing
import Timebase

@Suite("Size gate")
struct SizeGateTests {
    private func at(_ milliseconds: Int) -> Instant { .zero + .milliseconds(milliseconds) }
    private func wide(_ width: Int) -> PixelSize { PixelSize(width: width, height: 100) }

    @Test("a single new size is taken at once, and so is the first of all")
    func single() {
        var gate = SizeGate()
        let answers = [
            gate.takes(wide(300), after: nil, at: at(0)), gate.takes(wide(400), after: wide(300), at: at(5)),
            gate.takes(wide(300), after: wide(400), at: at(1005)),
        ]
        #expect(answers == [true, true, true])
    }

    @Test("of a drag of two seconds one size a second is taken, and the last as soon as it stands")
    func drag() {
        var gate = SizeGate()
        var present = wide(200)
        var taken: [Int] = []
        for time in stride(from: 0, to: 3000, by: 10) {
            let size = wide(210 + min(time, 2000))
            if size != present, gate.takes(size, after: present, at: at(time)) {
                present = size
                taken.append(time)
            }
        }
        #expect(taken == [0, 1000, 2000])
        #expect(present == wide(2210))
    }

    @Test("a size that is left again before it was taken is not remembered")
    func back() {
        var gate = SizeGate()
        let answers = [
            gate.takes(wide(400), after: wide(300), at: at(0)), gate.takes(wide(500), after: wide(400), at: at(100)),
            gate.takes(wide(400), after: wide(400), at: at(200)), gate.takes(wide(500), after: wide(400), at: at(400)),
            gate.takes(wide(500), after: wide(400), at: at(650)),
        ]
        #expect(answers == [true, false, true, false, true])
    }
}
