import Media
import TestSupport
import Testing
import Timebase

@Suite("Sound devices in trouble: gaps, losses, other formats, wrong figures")
struct DeviceTroubleTests {
    /// In Hz; at half of full scale no step is larger than 0.0086, and a fade adds at most 0.0032. Its period and the
    /// blocks' have nothing in common.
    private static let tone = 130.7
    private static let steepest = 0.0125

    @Test("A device that loses 3 s leaves 3 s of silence, and everything after keeps its place")
    func overrun() {
        var loop = SoundLoop()
        loop.devices[.system] = device(Heard.clock)
        loop.run(until: at(10))
        let before = loop.packets.suffix(100).compactMap(captureError)
        let distance = loop.packets.last.map { $0.capturedAt - .zero - $0.time.elapsed }
        loop.devices[.system]?.lose(.seconds(3))
        loop.forgetPackets()
        loop.run(until: at(20))
        let after = loop.packets.suffix(100).compactMap(captureError)
        #expect((before + after).allSatisfy { abs($0) < 0.3 } && after.count > 80)
        let silent = loop.packets.filter { $0.samples.allSatisfy { $0 == 0 } }.count
        #expect((146...150).contains(silent), "\(silent)")
        let drifted = loop.packets.last.map { $0.capturedAt - .zero - $0.time.elapsed }
        let moved = (drifted ?? .zero) - (distance ?? .seconds(9))
        #expect(abs(moved.inMilliseconds) < 2, "\(moved)")
        #expect(loop.packets.count == 500 && loop.mixdown.statistics(of: .system).jumps == 1)
    }

    @Test("Losing 60 ms, and a device that is gone for a minute, make no click", arguments: [0.06, 0.3, 60])
    func noClick(lost: Double) {
        var loop = SoundLoop()
        var check = ToneCheck(Self.tone)
        loop.devices[.system] = device(Heard.tone(Self.tone))
        for round in 1...5 {
            loop.run(until: at(Double(round) * (3 + lost)))
            loop.devices[.system]?.lose(.seconds(lost + 0.0013 * Double(round)))
        }
        for packet in loop.packets { check.add(packet) }
        #expect(check.largestStep < Self.steepest, "\(check.largestStep)")
        #expect(loop.mixdown.statistics(of: .system).jumps >= 4)
    }

    @Test("What runs dry before it has come in whole falls from as loud as it was, without a click", arguments: [48, 96, 200])
    func shortSound(frames: Int) {
        var mixdown = AudioMixdown(packetFrames: 960, start: .zero) { SimpleResampler($0) }
        let samples = [Float](repeating: 0.3, count: 2 * frames)
        mixdown.receive(
            AudioBlock(format: .stereo48k, samples: samples, capturedAt: at(0.1)), of: .system, at: at(0.105))
        var check = ToneCheck(Self.tone)
        while let packet = mixdown.nextPacket(at: at(0.4)) { check.add(packet) }
        #expect(check.largestStep > 0 && check.largestStep < 0.01, "\(check.largestStep)")
    }

    @Test("What comes in by the millisecond, each in another format, comes in without a click")
    func shortFormats() {
        var mixdown = AudioMixdown(packetFrames: 960, start: .zero) { SimpleResampler($0) }
        for number in 0..<20 {
            let format = number % 2 == 0 ? AudioFormat.stereo48k : AudioFormat(sampleRate: 96_000, channels: 2)
            let samples = [Float](repeating: 0.3, count: 2 * format.sampleRate / 1000)
            let heard = 0.1 + Double(number) / 1000
            mixdown.receive(
                AudioBlock(format: format, samples: samples, capturedAt: at(heard)), of: .system, at: at(heard + 0.0015))
        }
        var check = ToneCheck(Self.tone)
        while let packet = mixdown.nextPacket(at: at(0.4)) { check.add(packet) }
        #expect(check.largestStep > 0 && check.largestStep < 0.01, "\(check.largestStep)")
    }

    @Test("A source that is taken away while it is heard makes no click")
    func takenAway() {
        for round in 0..<5 {
            var loop = SoundLoop()
            var check = ToneCheck(Self.tone)
            loop.devices[.system] = device(Heard.tone(Self.tone))
            loop.run(until: at(2 + 0.0013 * Double(round)))
            loop.mixdown.forget(.system)
            loop.devices[.system] = nil
            loop.run(until: at(3))
            for packet in loop.packets { check.add(packet) }
            #expect(check.largestStep < Self.steepest, "\(check.largestStep)")
        }
    }

