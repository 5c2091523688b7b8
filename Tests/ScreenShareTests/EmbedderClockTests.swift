import TestSupport
import Testing
import Timebase

@testable import ScreenShare

@Suite("What an embedder's pictures and sounds have in common")
struct EmbedderClockTests {
    private static let start = Instant.zero + .seconds(9)

    /// A picture that was pushed so long after its timestamp, and the sound half a second before or not at all.
    private static func age(drawing: Duration, soundAhead: Duration? = .zero, silence: Duration = .zero) -> Duration {
        let clock = EmbedderClock()
        let sound = clock.soundInput()
        let time = Duration.seconds(4)
        if let soundAhead { #expect(sound.instant(of: time + soundAhead, arrivedAt: start) == start) }
        let pushed = start + silence + drawing
        return pushed - clock.moment(of: time + silence, dated: pushed, at: pushed)
    }

    @Test("pictures that take long to draw show the moment of the sound with their timestamps")
    func slowPictures() {
        #expect(Self.age(drawing: .milliseconds(30)) == .milliseconds(30))
        #expect(Self.age(drawing: .milliseconds(99)) == .milliseconds(99))
    }

    @Test("sounds with timestamps of their own, later ones, and those of long ago go for nothing")
    func otherClock() {
        #expect(Self.age(drawing: .milliseconds(100)) == .zero)
        #expect(Self.age(drawing: .milliseconds(30), soundAhead: nil) == .zero)
        #expect(Self.age(drawing: .milliseconds(30), soundAhead: .seconds(5)) == .zero)
        #expect(Self.age(drawing: .milliseconds(30), soundAhead: .zero - .milliseconds(50)) == .zero)
        #expect(Self.age(drawing: .milliseconds(30), silence: .milliseconds(1900)) == .milliseconds(30))
        #expect(Self.age(drawing: .milliseconds(30), silence: .milliseconds(2100)) == .zero)
    }

    @Test("of two sounds the one that comes sooner counts, and one that nobody takes any more does not")
    func gone() {
        let clock = EmbedderClock()
        let system = clock.soundInput()
        var microphone: EmbedderClock.SoundInput? = clock.soundInput()
        let pushed = Self.start + .milliseconds(60)
        _ = system.instant(of: .zero, arrivedAt: Self.start + .milliseconds(40))
        _ = microphone?.instant(of: .zero, arrivedAt: Self.start)
        #expect(clock.moment(of: .zero, dated: pushed, at: pushed) == Self.start)
        microphone = nil
        #expect(clock.moment(of: .zero, dated: pushed, at: pushed) == Self.start + .milliseconds(40))
    }

    /// By how much a sound that is pushed so long after its timestamp is dated behind that; in milliseconds.
    private static func dated(_ sound: EmbedderClock.SoundInput, _ timestamp: Int, late: Int) -> Double {
        let moment = sound.instant(of: .milliseconds(timestamp), arrivedAt: start + .milliseconds(timestamp + late))
        return (moment - (start + .milliseconds(timestamp))).inMilliseconds
    }

    @Test("sounds with one timestamp are of one moment, however late each of them comes")
    func twoSounds() {
        let clock = EmbedderClock()
        let (system, microphone) = (clock.soundInput(), clock.soundInput())
        for time in stride(from: 0, to: 10_000, by: 20) {
            // In the order in which they come.
            if time >= 60 { #expect(Self.dated(system, time - 60, late: 60) == 5) }
            #expect(Self.dated(microphone, time, late: 5) == 5)
        }
        let pushed = Self.start + .milliseconds(10_030)
        #expect(clock.moment(of: .seconds(10), dated: pushed, at: pushed) == Self.start + .milliseconds(10_005))
    }

    @Test("sounds that come 100 ms apart have timestamps of their own, whichever comes sooner")
    func soundsApart() {
        let clock = EmbedderClock()
        let (system, microphone) = (clock.soundInput(), clock.soundInput())
        for time in stride(from: 0, to: 1000, by: 20) {
            #expect(Self.dated(microphone, time, late: 5) == 5)
            #expect(Self.dated(system, time, late: 105) == 105)
        }
        #expect(Self.dated(system, 1000, late: 104) == 5)
    }

    @Test("sounds of unlike timestamps stay apart, however long one of them is silent")
    func silentApart() {
        let clock = EmbedderClock()
        let (system, microphone) = (clock.soundInput(), clock.soundInput())
        #expect(Self.dated(microphone, 0, late: 5) == 5)
        for time in stride(from: 20, to: 60_000, by: 20) { #expect(Self.dated(system, time, late: 115) == 115) }
        // And a picture goes by the one that it belongs to.
        _ = Self.dated(microphone, 60_000, late: 5)
        #expect(Self.dated(system, 60_000, late: 115) == 115)
        let pushed = Self.start + .milliseconds(60_120)
        #expect(clock.moment(of: .seconds(60), dated: pushed, at: pushed) == Self.start + .milliseconds(60_115))
    }

    @Test("who comes about the longest lag behind another goes by it, and does not change its mind")
    func aboutApart() {
        let clock = EmbedderClock()
        let (system, microphone) = (clock.soundInput(), clock.soundInput())
        var random = SeededGenerator(seed: 5)
        var changes = 0
        var before: Double?
        for time in stride(from: 0, to: 60_000, by: 20) {
            _ = Self.dated(microphone, time, late: 5 + Int.random(in: 0...10, using: &random))
            let dated = Self.dated(system, time, late: 105 + Int.random(in: 0...10, using: &random))
            if let before, abs(dated - before) > 50 { changes += 1 }
            before = dated
        }
        #expect(changes <= 1)
    }

    @Test("a sound that comes sooner moves the other at once; where it comes no more, by a millisecond a second")
    func soonerForAWhile() {
        let clock = EmbedderClock()
        let system = clock.soundInput()
        var microphone: EmbedderClock.SoundInput? = clock.soundInput()
        #expect(Self.dated(system, 0, late: 60) == 60)
        if let microphone { #expect(Self.dated(microphone, 60, late: 5) == 5) }
        #expect(Self.dated(system, 20, late: 60) == 5)
        #expect(Self.dated(system, 2005, late: 60) == 5)
        #expect(abs(Self.dated(system, 12_005, late: 60) - 15) < 0.01)
        // And it speaks again.
        if let microphone { #expect(Self.dated(microphone, 12_100, late: 5) == 5) }
        #expect(Self.dated(system, 12_080, late: 60) == 5)
        microphone = nil
        #expect(Self.dated(system, 12_100, late: 60) == 60)
    }

    @Test("timestamps from any calendar are dated when they come, and the furthest harm nobody")
    func calendars() {
        let clock = EmbedderClock()
        let sound = clock.soundInput()
        // The year 1, and more than a Duration's half.
        for timestamp in [Duration.seconds(63_900_000_000), .seconds(Int64.max), .seconds(Int64.min), .seconds(4)] {
            #expect(sound.instant(of: timestamp, arrivedAt: Self.start) == Self.start)
            #expect(clock.moment(of: timestamp, dated: Self.start, at: Self.start) == Self.start)
        }
        var pictures = SourceClock()
        for step in 0..<3 {
            let now = Self.start + .milliseconds(40 * step)
            #expect(pictures.instant(of: .seconds(63_900_000_000) + .milliseconds(40 * step), arrivedAt: now) == now)
        }
    }
}
