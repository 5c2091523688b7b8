import RTP
import Testing
import Timebase

@testable import PeerCore
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

    @Test("What was measured in front of a silence alone is not settled on: what comes behind it is")
    func silenceAtFirst() {
        var offset = SteadyOffset()
        for packet in 0..<10 { offset.note(1000, at: Instant.zero + .milliseconds(packet * 20)) }
        offset.advance(to: Instant.zero + .milliseconds(540))
        #expect(offset.value == nil)
        offset.note(3000, at: Instant.zero + .milliseconds(600))
        #expect(offset.value == 3000)
        var silent = SteadyOffset()
        for packet in 0..<10 { silent.note(1000, at: Instant.zero + .milliseconds(packet * 20)) }
        silent.advance(to: Instant.zero + .seconds(1))
        #expect(silent.value == 1000, "nothing comes any more")
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

    /// A second each: a packet every 20 ms, and then a picture.
    private static func seconds(_ count: Int, of offset: inout SteadyOffset, measuring measured: (Int) -> Int64) -> [Int64] {
        var shifts: [Int64] = []
        for second in 0..<count {
            for packet in 0..<50 {
                let at = Instant.zero + .seconds(second) + .milliseconds(packet * 20)
                offset.note(measured(second) - shifts.reduce(0, +), at: at)
            }
            if let shift = offset.takeShift() { shifts.append(shift) }
        }
        return shifts
    }

    @Test("On a still screen the sound waits for the next picture, and neither moves again", arguments: [-3200, -1600, 1600])
    func stillScreen(off: Int64) {
        var offset = SteadyOffset()
        let shifts = Self.seconds(9, of: &offset) { $0 < 2 ? 1000 : 1000 + off }
        #expect(shifts == [off])
        #expect(offset.value == 1000)
        var passing = SteadyOffset()
        #expect(Self.seconds(9, of: &passing) { $0 == 2 ? 1000 + off : 1000 } == [off, -off])
        #expect(passing.value == 1000)
    }

    @Test("What moves in a silence moves no picture as well, and what a picture has moved by no silence")
    func silenceOrPicture() {
        for pictureComesFirst in [false, true] {
            var offset = SteadyOffset()
            for packet in 0...100 {
                offset.note(packet < 60 ? 1000 : 2920, at: Instant.zero + .milliseconds(packet * 20))
            }
            if pictureComesFirst { #expect(offset.takeShift() == 1920) }
            offset.rest()
            #expect(offset.value == (pictureComesFirst ? 1000 : 2920))
            #expect(offset.takeShift() == nil)
        }
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

    @Test("Pictures that follow each other as closely as a file has them are not to be earlier: the sound is later at once")
    func constantRate() {
        var offset = SteadyOffset(picturesMoveBack: false)
        #expect(Self.seconds(4, of: &offset) { $0 < 2 ? 5000 : 3400 } == [])
        #expect(offset.value == 3400)
        #expect(Self.seconds(4, of: &offset) { $0 < 2 ? 3400 : 5000 }.first == 1600)
    }

    private static func packet(_ index: Int, of sound: inout ViewAudio, isTold: Bool = true) {
        let now = Instant.zero + .milliseconds(index * 20)
        sound.receive(
            ReceivedAudio(
                bytes: [0xFC, 0xFF, 0xFE], copies: [], sequenceNumber: Int64(index), timestamp: Int64(index) * 960,
                capturedAt: isTold ? captured(now) : nil, receivedAt: now))
    }

    private static func captured(_ at: Instant) -> NTPTimestamp { NTPTimestamp(bits: 1 << 60).advanced(by: at - .zero) }

    /// Each shows what was captured so long before its media time says.
    private static func picture(at now: Instant, early: Duration, in sound: inout ViewAudio) -> Int64 {
        let media = MediaTime(elapsed: now - .zero)
        let placed = sound.inStep(media)
        sound.see(captured: captured(now - early), timestamp: placed.ticks, shownAt: now)
        return placed.ticks - media.ticks
    }

    @Test("Pictures that come to show 40 ms less old things than their times say move by that in a file, and the sound stays")
    func moved() {
        var sound = ViewAudio(decoder: nil)
        var shifts: [Int64] = []
        var places: Set<Int64> = []
        for index in 0..<200 {
            Self.packet(index, of: &sound)
            let now = Instant.zero + .milliseconds(index * 20)
            while let next = sound.next(at: now) {
                if let timestamp = next.piece.timestamp { places.insert(timestamp - next.piece.position) }
            }
            shifts.append(Self.picture(at: now, early: .milliseconds(index < 100 ? 40 : 0), in: &sound))
        }
        #expect(Set(shifts) == [0, 3600])
        #expect(places.count == 1)
        sound.restart()
        #expect(sound.inStep(MediaTime(ticks: 5)) == MediaTime(ticks: 5))
    }

    @Test(
        "Where the clocks are not told for five seconds, sound has its place beside the pictures shown while it is heard",
        arguments: [(false, false), (true, false), (false, true)])
    func untold(tellsSound: Bool, tellsPictures: Bool) throws {
        var sound = ViewAudio(decoder: nil)
        let pictureDelay = Duration.milliseconds(40)
        var knownAt: Int?
        var places: [Int64] = []
        var worst: Int64 = 0
        for index in 0..<400 {
            Self.packet(index, of: &sound, isTold: tellsSound)
            let now = Instant.zero + .milliseconds(index * 20)
            while let due = sound.nextLook(after: now), let next = sound.next(at: now) {
                guard let timestamp = next.piece.timestamp else { continue }
                knownAt = knownAt ?? index
                places.append(timestamp - next.piece.position)
                let heard: Duration = due - Instant.zero + AudioTime(ticks: Int64(AudioPiece.decoderDelay)).elapsed
                worst = max(worst, abs(timestamp - AudioTime(elapsed: heard - pictureDelay).ticks))
            }
            sound.see(
                captured: tellsPictures ? Self.captured(now) : nil, timestamp: MediaTime(elapsed: now - .zero).ticks,
                shownAt: now + pictureDelay)
        }
        let index = try #require(knownAt)
        #expect((270...310).contains(index))
        // A recording's sound and pictures may be 20 ms apart.
        #expect(worst <= 960)
        #expect(Set(places).count == 1)
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
