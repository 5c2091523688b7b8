import Media
import TestSupport
import Testing
import Timebase

/// When a display shows the pictures of something that plays.
struct Showing {
    var rate: FrameRate
    /// Ticks a second.
    var display: Int64
    var phase = Duration.zero
    /// Each picture is noticed up to this much later.
    var jitter = Duration.zero

    func times(_ pictures: Range<Int64>, seed: UInt64) -> [Instant] {
        var random = SeededGenerator(seed: seed)
        return pictures.map { picture in
            let made = rate.time(ofFrame: picture) + phase
            let tick = FrameRate(display)
            var number = made.nanoseconds * display / 1_000_000_000
            if tick.time(ofFrame: number) < made { number += 1 }
            let late = jitter == .zero ? 0 : Int64.random(in: 0...jitter.nanoseconds, using: &random)
            return .zero + .seconds(1) + tick.time(ofFrame: number) + .nanoseconds(late)
        }
    }
}

@Suite("Cadence")
struct CadenceTests {
    static let rates = [
        FrameRate(24_000, per: 1001), FrameRate(24), FrameRate(25), FrameRate(30_000, per: 1001), FrameRate(30), FrameRate(50),
        FrameRate(60_000, per: 1001), FrameRate(60),
    ]

    @Test(
        "what plays is known by its tenth picture, and not taken for anything else",
        arguments: [30, 60, 75, 120, 144] as [Int64])
    func classification(display: Int64) {
        for rate in Self.rates where rate.framesPerSecond <= Double(display) {
            for eighth in 0..<8 {
                for jitter in [0, 1, 2] {
                    let showing = Showing(
                        rate: rate, display: display, phase: .microseconds(eighth * 4567), jitter: .milliseconds(jitter))
                    var detector = CadenceDetector()
                    for time in showing.times(0..<10, seed: UInt64(eighth + 1)) { detector.sawPicture(at: time) }
                    let found = detector.cadence?.rate.frameRate.framesPerSecond ?? 0
                    #expect(
                        abs(found / rate.framesPerSecond - 1) < 0.0011,
                        "\(rate.framesPerSecond) on \(display) Hz, \(jitter) ms, phase \(eighth): \(found)")
                }
            }
        }
    }

    @Test(
        "a rate and the one a thousandth slower are told from each other within a minute",
        arguments: [(24, 60), (24, 75), (24, 120), (24, 144), (30, 60), (30, 75), (30, 144), (60, 120), (60, 144)] as [(Int64, Int64)])
    func fractional(nominal: Int64, display: Int64) {
        for rate in [FrameRate(nominal), FrameRate(nominal * 1000, per: 1001)] {
            let showing = Showing(rate: rate, display: display, phase: .milliseconds(3), jitter: .milliseconds(1))
            var detector = CadenceDetector()
            for time in showing.times(0..<nominal * 60, seed: 7) { detector.sawPicture(at: time) }
            #expect(detector.cadence?.rate.frameRate == rate, "\(rate.framesPerSecond) on \(display) Hz")
        }
    }

    @Test("behind a still moment a film has the fraction that it had, and loses it where it has it no more")
    func still() {
        let film = FrameRate(24_000, per: 1001)
        for next in [film, .fps24] {
            let before = Showing(rate: film, display: 60, phase: .milliseconds(3), jitter: .milliseconds(1))
            let behind = Showing(rate: next, display: 60, phase: .seconds(70), jitter: .milliseconds(1))
            var detector = CadenceDetector()
            for time in before.times(0..<24 * 60, seed: 7) { detector.sawPicture(at: time) }
            detector.rest()
            #expect(detector.cadence == nil)
            for time in behind.times(0..<10, seed: 8) { detector.sawPicture(at: time) }
            #expect(detector.cadence?.rate.frameRate == film)
            for time in behind.times(10..<24 * 60, seed: 8) { detector.sawPicture(at: time) }
            #expect(detector.cadence?.rate.frameRate == next)
        }
    }

    @Test("behind a still moment 59.94 on 60 Hz is what it was, and 60 is told within 20 s where that plays")
    func stillOfBeat() {
        let film = FrameRate(60_000, per: 1001)
        for next in [film, FrameRate(60)] {
            let before = Showing(rate: film, display: 60, phase: .milliseconds(3), jitter: .milliseconds(1))
            let behind = Showing(rate: next, display: 60, phase: .milliseconds(90_003), jitter: .milliseconds(1))
            var detector = CadenceDetector()
            for time in before.times(0..<60 * 80, seed: 7) { detector.sawPicture(at: time) }
            detector.rest()
            for time in behind.times(0..<10, seed: 8) { detector.sawPicture(at: time) }
            #expect(detector.cadence?.rate.frameRate == film)
            for time in behind.times(10..<60 * 20, seed: 8) { detector.sawPicture(at: time) }
            #expect(detector.cadence?.rate.frameRate == next)
            for time in behind.times(60 * 20..<60 * 40, seed: 9) { detector.sawPicture(at: time) }
            #expect(detector.cadence?.rate.frameRate == next)
        }
    }

    @Test(
        "a slower rate that follows without a gap is known within two and a half seconds, though its pictures are among those of before",
        arguments: [(30, 25, 60), (30, 25, 120), (30, 24, 60), (60, 50, 60), (60, 50, 75), (60, 50, 120)] as [(Int64, Int64, Int64)])
    func slowsDown(before: Int64, then: Int64, display: Int64) {
        for seed in 1...8 as ClosedRange<UInt64> {
            let end = Duration.seconds(10) + .microseconds(Int64(seed) * 3210)
            let first = Showing(rate: FrameRate(before), display: display, jitter: .milliseconds(1))
            let second = Showing(rate: FrameRate(then), display: display, phase: end, jitter: .milliseconds(1))
            var detector = CadenceDetector()
            for time in first.times(0..<before * 10, seed: seed) { detector.sawPicture(at: time) }
            #expect(detector.cadence?.rate.nominal == before)
            for time in second.times(0..<then * 5 / 2, seed: seed) { detector.sawPicture(at: time) }
            #expect(detector.cadence?.rate.nominal == then, "\(before) to \(then) on \(display) Hz, seed \(seed)")
        }
    }

    @Test(
        "a tenth of the pictures not captured makes another rate of no more than a hundredth",
        arguments: [24, 25, 30, 50, 60] as [Int64], 1...4 as ClosedRange<UInt64>)
    func manyDroppedCaptures(rate: Int64, seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var detector = CadenceDetector()
        let showing = Showing(rate: FrameRate(rate), display: 60, jitter: .milliseconds(1))
        var (known, wrong) = (0, 0)
        for time in showing.times(0..<rate * 60, seed: seed) where Double.random(in: 0..<1, using: &random) > 0.1 {
            detector.sawPicture(at: time)
            guard let found = detector.cadence?.rate.nominal else { continue }
            known += 1
            wrong += found == rate ? 0 : 1
        }
        #expect(known > 0 && wrong * 100 <= known, "\(wrong) of \(known)")
    }

    @Test("pictures that were not captured leave the rate as it is", arguments: 1...8 as ClosedRange<UInt64>)
    func droppedCaptures(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let showing = Showing(rate: .fps24, display: 60, jitter: .milliseconds(2))
        var detector = CadenceDetector()
        var (locked, seen) = (0, 0)
        for time in showing.times(0..<24 * 120, seed: seed) where Double.random(in: 0..<1, using: &random) > 0.05 {
            detector.sawPicture(at: time)
            seen += 1
            if let cadence = detector.cadence {
                locked += 1
                #expect(cadence.rate.nominal == 24)
            }
        }
        #expect(Double(locked) > 0.98 * Double(seen))
        #expect(detector.cadence.map { (0.8...0.99).contains($0.confidence) } == true)
    }

    @Test("behind each edit the film is known again within ten pictures", arguments: [FrameRate(24), FrameRate(25)])
    func edits(rate: FrameRate) {
        var random = SeededGenerator(seed: 3)
        var detector = CadenceDetector()
        var start = Duration.zero
        for edit in 0..<20 {
            let pictures = Int64.random(in: 120...500, using: &random)
            let showing = Showing(rate: rate, display: 60, phase: start, jitter: .milliseconds(1))
            for (number, time) in showing.times(0..<pictures, seed: UInt64(edit)).enumerated() {
                detector.sawPicture(at: time)
                if number >= 9 { #expect(detector.cadence?.rate.nominal == rate.numerator, "edit \(edit), picture \(number)") }
            }
            // The next scene begins anywhere in the pattern.
            start += rate.time(ofFrame: pictures - 1) + .nanoseconds(Int64.random(in: 16_700_000...60_000_000, using: &random))
        }
    }

    @Test("a picture out of the pattern ends the lock at once")
    func unlocking() {
        var detector = CadenceDetector()
        let times = Showing(rate: .fps24, display: 60).times(0..<50, seed: 1)
        for time in times { detector.sawPicture(at: time) }
        #expect(detector.cadence != nil)
        // Half a period behind the last one.
        detector.sawPicture(at: (times.last ?? .zero) + .milliseconds(17))
        detector.sawPicture(at: (times.last ?? .zero) + .milliseconds(25))
        #expect(detector.cadence == nil)
    }

    @Test("a picture that a busy player shows late is forgiven, a second one behind it is not", arguments: [24, 25] as [Int64])
    func stumble(rate: Int64) {
        var detector = CadenceDetector()
        let times = Showing(rate: FrameRate(rate), display: 60).times(0..<200, seed: 1)
        let late = FrameRate(rate).period * 4 / 5
        for (number, time) in times.enumerated() {
            let isLate = number > 60 && number % 40 == 0
            let before = detector.cadence?.rate.nominal
            detector.sawPicture(at: isLate ? max(time, .zero + .seconds(1) + FrameRate(rate).time(ofFrame: Int64(number)) + late) : time)
            #expect(number < 60 || detector.cadence?.rate.nominal == before)
        }
        let next = Instant.zero + .seconds(1) + FrameRate(rate).time(ofFrame: 200) + late
        detector.sawPicture(at: next)
        #expect(detector.cadence?.rate.nominal == rate)
        detector.sawPicture(at: next + FrameRate(rate).period)
        #expect(detector.cadence == nil)
    }

    @Test("the newest picture's time is the film's own, not the display's")
    func dueTimes() throws {
        var detector = CadenceDetector()
        var due: [Instant] = []
        for time in Showing(rate: .fps24, display: 60, jitter: .milliseconds(1)).times(0..<480, seed: 4) {
            detector.sawPicture(at: time)
            if let cadence = detector.cadence { due.append(cadence.due) }
        }
        let steps = zip(due, due.dropFirst()).map { ($1 - $0).inMilliseconds }
        #expect(steps.allSatisfy { abs($0 - 1000 / 24.0) < 1.1 }, "steps of \(steps.min() ?? 0) to \(steps.max() ?? 0) ms")
    }

    @Test("half an hour of desktop is never taken for a film for long", arguments: 1...4 as ClosedRange<UInt64>)
    func desktop(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var detector = CadenceDetector()
        var now = Instant.zero + .seconds(1)
        var (run, longest) = (0, 0)
        while now < .zero + .seconds(1800) {
            // Typing, a wheel, a dragged window, a build log: events of people and programs.
            let (count, distance): (Int, ClosedRange<Int64>) =
                switch Int.random(in: 0..<4, using: &random) {
                case 0: (Int.random(in: 5...60, using: &random), 60...400)
                case 1: (Int.random(in: 3...25, using: &random), 12...70)
                case 2: (Int.random(in: 20...120, using: &random), 7...35)
                default: (Int.random(in: 10...200, using: &random), 1...150)
                }
            for _ in 0..<count {
                now += .nanoseconds(Int64.random(in: distance.lowerBound * 1_000_000...distance.upperBound * 1_000_000, using: &random))
                detector.sawPicture(at: now)
                run = detector.cadence == nil ? 0 : run + 1
                longest = max(longest, run)
            }
            now += .milliseconds(Int64.random(in: 300...4000, using: &random))
            detector.restart()
            run = 0
        }
        #expect(longest < 24, "\(longest) pictures in a row: less than a second")
    }
}
