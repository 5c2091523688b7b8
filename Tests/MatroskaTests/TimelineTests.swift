import Matroska
import Testing

@Suite("Clocks of a Matroska file")
struct TimelineTests {
    private let pictures: [Footage.Picture]
    private let packets: [[UInt8]]

    init() throws {
        pictures = try Footage.pictures(count: 40)
        packets = try Footage.sound(count: 80)
    }

    /// Pictures each 40 ms and sound each 20 ms, by clocks of their own in milliseconds.
    private func run(
        _ recording: inout Recording, _ range: Range<Int>, video: Int64? = nil, sound: Int64? = nil
    ) throws {
        for index in range {
            let elapsed = Int64(index - range.lowerBound) * 20
            let picture = pictures[index / 2 % pictures.count]
            if index.isMultiple(of: 2), let video { try recording.show(picture, (video + elapsed) * 90) }
            if let sound { try recording.hear(packets[index % packets.count], (sound + elapsed) * 48) }
        }
    }

    @Test("sound from before the first picture is left out")
    func early() throws {
        var recording = try Recording(pictures[0])
        try run(&recording, 0..<40, video: 0, sound: -300)
        try recording.finish()
        #expect(try recording.soundTimes() == (0..<25).map { $0 * 20 })
        #expect(try recording.videoTimes() == (0..<20).map { $0 * 40 })
    }

    @Test("sound that begins much later stands at its time")
    func late() throws {
        var recording = try Recording(pictures[0])
        try run(&recording, 0..<2, video: 0)
        try run(&recording, 2..<4, video: 30_000)
        try run(&recording, 4..<8, video: 30_040, sound: 29_900)
        try recording.finish()
        #expect(try recording.soundTimes() == [29_900, 29_920, 29_940, 29_960])
    }

    @Test("pictures at one time, or a little before the last, come a millisecond apart")
    func standing() throws {
        var recording = try Recording(pictures[0])
        for (index, ticks) in [0, 3000, 3000, 3000, 2000, 9000].enumerated() {
            try recording.show(pictures[index], Int64(ticks))
        }
        try recording.finish()
        #expect(try recording.videoTimes() == [0, 33, 34, 35, 36, 100])
        let complaints = try recording.complaints()
        #expect(complaints == "")
    }

    @Test("tracks that are handed over far apart, as behind a reader that rested, keep their times")
    func apart() throws {
        var recording = try Recording(pictures[0])
        try run(&recording, 0..<2, video: 0, sound: 0)
        try run(&recording, 2..<20, video: 10_000, sound: 52_000)
        try recording.finish()
        #expect(try recording.videoTimes() == [0] + (0..<9).map { 10_000 + $0 * 40 })
        // Between them stands what fills the gap.
        let sound = try recording.soundTimes()
        #expect(sound.prefix(2) == [0, 20] && sound.suffix(18) == (0..<18).map { 52_000 + $0 * 20 })
        #expect(zip(sound, sound.dropFirst()).allSatisfy { $1 - $0 == 20 })
    }

    @Test("sound that the file has already is left out")
    func repeated() throws {
        var recording = try Recording(pictures[0])
        try recording.show(pictures[0], 0)
        for (index, ticks) in [0, 960, 0, 960, 1000, 1920, 2860].enumerated() {
            try recording.hear(packets[index], Int64(ticks))
        }
        try recording.finish()
        #expect(try recording.soundTimes() == [0, 20, 40, 60])
    }

    @Test("both clocks jump back: the file goes on, picture and sound in step", arguments: [true, false])
    func restart(videoFirst: Bool) throws {
        var recording = try Recording(pictures[0])
        try run(&recording, 0..<40, video: 5000, sound: 5000)
        if videoFirst { try recording.show(pictures[20], 0) } else { try recording.hear(packets[40], 0) }
        try run(&recording, 42..<60, video: 40, sound: 20)
        try recording.finish()
        let (video, sound) = (try recording.videoTimes(), try recording.soundTimes())
        let start = try #require(videoFirst ? video[20] : sound[40])
        #expect(5760...5800 ~= start)
        #expect(video.suffix(9) == (0..<9).map { start + 40 + $0 * 40 })
        #expect(sound.suffix(18) == (0..<18).map { start + 20 + $0 * 20 })
        let complaints = try recording.complaints()
        #expect(complaints == "")
    }

