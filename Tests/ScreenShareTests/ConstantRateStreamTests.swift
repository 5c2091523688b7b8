import Logging
import Media
import RTP
import SystemClock
import Testing
import Timebase
import VideoCodec

@testable import PeerCore
@testable import ScreenShare

/// How long a recording without a container plays.
@Suite("A recording of constant rate")
struct ConstantRateStreamTests {
    /// A keyframe and pictures behind it.
    private static func units(_ count: Int, timing: VideoTiming? = nil) throws -> [AccessUnit] {
        let size = PixelSize(width: 64, height: 48)
        let encoder = try X264Encoder(X264Configuration(size: size, frameRate: .fps30, maximumBitsPerSecond: 1_000_000))
        let picture = I420Picture(size: size)
        return try (0..<count).map { index in
            picture.withPlanes { luma, _, _ in
                for y in 0..<48 { for x in 0..<64 { luma[y * picture.lumaStride + x] = UInt8((x * y + index * 40) % 200 + 20) } }
            }
            let unit = try #require(
                try encoder.encode(
                    picture, damage: PixelRect(size), mediaTime: MediaTime(ticks: Int64(index) * 3000), capturedAt: .zero,
                    target: SendTarget(bitsPerSecond: 1_000_000, frameRate: .fps30, needsKeyframe: index == 0)))
            var made = AccessUnit(bytes: [], nalUnits: [], timestamp: 0, isKeyframe: unit.isKeyframe, isComplete: true)
            for range in unit.nalUnits {
                var nalUnit = Array(unit.bytes[range])
                if let timing, NALUnitType(header: nalUnit[0]) == .sequenceParameterSet {
                    nalUnit = try SequenceParameterSet.settingTiming(timing, in: nalUnit)
                }
                made.nalUnits.append(made.bytes.count..<made.bytes.count + nalUnit.count)
                made.bytes += nalUnit
            }
            return made
        }
    }

    private static func seconds(_ ticks: Int64) -> Duration { .seconds(Double(ticks) / 90_000) }

    private static func append(_ unit: AccessUnit, ticks: Int64, to stream: inout ConstantRateStream) -> Int {
        let piece = stream.append(
            unit, mediaTime: MediaTime(ticks: ticks), receivedAt: .zero + seconds(max(0, ticks)))
        return piece.pictures + piece.repeated
    }

    @Test("Time without pictures is filled, so that ten seconds play for ten")
    func still() throws {
        let units = try Self.units(2)
        var stream = ConstantRateStream()
        let first = Self.append(units[0], ticks: 0, to: &stream)
        #expect(first == 1)
        let second = Self.append(units[1], ticks: 90_000 * 10, to: &stream)
        #expect(second == 300)
        let end = stream.finish(at: .zero + .seconds(20))
        #expect(end.repeated == 299)
    }

    @Test("Of a unit that holds more pictures than are wanted, the first are taken, each of them whole")
    func prefix() throws {
        let units = try Self.units(2)
        var stream = ConstantRateStream()
        _ = Self.append(units[0], ticks: 0, to: &stream)
        let piece = stream.append(units[1], mediaTime: MediaTime(ticks: 18_000), receivedAt: .zero + Self.seconds(18_000))
        let whole = VideoUnit(
            annexB: piece.bytes, timestamp: 18_000, isKeyframe: false, pictures: piece.pictures, repeated: piece.repeated,
            showAt: .now, repeatSize: piece.repeatSize)
        #expect(whole.pictures == 1 && whole.repeated == 5)
        for count in 1...5 {
            let first = whole.prefix(count)
            #expect(first.pictures == 0 && first.repeated == count)
            let pictures = AnnexB.split(first.annexB).filter { NALUnitType(header: first.annexB[$0.lowerBound]).isPicture }
            #expect(pictures.count == count)
            #expect(whole.annexB.starts(with: first.annexB + [0, 0, 0, 1]))
        }
        for count in [6, 7] { #expect(whole.prefix(count).annexB == whole.annexB) }
    }

    /// What a viewer hands over of keyframes that come in these slots, where it reads some units before the last of them.
    private static func units(ofKeyframesIn slots: [Int], readBeforeLast: Int = 0) async throws -> [VideoUnit] {
        var configuration = ViewConfiguration(endpoint: "http://127.0.0.1:9/whep")
        configuration.constantFrameRate = true
        let life = ViewLife(configuration: configuration, logger: Logger(label: "test"))
        let keyframe = try #require(try units(1).first)
        // Later than the end, which would be filled up to otherwise.
        let begin = SystemClock.now() + .seconds(60)
        var (iterator, read) = (life.units.makeAsyncIterator(), [VideoUnit]())
        for (index, slot) in slots.enumerated() {
            if index == slots.count - 1 {
                for _ in 0..<readBeforeLast { if let unit = await iterator.next() { read.append(unit) } }
            }
            let ticks = Int64(slot) * 3000
            await life.take(
                ReceivedUnit(accessUnit: keyframe, mediaTime: MediaTime(ticks: ticks), receivedAt: begin + seconds(ticks)))
        }
        await life.stop()
        while let unit = await iterator.next() { read.append(unit) }
        return read
    }

    @Test("A keyframe behind a gap begins with its parameter sets: what fills the gap is a unit by itself")
    func parted() async throws {
        let units = try await Self.units(ofKeyframesIn: [0, 21, 22])
        try #require(units.map(\.isKeyframe) == [true, false, true, true])
        #expect(units.map(\.pictures) == [1, 0, 1, 1])
        #expect(units.map(\.repeated) == [0, 20, 0, 0])
        #expect(units.map(\.timestamp) == [0, 3000, 63_000, 66_000])
        #expect(units[2].showAt - units[1].showAt == MediaTime(ticks: 60_000).elapsed)
        for unit in units where unit.isKeyframe { #expect(unit.annexB.starts(with: [0, 0, 0, 1, 0x67])) }
        let pictures = AnnexB.split(units[1].annexB).filter { NALUnitType(header: units[1].annexB[$0.lowerBound]).isPicture }
        #expect(pictures.count == 20)
    }

    @Test("It and what fills the gap are handed over together or not at all: a file's time is that of what gets into it")
    func partedWithoutRoom() async throws {
        // There is room for 240 units: for one more than these 239, not for two.
        let units = try await Self.units(ofKeyframesIn: [Int](0...238) + [300, 310], readBeforeLast: 10)
        #expect(units.count == 241)
        #expect(units.map { $0.pictures + $0.repeated }.reduce(0, +) == 311)
        #expect(units.last?.isKeyframe == true && units.last?.timestamp == 930_000)
    }

    @Test("Pictures that come together, as a joiner's do, take their time all the same, and where the file is is known")
    func together() throws {
        var stream = ConstantRateStream()
        let positions = zip(try Self.units(5), [0, 1, 2, 3000, 6000] as [Int64]).map { unit, ticks in
            _ = Self.append(unit, ticks: ticks, to: &stream)
            return stream.position
        }
        #expect(positions == [0, 3000, 6000, 9000, 12_000])
    }

    @Test("What came together stays ahead when the screen rests: nothing of the sound has to be cut")
    func debt() throws {
        let units = try Self.units(2)
        var stream = ConstantRateStream()
        for index in 0..<40 { _ = Self.append(units[min(1, index)], ticks: Int64(index), to: &stream) }
        let ahead = stream.position
        #expect(ahead == 39 * 3000)
        for picture in 1...30 { _ = Self.append(units[1], ticks: 39 + Int64(picture) * 3000, to: &stream) }
        for second in 2...5 {
            _ = Self.append(units[1], ticks: 39 + Int64(second) * 90_000, to: &stream)
            let off = stream.position - Int64(second) * 90_000 - ahead
            #expect(abs(off) <= 4 * 3000, "\(off)")
        }
    }

    @Test("Without sound what came together is behind as soon as the screen rests: a player is not late for good")
    func noDebt() throws {
        let units = try Self.units(2)
        var stream = ConstantRateStream(longestStill: .seconds(2), staysAhead: false)
        for index in 0..<40 { _ = Self.append(units[min(1, index)], ticks: Int64(index), to: &stream) }
        #expect(stream.position == 39 * 3000)
        for second in 1...5 {
            _ = Self.append(units[1], ticks: 39 + Int64(second) * 90_000, to: &stream)
            let off = stream.position - Int64(second) * 90_000
            #expect(second == 1 || abs(off) <= 3000, "\(off)")
        }
    }

    @Test("A pause of three quarters of an hour is filled before the next picture, so that sound finds its place")
    func longerPause() throws {
        let units = try Self.units(2)
        var stream = ConstantRateStream()
        _ = Self.append(units[0], ticks: 0, to: &stream)
        _ = Self.append(units[1], ticks: 45 * 60 * 90_000, to: &stream)
        #expect(stream.position == 45 * 60 * 90_000)
    }

    @Test("A pause of fifteen minutes is filled as well: what sound is beside the pictures stays there")
    func longPause() throws {
        let units = try Self.units(3)
        let pause: Int64 = 15 * 60 * 90_000
        var stream = ConstantRateStream()
        var slots = Self.append(units[0], ticks: 0, to: &stream)
        slots += Self.append(units[1], ticks: pause, to: &stream)
        slots += Self.append(units[2], ticks: pause + 3000, to: &stream)
        #expect(slots == 15 * 60 * 30 + 2)
        let end = stream.finish(at: .zero + .seconds(31 * 60))
        #expect(end.repeated == 16 * 60 * 30 - 2)
    }

    @Test("Media time that has wrapped unseen goes on by the clock")
    func wrapped() throws {
        let units = try Self.units(3)
        var stream = ConstantRateStream()
        _ = Self.append(units[0], ticks: 1 << 31, to: &stream)
        let later = Instant.zero + Self.seconds(1 << 31) + .seconds(60)
        let piece = stream.append(units[1], mediaTime: MediaTime(ticks: 5000), receivedAt: later)
        #expect(piece.repeated == 60 * 30 - 1)
        let next = stream.append(units[2], mediaTime: MediaTime(ticks: 8000), receivedAt: later)
        #expect(next.repeated == 0)
    }

    @Test(
        "A rate that no file plays at is not believed, nor does it end the program",
        arguments: [
            VideoTiming(unitsInTick: 1, timeScale: .max, isFixedFrameRate: true),
            VideoTiming(unitsInTick: 1, timeScale: 180_000, isFixedFrameRate: false),
            VideoTiming(unitsInTick: .max, timeScale: 1, isFixedFrameRate: true),
            VideoTiming(unitsInTick: .max / 4, timeScale: .max, isFixedFrameRate: true),
        ])
    func absurd(timing: VideoTiming) throws {
        let units = try Self.units(3, timing: timing)
        var stream = ConstantRateStream()
        let first = Self.append(units[0], ticks: 0, to: &stream)
        #expect(first == 1)
        let second = Self.append(units[1], ticks: 90_000, to: &stream)
        #expect(second == 60)
        let third = Self.append(units[2], ticks: 0xFFFF_FFFE, to: &stream)
        #expect(third > 60)
    }

    @Test(
        "A stream that tells no rate, as browsers', plays as long as it took, with up to 60 pictures a second",
        arguments: [1500, 3000] as [Int64])
    func untold(step: Int64) throws {
        let units = try Self.units(2, timing: VideoTiming(unitsInTick: 1, timeScale: 180_000, isFixedFrameRate: false))
        var stream = ConstantRateStream()
        for index in 0..<90 { _ = Self.append(units[min(1, index)], ticks: Int64(index) * step, to: &stream) }
        #expect(stream.position == 89 * step)
    }

    @Test("For who shows it as it comes, a gap is filled for two seconds at most, and what follows goes on from there")
    func live() throws {
        let units = try Self.units(5)
        var stream = ConstantRateStream(longestStill: .seconds(2))
        let slots = zip(units, [0, 1, 61, 62, 92] as [Int64]).map { unit, second in
            Self.append(unit, ticks: second * 90_000, to: &stream)
        }
        #expect(slots == [1, 30, 61, 30, 61])
        stream.beginSegment()
        #expect(Self.append(units[0], ticks: 200 * 90_000, to: &stream) == 61)
        #expect(stream.finish(at: .zero + .seconds(300)).repeated == 60)
    }

    @Test("Media time that runs ahead of the clock step by step fills no disk with stills")
    func runsAhead() throws {
        let units = try Self.units(2)
        var stream = ConstantRateStream()
        var repeated = stream.append(units[0], mediaTime: MediaTime(ticks: 0), receivedAt: .zero).repeated
        for step in 1...300 as ClosedRange<Int64> {
            let at = Instant.zero + .milliseconds(step * 10)
            repeated += stream.append(units[1], mediaTime: MediaTime(ticks: step * 9 * 90_000), receivedAt: at).repeated
        }
        // Three seconds have passed: of ten more there may be stills.
        #expect(repeated <= 13 * 30)
    }

    @Test("Media time that leaps ahead of the clock, as where a publisher begins anew, adds no hours of stills")
    func leap() throws {
        let units = try Self.units(3)
        var stream = ConstantRateStream()
        _ = Self.append(units[0], ticks: 0, to: &stream)
        let leapt = stream.append(units[1], mediaTime: MediaTime(ticks: 1 << 30), receivedAt: .zero + .seconds(1))
        #expect(leapt.repeated == 29)
        let next = stream.append(
            units[2], mediaTime: MediaTime(ticks: (1 << 30) + 3000), receivedAt: .zero + .seconds(1.1))
        #expect(next.repeated == 0)
    }
}
