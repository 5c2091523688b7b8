import Testing
import Timebase

@testable import ScreenShare

/// Where recorded sound stands beside the pictures.
@Suite("The place of recorded sound")
struct SteadyOffsetTests {
    /// What `measure` says, fifty times a second for two seconds.
    private static func value(after first: Int64, measuring measured: Int64, for seconds: Double = 2) -> Int64? {
        var offset = SteadyOffset()
        for packet in 0...50 { offset.note(first, at: Instant.zero + .milliseconds(packet * 20)) }
        for packet in 1...Int(seconds * 50) {
            offset.note(measured, at: Instant.zero + .milliseconds(1000 + packet * 20))
        }
        return offset.value
    }

    @Test("Pictures that take on a film's own clock, up to half a picture away, cut no sound")
    func phase() {
        let halfAPicture = Int64(48_000 / 24 / 2)
        #expect(Self.value(after: 1000, measuring: 1000 + halfAPicture) == 1000)
        #expect(Self.value(after: 1000, measuring: 1000 - halfAPicture) == 1000)
    }

    @Test("What is off by more, for longer than a moment, moves the sound")
    func lasting() {
        let moved = Int64(1000 + 48_000 / 20)
        #expect(Self.value(after: 1000, measuring: moved) == moved)
        #expect(Self.value(after: 1000, measuring: moved, for: 0.2) == 1000)
    }

    @Test(
        "Pictures that find another place beside the sound move themselves, once; a tone is left whole",
        arguments: [-1600, 1600])
    func pictures(off: Int64) {
        var offset = SteadyOffset()
        var shifts: [Int64] = []
        for packet in 0...200 {
            let measured = packet < 100 ? 1000 : 1000 + off - shifts.reduce(0, +)
            offset.note(measured, at: Instant.zero + .milliseconds(packet * 20))
            if let shift = offset.takeShift() { shifts.append(shift) }
        }
        #expect(shifts == [off])
        #expect(offset.value == 1000)
    }

    @Test("Where a file's pictures cannot move, the sound does in the end")
    func stuckPictures() {
        var offset = SteadyOffset()
        var shifts = 0
        for packet in 0...200 {
            offset.note(packet < 100 ? 1000 : 2600, at: Instant.zero + .milliseconds(packet * 20))
            if offset.takeShift() != nil { shifts += 1 }
            #expect(offset.value != 2600 || shifts == 1)
        }
        #expect(shifts == 1)
        #expect(offset.value == 2600)
    }

    @Test("Moved pictures stay in their order, and those that begin anew begin there")
    func order() {
        var sound = ViewAudio(decoder: nil)
        #expect(sound.inStep(MediaTime(ticks: 9000)) == MediaTime(ticks: 9000))
        #expect(sound.inStep(MediaTime(ticks: 8000)) == MediaTime(ticks: 9001))
        #expect(sound.inStep(MediaTime(ticks: -900_000)) == MediaTime(ticks: -900_000))
        #expect(sound.inStep(MediaTime(ticks: .min)) == MediaTime(ticks: .min))
        #expect(sound.inStep(MediaTime(ticks: .max)) == MediaTime(ticks: .max))
        #expect(sound.inStep(MediaTime(ticks: .max)).ticks > 0)
    }

    @Test("The first pictures' times, until the sharer knows a film's clock, leave no trace in a recording")
    func firstPictures() {
        var offset = SteadyOffset()
        var knownAt: Int?
        for packet in 0..<50 where knownAt == nil {
            // A joiner's two pictures of before, then 20 ms ahead of their time, then on it.
            let measured: Int64 = packet < 2 ? 4000 : packet < 17 ? 960 : 10
            offset.note(measured, at: Instant.zero + .milliseconds(packet * 20))
            if offset.value != nil { knownAt = packet }
        }
        #expect(offset.value == 10)
        #expect((25...45).contains(knownAt ?? 0))
    }

    @Test("What never agrees is told by its middle, after a second")
    func jitter() {
        var offset = SteadyOffset()
        for packet in 0...50 {
            offset.note(Int64(packet % 3 - 1) * 700, at: Instant.zero + .milliseconds(packet * 20))
            #expect((offset.value == nil) == (packet < 50))
        }
        #expect(offset.value == 0)
    }

    @Test("What came to need less time just before a silence is placed by that")
    func clickBeforeSilence() {
        var offset = SteadyOffset()
        for packet in 0..<10 { offset.note(2100, at: Instant.zero + .milliseconds(packet * 20)) }
        for packet in 10..<18 { offset.note(50, at: Instant.zero + .milliseconds(packet * 20)) }
        offset.rest()
        offset.advance(to: .zero + .milliseconds(900))
        #expect(offset.value == nil)
        offset.advance(to: .zero + .seconds(1))
        #expect(offset.value == 50)
    }

    @Test("One packet before a long silence gets its place a second later")
    func silence() {
        var offset = SteadyOffset()
        offset.note(77, at: .zero)
        offset.advance(to: .zero + .milliseconds(400))
        #expect(offset.value == nil)
        offset.advance(to: .zero + .seconds(1))
        #expect(offset.value == 77)
    }

    @Test("In a silence it moves by little too, in pieces that can be left out of a file")
    func talk() {
        var offset = SteadyOffset()
        for packet in 0...50 { offset.note(1000, at: Instant.zero + .milliseconds(packet * 20)) }
        for packet in 51...100 { offset.note(1490, at: Instant.zero + .milliseconds(packet * 20)) }
        #expect(offset.value == 1000)
        offset.rest()
        #expect(offset.value == 1480)
        for packet in 101...200 { offset.note(1300, at: Instant.zero + .milliseconds(packet * 20)) }
        offset.rest()
        #expect(offset.value == 1480)
    }

    @Test("A recording that ends before takes what is known")
    func shortRecording() {
        var offset = SteadyOffset()
        offset.settle()
        #expect(offset.value == nil)
        for packet in 0..<5 { offset.note(30, at: Instant.zero + .milliseconds(packet * 20)) }
        offset.settle()
        #expect(offset.value == 30)
    }
}
