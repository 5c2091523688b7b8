import Testing
import Timebase

@testable import ScreenShare

@Suite("The clock of what an embedder pushes")
struct EmbedderClockTests {
    @Test("pictures that take long to draw are of the moment of the sound with their timestamps")
    func slowPictures() {
        let clock = EmbedderClock()
        let (pictures, sound) = (clock.input(), clock.input())
        for step in 1...50 {
            let (time, heard) = (Duration.milliseconds(40 * step), Instant.zero + .seconds(9) + .milliseconds(40 * step))
            let seen = pictures.instant(of: time, arrivedAt: heard + .milliseconds(30))
            #expect(sound.instant(of: time, arrivedAt: heard) == heard)
            #expect(step == 1 || abs((seen - heard).inMilliseconds) < 0.1)
        }
    }

    @Test("sounds with timestamps of their own go by when they come")
    func otherClock() {
        let clock = EmbedderClock()
        let (pictures, sound) = (clock.input(), clock.input())
        let now = Instant.zero + .seconds(9)
        _ = sound.instant(of: .seconds(5), arrivedAt: now)
        #expect(pictures.instant(of: .zero, arrivedAt: now) == now)
    }

    @Test("what is pushed no more dates nothing")
    func gone() {
        let clock = EmbedderClock()
        let pictures = clock.input()
        var sound: EmbedderClock.Input? = clock.input()
        let now = Instant.zero + .seconds(9)
        _ = sound?.instant(of: .zero, arrivedAt: now - .milliseconds(100))
        #expect(pictures.instant(of: .zero, arrivedAt: now) == now - .milliseconds(100))
        sound = nil
        #expect(pictures.instant(of: .zero, arrivedAt: now) == now)
    }
}