    @Test("a clock that jumps alone goes on at the file's end, the other undisturbed")
    func loneJump() throws {
        var recording = try Recording(pictures[0])
        try run(&recording, 0..<40, video: 0, sound: 0)
        try run(&recording, 40..<60, video: 900_000_000, sound: 800)
        try recording.finish()
        #expect(try recording.soundTimes() == (0..<60).map { $0 * 20 })
        #expect(try recording.videoTimes() == (0..<30).map { $0 * 40 })
    }

    @Test("sound whose clock stood still, and is set right a while later, stays beside the pictures", arguments: [3000, 60_000])
    func standingClock(stood: Int64) throws {
        var recording = try Recording(pictures[0])
        try run(&recording, 0..<40, video: 0, sound: 0)
        try run(&recording, 40..<140, video: 800, sound: 800 - stood)
        try run(&recording, 140..<160, video: 2800, sound: 2800)
        try recording.finish()
        #expect(try recording.soundTimes() == (0..<160).map { $0 * 20 })
        #expect(try recording.videoTimes() == (0..<80).map { $0 * 40 })
    }

    @Test("sound that was placed too late, and is set right a while later, is beside the pictures again", arguments: [700, 3000])
    func setBack(by: Int64) throws {
        var recording = try Recording(pictures[0])
        try run(&recording, 0..<40, video: 0, sound: 0)
        try run(&recording, 40..<60, video: 800, sound: 800 + by)
        recording.writer.setSoundBack()
        try run(&recording, 60..<260, video: 1200, sound: 1200)
        try recording.finish()
        #expect(try recording.soundTimes() == (0..<260).map { $0 * 20 })
        #expect(try recording.videoTimes() == (0..<130).map { $0 * 40 })
    }

    @Test("what is missing where its clock is set right is filled")
    func missingBesideRight() throws {
        var recording = try Recording(pictures[0])
        try run(&recording, 0..<40, video: 0, sound: 0)
        try run(&recording, 40..<80, video: 800, sound: -2200)
        try run(&recording, 80..<100, video: 2000, sound: 2000)
        try recording.finish()
        #expect(try recording.soundTimes() == (0..<120).map { $0 * 20 })
    }

    @Test("a stream whose clock is far ahead begins at the file's zero, its sound in step")
    func ahead() throws {
        var recording = try Recording(pictures[0])
        try run(&recording, 0..<40, video: 9_000_000, sound: 8_999_900)
        try recording.finish()
        #expect(try recording.videoTimes() == (0..<20).map { $0 * 40 })
        #expect(try recording.soundTimes() == (0..<35).map { $0 * 20 })
    }

    @Test("a stream whose clock is far below zero begins at the file's zero, its sound in step")
    func negative() throws {
        var recording = try Recording(pictures[0])
        try run(&recording, 0..<40, video: -70_000, sound: -70_040)
        try recording.finish()
        #expect(try recording.videoTimes() == (0..<20).map { $0 * 40 })
        #expect(try recording.soundTimes() == (0..<38).map { $0 * 20 })
    }

    @Test("times at the ends of the clock's range are no trap, and what comes next is in the file")
    func extremes() throws {
        let extremes: [Int64] = [.max, .min, 0, .max, .max, .min, .min, -1, 1, .max / 2, .min / 2]
        var recording = try Recording(pictures[0])
        for (index, ticks) in extremes.enumerated() {
            try recording.show(pictures[index], ticks)
            try recording.hear(packets[index], ticks)
            try recording.hear(packets[index + 20], extremes[extremes.count - 1 - index])
        }
        try run(&recording, 40..<60, video: 7_000_000, sound: 7_000_000)
        try recording.finish()
        let video = try recording.videoTimes()
        #expect(video.count == extremes.count + 10 && zip(video, video.dropFirst()).allSatisfy { $0 < $1 })
        #expect(video.suffix(10).enumerated().allSatisfy { $1 == video[extremes.count] + $0 * 40 })
        let sound = try recording.soundTimes()
        #expect(sound.count >= 20 && zip(sound, sound.dropFirst()).allSatisfy { $0 < $1 })
    }
}
