import Testing

@testable import Media

@Suite("How loud a source is")
struct FaderTests {
    @Test("A gain that was moved while the source gave nothing is there when it comes")
    func missing() {
        var fader = Fader()
        fader.gain = Gain(decibels: -20)
        let nothing = fader.faded(nil, frames: 960)
        #expect(nothing.allSatisfy { $0 == 0 })
        let sound = fader.faded([Float](repeating: 1, count: 1920), frames: 960)
        #expect(sound.allSatisfy { abs($0 - 0.1) < 1e-5 })
    }

    @Test("One that is moved while it plays moves over 15 ms")
    func playing() {
        var fader = Fader()
        fader.gain = Gain(decibels: -20)
        let sound = fader.faded([Float](repeating: 1, count: 1920), frames: 960)
        #expect(sound[0] > 0.99 && sound[720] < 0.9 && sound[720] > 0.2 && abs(sound[1919] - 0.1) < 1e-5)
    }
}