    @Test("A microphone that came in bursts and is lost holds the system's sound back no more")
    func lost() {
        var loop = SoundLoop()
        loop.devices[.system] = device(Heard.clock)
        var bursts = device(Heard.clock)
        bursts.change(to: .stereo48k, framesPerBlock: 22_596)
        loop.devices[.microphone] = bursts
        loop.run(until: at(5))
        #expect(loop.mixdown.delay > .milliseconds(450))
        loop.devices[.microphone] = nil
        loop.run(until: at(30))
        #expect(loop.mixdown.delay < .milliseconds(60), "\(loop.mixdown.delay)")
    }

    @Test("A device that comes back with a second of silence at once is as near as before when sound begins")
    func backlog() {
        var loop = SoundLoop()
        let tone = Heard.tone(Self.tone)
        loop.devices[.system] = device { (5...11).contains($0) ? (0, 0) : tone($0) }
        loop.run(until: at(5))
        let usual = loop.mixdown.delay
        loop.devices[.system]?.lose(.seconds(3))
        loop.devices[.system]?.change(to: .stereo48k, framesPerBlock: 48_000)
        loop.run(until: at(9.2))
        loop.devices[.system]?.change(to: .stereo48k, framesPerBlock: 480)
        loop.run(until: at(15))
        #expect(loop.mixdown.delay - usual < .milliseconds(20), "\(loop.mixdown.delay)")
    }

    @Test("A microphone held back for slow system sound loses 60 ms, and gets as much twice, without a click")
    func noClickWithinTheQueue() {
        var loop = SoundLoop()
        var system = SoundDevice()
        system.framesPerBlock = 24_576
        // In its silence it gets in step with the system's.
        let heard = Heard.tone(Self.tone)
        loop.devices = [.system: system, .microphone: device { $0 < 5 ? (0, 0) : heard($0) }]
        var check = ToneCheck(Self.tone)
        for round in 1...6 {
            loop.run(until: at(Double(round) * 10))
            loop.devices[.microphone]?.lose(.seconds((round % 2 == 0 ? -0.07 : 0.06) + 0.0013 * Double(round)))
        }
        for packet in loop.packets { check.add(packet) }
        #expect(check.largestStep < Self.steepest, "\(check.largestStep) at \(check.worstAt)")
        #expect(loop.mixdown.statistics(of: .microphone).jumps == 5)
        #expect(loop.mixdown.statistics(of: .microphone).gaps == 0)
    }

