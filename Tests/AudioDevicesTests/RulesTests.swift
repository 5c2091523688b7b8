import CPulse
import Media
import Testing
import Timebase

@testable import AudioDevices

@Suite("Rules of sound devices, without a device")
struct RulesTests {
    // MARK: Timestamps

    @Test("A device's jitter of a period comes out as less than 2 ms")
    func jitter() {
        var smoother = TimestampSmoother()
        var generator = SeededJitter()
        var last: Instant?
        for step in 0..<1000 {
            let truth = Instant(nanoseconds: Int64(step) * 10_000_000)
            let stamp = smoother.stamp(truth + generator.next(), duration: .milliseconds(10))
            guard step > 100 else { continue }
            #expect(abs((stamp - truth).inMilliseconds) < 2)
            if let last { #expect(abs((stamp - last).inMilliseconds - 10) < 0.5) }
            last = stamp
        }
    }

    @Test("a block that was read late by less than a piece says nothing against what was foretold")
    func readLate() {
        var smoother = TimestampSmoother()
        let (block, piece) = (Duration.milliseconds(20), Duration.milliseconds(5))
        var heard = Instant(nanoseconds: 1_000_000_000)
        _ = smoother.stamp(heard, duration: block, lateness: piece)
        for step in 0..<500 as Range<Int64> {
            heard += block
            let stamp = smoother.stamp(heard + .microseconds(step * 37 % 5000), duration: block, lateness: piece)
            #expect(stamp == heard)
        }
        // What comes too early, or later than that, is followed as ever.
        for _ in 0..<200 {
            heard += block
            _ = smoother.stamp(heard - .milliseconds(2), duration: block, lateness: piece)
        }
        heard += block
        let early = smoother.stamp(heard - .milliseconds(2), duration: block, lateness: piece)
        #expect(abs((heard - early).inMilliseconds - 2) < 0.1)
    }

    @Test("A device's clock that is off by 500 ppm is followed, half a millisecond behind")
    func drift() {
        var smoother = TimestampSmoother()
        var stamp = Instant.zero
        for step in 0..<100_000 {
            stamp = smoother.stamp(Instant(nanoseconds: Int64(step) * 10_005_000), duration: .milliseconds(10))
        }
        #expect(abs((stamp - Instant(nanoseconds: 99_999 * 10_005_000)).inMilliseconds) < 0.6)
    }

    @Test("Lost sound moves the timestamps at once after an interruption, and soon without one")
    func gap() {
        var smoother = TimestampSmoother()
        func stamp(_ milliseconds: Int64) -> Int64 {
            smoother.stamp(Instant(nanoseconds: milliseconds * 1_000_000), duration: .milliseconds(10)).nanoseconds
                / 1_000_000
        }
        #expect([0, 10, 20].map(stamp) == [0, 10, 20])
        smoother.interrupt()
        #expect(stamp(500) == 500)
        let stamps = (0..<12).map { stamp(1000 + 10 * $0) }
        #expect(stamps == [510, 520, 530, 540, 550, 560, 570, 580, 590, 1090, 1100, 1110])
    }

    @Test("One statement that is far off changes nothing")
    func stray() {
        var smoother = TimestampSmoother()
        let stamps = [0, 10, 220, 30, 40].map {
            smoother.stamp(Instant(nanoseconds: $0 * 1_000_000), duration: .milliseconds(10)).nanoseconds / 1_000_000
        }
        #expect(stamps == [0, 10, 20, 30, 40])
    }

    @Test("A device that takes back what it said, block by block, is believed once it settles: one step, not many")
    func settling() {
        var smoother = TimestampSmoother()
        var steps = 0
        var last: Instant?
        for block in 0..<300 {
            // A second of stating 2 s of delay, then less and less of it with each block, then the truth.
            let wrong = Duration.milliseconds(max(0, 2000 - 10 * max(0, block - 100)))
            let truth = Instant(nanoseconds: Int64(block) * 10_000_000)
            let stamp = smoother.stamp(truth - wrong, duration: .milliseconds(10))
            if let last, abs((stamp - last).inMilliseconds - 10) > 3 { steps += 1 }
            last = stamp
        }
        #expect(steps == 0)
        for block in 300..<400 {
            let truth = Instant(nanoseconds: Int64(block) * 10_000_000)
            let stamp = smoother.stamp(truth, duration: .milliseconds(10))
            if let last, abs((stamp - last).inMilliseconds - 10) > 3 { steps += 1 }
            last = stamp
        }
        #expect(steps == 1)
        #expect(last == Instant(nanoseconds: 3_990_000_000))
    }

    // MARK: Pace

    @Test("A clocked device is never held back: neither by its drift, nor after its reader was held up")
    func clocked() {
        var pace = Pace()
        var now = Instant.zero
        // A day at +500 ppm, in steps of a second.
        for _ in 0..<86_400 {
            now += .seconds(1)
            #expect(pace.allowance(at: now) >= .microseconds(1_000_500))
            pace.spend(.microseconds(1_000_500))
        }
        now += .seconds(11)
        #expect(pace.allowance(at: now) >= .seconds(11))
    }

    @Test("A device without a clock gets no more than the time that went by")
    func unclocked() {
        var pace = Pace()
        var total = Duration.zero
        for step in 0...1000 {
            let piece = pace.allowance(at: Instant(nanoseconds: Int64(step) * 10_000_000))
            pace.spend(piece)
            total += piece
        }
        #expect(abs(total.inSeconds - 13) < 0.05)
    }

    // MARK: Names

    @Test("Ids stand for the default, for a source of the server or for a PCM")
    func addresses() {
        #expect(DeviceAddress("default") == .defaultMicrophone)
        #expect(DeviceAddress("pulse:@DEFAULT_MONITOR@") == .pulse(.defaultMonitor))
        #expect(DeviceAddress("pulse:a.b.monitor") == .pulse(.named("a.b.monitor")))
        #expect(DeviceAddress("hw:CARD=PCH,DEV=0") == .pcm("hw:CARD=PCH,DEV=0"))
    }

    @Test("A server's only channel is heard on both sides, whatever it is called", arguments: [
        PA_CHANNEL_POSITION_MONO, PA_CHANNEL_POSITION_FRONT_LEFT, PA_CHANNEL_POSITION_FRONT_CENTER,
        PA_CHANNEL_POSITION_LFE, PA_CHANNEL_POSITION_TOP_CENTER, PA_CHANNEL_POSITION_AUX0,
    ].map(\.rawValue))
    func onlyChannel(_ code: Int32) throws {
        var named = pa_channel_map()
        named.channels = 1
        named.map.0 = pa_channel_position_t(rawValue: code)
        let map = try #require(ChannelMap(named))
        #expect(map.stereo([0.5]) == [0.5, 0.5])
    }

    @Test("Without a server what is used unless another is named is ALSA's default, not the first of its cards")
    func alsaDefault() {
        let cards = ["hw:CARD=HDMI,DEV=0", "hw:CARD=PCH,DEV=0"].map { ALSAHint(name: $0) }
        let list = AudioDevice.list(sources: [], hints: cards)
        #expect(list.map(\.id) == ["default", "hw:CARD=HDMI,DEV=0", "hw:CARD=PCH,DEV=0"])
        #expect(list.map(\.isDefault) == [true, false, false])
        let source = AudioDevice(kind: .microphone, id: "pulse:a", name: "A", isDefault: true)
        #expect(AudioDevice.list(sources: [source], hints: cards).filter(\.isDefault) == [source])
        #expect(AudioDevice.list(sources: [], hints: [ALSAHint(name: "studio")]).allSatisfy { !$0.isDefault })
        #expect(AudioDevice.list(sources: [], hints: []).isEmpty)
    }

    @Test("Of ALSA's hints, cards and what somebody wrote into the configuration are listed, if they capture")
    func hints() {
        func device(_ name: String, _ direction: String?) -> AudioDevice? {
            AudioDevice(ALSAHint(name: name, description: "A Card, Its Input\nDirect", direction: direction))
        }
        #expect(device("hw:CARD=PCH,DEV=0", "Input") == AudioDevice(
            kind: .microphone, id: "hw:CARD=PCH,DEV=0", name: "A Card, Its Input", isDefault: false))
        #expect(device("studio", nil)?.id == "studio")
        #expect(device("hw:CARD=PCH,DEV=3", "Output") == nil)
        #expect(device("plughw:CARD=PCH,DEV=0", "Input") == nil)
        #expect(device("null", nil) == nil)
        #expect(AudioDevice(ALSAHint(name: "studio"))?.name == "studio")
    }
}

/// Numbers that jump about within ±5 ms: a period's worth of jitter.
private struct SeededJitter {
    private var state: UInt64 = 42

    mutating func next() -> Duration {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return .microseconds(Int64(state >> 33) % 10_000 - 5_000)
    }
}