    @Test("A loss too short to be told from jitter is made up for by speed, within seconds")
    func shortLoss() {
        var loop = SoundLoop()
        loop.devices[.system] = device(Heard.clock)
        loop.run(until: at(30))
        loop.devices[.system]?.lose(.milliseconds(10))
        loop.run(until: at(60))
        let errors = loop.packets.suffix(500).compactMap(captureError)
        #expect(
            errors.count > 400 && errors.allSatisfy { abs($0) < 0.5 } && loop.mixdown.statistics(of: .system).jumps == 0
        )
    }

    @Test("A loss of 30 ms is told from jitter within a second, and its place is kept")
    func loss() {
        var loop = SoundLoop()
        loop.devices[.system] = device(Heard.clock)
        loop.run(until: at(30))
        loop.devices[.system]?.lose(.milliseconds(30))
        loop.run(until: at(31))
        loop.forgetPackets()
        loop.run(until: at(33))
        let errors = loop.packets.compactMap(captureError)
        #expect(errors.count > 80 && errors.allSatisfy { abs($0) < 0.5 })
        #expect(loop.mixdown.statistics(of: .system).jumps == 1)
    }

    @Test("Frames that come twice are left out")
    func repeated() {
        var loop = SoundLoop()
        loop.devices[.system] = device(Heard.clock)
        loop.run(until: at(10))
        loop.devices[.system]?.lose(.milliseconds(-200))
        loop.run(until: at(20))
        let errors = loop.packets.suffix(300).compactMap(captureError)
        #expect(errors.count > 200 && errors.allSatisfy { abs($0) < 0.5 })
        #expect(loop.mixdown.statistics(of: .system).jumps == 1)
    }

    @Test("One block that is 30 ms late makes one gap without a click; the delay grows, and shrinks again")
    func lateBlock() {
        var loop = SoundLoop()
        loop.devices[.system] = device(Heard.tone(Self.tone))
        loop.run(until: at(3))
        let usual = loop.mixdown.delay
        loop.devices[.system]?.latency += .milliseconds(30)
        loop.run(until: at(3.045))
        loop.devices[.system]?.latency = .microseconds(500)
        loop.run(until: at(4))
        let grown = loop.mixdown.delay - usual
        #expect((25...35).contains(grown.inMilliseconds), "\(grown)")
        loop.run(until: at(40))
        var check = ToneCheck(Self.tone)
        for packet in loop.packets { check.add(packet) }
        #expect(check.largestStep < Self.steepest, "\(check.largestStep) at \(check.worstAt)")
        #expect(loop.mixdown.statistics(of: .system).gaps == 1)
        #expect(abs((loop.mixdown.delay - usual).inMilliseconds) < 2, "\(loop.mixdown.delay)")
    }

    @Test(
        "Another format in mid-stream loses nothing: the wave goes on, to the length of a frame",
        arguments: [(0, false), (60, false), (60, true)])
    func formatChange(filter: Int, holdsBack: Bool) {
        var loop = SoundLoop(resampler: { SimpleResampler($0, filter: filter, holdsBack: holdsBack) })
        var device = device(Heard.tone(Self.tone))
        device.format = AudioFormat(sampleRate: 44_100, channels: 2)
        device.framesPerBlock = 441
        loop.devices[.system] = device
        loop.run(until: at(3))
        loop.forgetPackets()
        var check = ToneCheck(Self.tone)
        let formats = [(48_000, 2, 480), (16_000, 1, 160), (96_000, 1, 960), (44_100, 2, 441), (16_000, 1, 16)]
        for (index, (rate, channels, frames)) in formats.enumerated() {
            loop.devices[.system]?.change(to: AudioFormat(sampleRate: rate, channels: channels), framesPerBlock: frames)
            loop.run(until: at(Double(index) + 4))
        }
        for packet in loop.packets { check.add(packet) }
        // Two rates have no frame in common: up to two of 48 kHz may be too many or too few, 0.0086 each.
        #expect(check.worst < 0.02 && check.largestStep < 0.027, "\(check) at \(check.worstAt)")
        #expect(loop.mixdown.statistics(of: .system).gaps == 0 && loop.mixdown.statistics(of: .system).jumps == 0)
    }

    @Test(
        "In a virtual 8 h at ±500 ppm capture times stay right, the delay stays, nothing runs dry",
        arguments: [-500.0, 500])
    func eightHours(ppm: Double) {
        var input = AudioInput(start: .zero, packetFrames: 960) { CopyingResampler($0) }
        var pacer = AudioPacer(packetFrames: 960, start: .zero)
        var samples = [Float](repeating: 0, count: 1920)
        let (frames, rate) = (2048, 48_000 * (1 + ppm / 1e6))
        let format = AudioFormat.stereo48k
        var (worst, checked, frame) = (0.0, 0, 0)
        var delays: ClosedRange<Double>?
        while pacer.due < at(8 * 3600) {
            let arrival = at(Double(frame + frames) / rate + 0.001)
            if arrival <= pacer.due {
                // Every ten minutes a second of numbered frames; silence costs less.
                let samples = frame / 48_000 % 600 == 300 ? numbered(frame, frames) : Self.silence
                let block = AudioBlock(format: format, samples: samples, capturedAt: at(Double(frame) / rate))
                input.receive(block, at: arrival)
                frame += frames
                continue
            }
            let due = pacer.due
            guard let time = pacer.takeDue(at: due), let captured = input.read(time, into: &samples) else { continue }
            if let number = number(samples[0]), due > at(60) {
                let second = (Double(frame) / 48_000).rounded(.down)
                let heard = (second - second.truncatingRemainder(dividingBy: 600) + 300) * 48_000 + Double(number)
                worst = max(worst, abs((captured - .zero).inSeconds - heard / rate))
                checked += 1
                let delay = input.delay.inMilliseconds
                delays = min(delays?.lowerBound ?? delay, delay)...max(delays?.upperBound ?? delay, delay)
            }
        }
        #expect(worst < 0.001 && checked > 2000, "\(worst * 1000) ms, \(checked)")
        #expect(
            input.statistics.gaps == 0 && input.statistics.jumps == 0 && abs(input.statistics.drift * 1e6 - ppm) < 10)
        #expect((delays?.lowerBound ?? 0) > 60 && (delays?.upperBound ?? 99) < 70, "\(String(describing: delays))")
    }

    private static let silence = [Float](repeating: 0, count: 4096)

    /// Frames that carry their number within their second as a sample: 0.1 + n / 100,000.
    private func numbered(_ frame: Int, _ frames: Int) -> [Float] {
        (0..<(2 * frames)).map { 0.1 + Float((frame + $0 / 2) % (600 * 48_000) - 300 * 48_000) / 1e5 }
    }

    private func number(_ sample: Float) -> Int? { sample > 0.05 ? Int(((sample - 0.1) * 1e5).rounded()) : nil }

    @Test("Formats, lengths and stamps that can't be are refused or made good, and never trap")
    func hostile() {
        var random = SeededGenerator(seed: 9)
        var mixdown = AudioMixdown(packetFrames: 480, start: at(5)) { SimpleResampler($0) }
        let rates = [Int.min, -1, 0, 1, 8000, 44_100, 48_000, 384_000, .max]
        var now = at(5)
        for _ in 0..<4000 {
            let format = AudioFormat(
                sampleRate: rates.randomElement(using: &random) ?? 0, channels: Int.random(in: -1...3, using: &random))
            let count = [0, 1, 2, 481, 960, 5000].randomElement(using: &random) ?? 0
            let level = [0.1, .nan, .infinity, 1e30].randomElement(using: &random) ?? 0
            let stamps = [
                now, now - .milliseconds(5), .distantFuture, Instant(nanoseconds: .min), at(0), now + .seconds(9),
            ]
            let block = AudioBlock(
                format: format, samples: [Float](repeating: Float(level), count: count),
                capturedAt: stamps.randomElement(using: &random) ?? now)
            mixdown.receive(block, of: Bool.random(using: &random) ? .system : .microphone, at: now)
            now += .microseconds(Int64.random(in: 0...20_000, using: &random))
            while let packet = mixdown.nextPacket(at: now) {
                guard packet.samples.count == 960, packet.samples.allSatisfy({ $0.magnitude < 1 }) else {
                    Issue.record("packet \(packet.time)")
                    return
                }
            }
        }
        #expect(mixdown.statistics(of: .system).blocksRefused > 100)
    }

    @Test("A device that says at first that its sound is 650 ms old is not waited for once it says the truth")
    func falseAge() {
        var loop = SoundLoop()
        loop.devices[.system] = device(Heard.tone(Self.tone))
        loop.devices[.system]?.stampAge = .milliseconds(650)
        loop.run(until: at(1))
        loop.devices[.system]?.stampAge = .zero
        loop.run(until: at(4))
        #expect(loop.mixdown.delay < .milliseconds(80), "\(loop.mixdown.delay)")
        loop.run(until: at(15))
        #expect(loop.mixdown.delay < .milliseconds(40), "\(loop.mixdown.delay)")
        #expect(loop.mixdown.statistics(of: .system).jumps == 1)
    }

    @Test("A device whose first stamps were 30 ms too early has one gap at one late block, not one in each packet")
    func earlyStamps() {
        var loop = SoundLoop()
        loop.devices[.microphone] = device(Heard.tone(Self.tone))
        loop.devices[.microphone]?.stampAge = .milliseconds(30)
        loop.run(until: at(0.15))
        loop.devices[.microphone]?.stampAge = .zero
        loop.run(until: at(2))
        #expect(loop.mixdown.statistics(of: .microphone).gaps == 0)
        loop.devices[.microphone]?.latency += .milliseconds(20)
        loop.run(until: at(2.025))
        loop.devices[.microphone]?.latency = .microseconds(500)
        loop.run(until: at(18))
        let input = loop.mixdown.statistics(of: .microphone)
        #expect(input.gaps == 1 && input.jumps == 0, "\(input)")
    }

    @Test("A stamp of another clock counts as now")
    func foreignStamps() {
        var loop = SoundLoop(start: at(1000))
        var device = SoundDevice(from: at(1000))
        device.hears = Heard.tone(Self.tone)
        device.stampJitter = .seconds(500)
        loop.devices[.system] = device
        loop.run(until: at(1020))
        #expect(loop.mixdown.statistics(of: .system).gaps == 0 && loop.mixdown.delay < .milliseconds(40))
    }

    private func device(_ heard: @escaping (Double) -> (left: Float, right: Float)) -> SoundDevice {
        var device = SoundDevice()
        device.hears = heard
        return device
    }

    private func at(_ seconds: Double) -> Instant { .zero + .seconds(seconds) }
}
