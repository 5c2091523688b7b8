import Media
import TestSupport
import Testing
import Timebase

@Suite("Audio mixdown: an even stream from uneven devices")
struct AudioMixdownTests {
    @Test("A steady device is held back by a packet, a period and 2 ms, and never runs dry", arguments: [480, 960])
    func steady(packetFrames: Int) {
        var loop = SoundLoop(packetFrames: packetFrames)
        var device = SoundDevice()
        device.jitter = .milliseconds(1)
        device.hears = Heard.tone(440)
        loop.devices[.system] = device
        var check = ToneCheck(440)
        loop.run(until: at(1))
        for packet in loop.packets.dropFirst(10) { check.add(packet) }
        loop.forgetPackets()
        loop.run(until: at(60))
        for packet in loop.packets { check.add(packet) }
        let input = loop.mixdown.statistics(of: .system)
        let packet = Double(packetFrames) / 48
        #expect(input.gaps == 0 && input.jumps == 0 && check.worst < 2e-3)
        #expect((packet + 11...packet + 14).contains(input.delay.inMilliseconds), "\(input.delay)")
    }

    @Test("Bursts of 512 ms at 44.1 kHz beside blocks of 23 ms leave as an even stream, without a gap in 10 minutes")
    func bursts() {
        var loop = SoundLoop()
        var (system, microphone) = (SoundDevice(), SoundDevice(seed: 2))
        system.format = AudioFormat(sampleRate: 44_100, channels: 2)
        system.framesPerBlock = 22_596
        system.jitter = .milliseconds(5)
        system.ppm = 80
        system.hears = Heard.left(Heard.tone(440))
        microphone.format = AudioFormat(sampleRate: 44_100, channels: 2)
        microphone.framesPerBlock = 1024
        microphone.jitter = .milliseconds(5)
        microphone.ppm = -60
        microphone.hears = Heard.right(Heard.tone(300))
        loop.devices = [.system: system, .microphone: microphone]
        loop.keepsPackets = false
        loop.run(until: at(3))
        let (left, right) = (Checked(440), Checked(300))
        loop.onPacket = { packet in
            left.check.add(packet)
            right.check.add(packet, channel: 1)
        }
        loop.run(until: at(603))
        #expect(left.check.worst < 3e-3 && right.check.worst < 3e-3, "\(left.check), \(right.check)")
        #expect(loop.mixdown.statistics(of: .system).gaps == 0 && loop.mixdown.statistics(of: .microphone).gaps == 0)
        #expect(loop.mixdown.statistics(of: .system).jumps == 0 && loop.mixdown.statistics(of: .microphone).jumps == 0)
        // A packet, a burst, its jitter and the margin.
        #expect(loop.mixdown.delay < .milliseconds(20 + 513 + 5 + 4), "\(loop.mixdown.delay)")
    }

    @Test("Where bursts cease the delay shrinks, without a click and by no more than 0.5 % of speed")
    func shrinking() {
        let made = Made()
        var loop = SoundLoop(resampler: made.resampler)
        var device = SoundDevice()
        device.framesPerBlock = 24_576
        device.hears = Heard.tone(440)
        loop.devices[.system] = device
        loop.keepsPackets = false
        loop.run(until: at(20))
        #expect((530...540).contains(loop.mixdown.delay.inMilliseconds))
        loop.devices[.system]?.change(to: .stereo48k, framesPerBlock: 480)
        let tone = Checked(440)
        loop.onPacket = { tone.check.add($0) }
        loop.run(until: at(60))
        let halfway = loop.mixdown.delay.inMilliseconds
        #expect((350...450).contains(halfway), "\(halfway)")
        loop.run(until: at(190))
        let delay = loop.mixdown.delay.inMilliseconds
        #expect(delay < 40, "\(delay)")
        #expect(tone.check.worst < 3e-3 && loop.mixdown.statistics(of: .system).gaps == 0)
        let speeds = made.resamplers.flatMap(\.speeds)
        #expect(speeds.allSatisfy { (0.995...1.005).contains($0) })
        // 10 ms apart: from nothing to all in half a second.
        let changes = zip(speeds.suffix(16_000).dropFirst(), speeds.suffix(16_000)).map { abs($0 - $1) }
        #expect((changes.max() ?? 1) < 0.0002, "\(changes.max() ?? 1)")
    }

    @Test("In silence the delay shrinks at once, and sound begins whole")
    func shrinkingInSilence() {
        var loop = SoundLoop()
        var device = SoundDevice()
        device.framesPerBlock = 24_576
        device.hears = { time in time < 22 ? (0, 0) : Heard.tone(440)(time) }
        loop.devices[.system] = device
        loop.run(until: at(10))
        loop.devices[.system]?.change(to: .stereo48k, framesPerBlock: 480)
        loop.run(until: at(21.5))
        // Some seconds after the last burst it has all been left out.
        #expect(loop.mixdown.delay.inMilliseconds < 40, "\(loop.mixdown.delay)")
        loop.forgetPackets()
        loop.run(until: at(30))
        let left = loop.left
        let first = left.firstIndex { $0 != 0 } ?? 0
        var check = ToneCheck(440)
        check.add(
            AudioPacket(time: AudioTime(ticks: 0), samples: left[first...].flatMap { [$0, $0] }, capturedAt: .zero))
        #expect(check.worst < 3e-3 && loop.mixdown.statistics(of: .system).gaps == 0)
    }

    @Test(
        "Capture times are right within 0.5 ms under drift and jitter, with bursts 1.5 ms", arguments: [-500.0, 0, 500])
    func captureTimes(ppm: Double) {
        for (rate, frames, bound) in [(48_000, 480, 0.5), (44_100, 22_596, 1.5), (16_000, 333, 0.5)] {
            var loop = SoundLoop()
            var device = SoundDevice()
            device.format = AudioFormat(sampleRate: rate, channels: 1)
            device.framesPerBlock = frames
            device.ppm = ppm
            device.jitter = .milliseconds(3)
            device.stampJitter = .milliseconds(2)
            device.hears = Heard.clock
            loop.devices[.system] = device
            loop.run(until: at(5))
            loop.forgetPackets()
            loop.run(until: at(90))
            let errors = loop.packets.compactMap { captureError($0) }
            let (least, most) = (errors.min() ?? 9, errors.max() ?? 9)
            #expect(errors.count > 3800 && least > -bound && most < bound, "\(rate)/\(frames): \(least)…\(most) ms")
            #expect(loop.mixdown.statistics(of: .system).gaps == 0 && loop.mixdown.statistics(of: .system).jumps == 0)
        }
    }

    @Test("Though stamps jitter by 2 ms, the speed changes by less than a millionth from block to block")
    func smoothSpeed() {
        let made = Made()
        var loop = SoundLoop(resampler: made.resampler)
        var device = SoundDevice()
        device.ppm = 120
        device.stampJitter = .milliseconds(2)
        loop.devices[.system] = device
        loop.keepsPackets = false
        loop.run(until: at(120))
        let speeds = made.resamplers.flatMap(\.speeds).suffix(6000)
        let changes = zip(speeds.dropFirst(), speeds).map { abs($0 - $1) }
        #expect((changes.max() ?? 1) < 1e-6, "\(changes.max() ?? 1)")
        #expect(speeds.allSatisfy { abs($0 - 1.00012) < 1e-4 })
    }

    @Test("Short pieces are taken with each packet, and held back no longer than if each were taken as it comes")
    func shortPieces() {
        var loop = SoundLoop()
        loop.readsWithPackets = true
        var device = SoundDevice()
        device.framesPerBlock = 240
        device.jitter = .milliseconds(1)
        // Pieces and packets meet at every distance within the time.
        device.ppm = 80
        device.hears = Heard.tone(440)
        loop.devices[.system] = device
        loop.keepsPackets = false
        loop.run(until: at(2))
        let tone = Checked(440)
        loop.onPacket = { tone.check.add($0) }
        loop.run(until: at(120))
        let input = loop.mixdown.statistics(of: .system)
        #expect(input.gaps == 0 && input.jumps == 0 && tone.check.worst < 2e-3, "\(input), \(tone.check.worst)")
        #expect((26...30).contains(input.delay.inMilliseconds), "\(input.delay)")
    }

    @Test("What is read with packets and comes in longer pieces than it says is held back until it is there")
    func lyingPieces() {
        var loop = SoundLoop()
        loop.readsWithPackets = true
        var device = SoundDevice()
        device.framesPerBlock = 240
        device.hears = Heard.tone(440)
        loop.devices[.system] = device
        loop.keepsPackets = false
        loop.run(until: at(5))
        // Blocks of 50 ms, which say that they came in pieces of 5 ms.
        loop.longestPieceSaid = 240
        loop.devices[.system]?.change(to: .stereo48k, framesPerBlock: 2400)
        loop.run(until: at(12))
        let gaps = loop.mixdown.statistics(of: .system).gaps
        let tone = Checked(440)
        loop.onPacket = { tone.check.add($0) }
        loop.run(until: at(60))
        #expect(loop.mixdown.statistics(of: .system).gaps == gaps && tone.check.worst < 2e-3, "\(tone.check.worst)")
        #expect(loop.mixdown.delay < .milliseconds(20 + 50 + 4), "\(loop.mixdown.delay)")
    }

    @Test("What was bent comes to rest again, also where nothing jitters")
    func restsAgain() {
        let made = Made()
        var loop = SoundLoop(resampler: made.resampler)
        loop.readsWithPackets = true
        var device = SoundDevice()
        device.framesPerBlock = 240
        loop.devices[.system] = device
        loop.keepsPackets = false
        loop.run(until: at(10))
        let before = made.resamplers.flatMap(\.speeds).count
        loop.devices[.system]?.lose(.milliseconds(4))
        loop.run(until: at(80))
        let speeds = made.resamplers.flatMap(\.speeds).dropFirst(before)
        #expect(speeds.contains { $0 != 1 } && speeds.suffix(500).allSatisfy { $0 == 1 })
    }

    @Test("A device that keeps time is not resampled; one that is off by 40 ppm only now and then", arguments: [0.0, 40])
    func steadySpeed(ppm: Double) {
        let made = Made()
        var loop = SoundLoop(resampler: made.resampler)
        var device = SoundDevice()
        device.ppm = ppm
        device.jitter = .milliseconds(1)
        device.stampJitter = .microseconds(300)
        device.hears = Heard.clock
        loop.devices[.system] = device
        loop.run(until: at(10))
        loop.forgetPackets()
        loop.run(until: at(120))
        let speeds = made.resamplers.flatMap(\.speeds).dropFirst(1000)
        let bent = Double(speeds.count { $0 != 1 }) / Double(speeds.count)
        #expect(ppm == 0 ? bent < 0.02 : bent < 0.6, "\(bent)")
        let errors = loop.packets.compactMap { captureError($0) }
        #expect(errors.count > 4000 && errors.allSatisfy { abs($0) < 0.5 })
        #expect(loop.mixdown.statistics(of: .system).gaps == 0)
    }

    @Test("A microphone of one channel is heard on both sides")
    func mono() {
        var loop = SoundLoop()
        var device = SoundDevice()
        device.format = AudioFormat(sampleRate: 16_000, channels: 1)
        device.framesPerBlock = 160
        device.hears = Heard.tone(200)
        loop.devices[.microphone] = device
        loop.run(until: at(2))
        let samples = loop.packets.flatMap(\.samples)
        #expect((samples.max() ?? 0) > 0.49)
        for index in stride(from: 0, to: samples.count, by: 2) where samples[index] != samples[index + 1] {
            Issue.record("sample \(index)")
            return
        }
    }

    @Test("Both sources are held back alike: what was heard together is sent together")
    func together() {
        var loop = SoundLoop()
        var (system, microphone) = (SoundDevice(), SoundDevice(seed: 2))
        system.framesPerBlock = 9600
        system.hears = Heard.left(Heard.clock)
        system.ppm = 200
        microphone.hears = Heard.right(Heard.clock)
        microphone.ppm = -200
        loop.devices = [.system: system, .microphone: microphone]
        loop.run(until: at(90))
        loop.forgetPackets()
        loop.run(until: at(120))
        let distances = loop.packets.compactMap { packet -> Double? in
            let (left, right) = (packet.samples[0], packet.samples[1])
            return (0.02...0.48).contains(left) ? abs(Double(left - right)) * 2000 : nil
        }
        #expect(distances.count > 1000 && (distances.max() ?? 9) < 1.5, "\(distances.max() ?? 9) ms")
    }

    @Test("The thread may wake 100 ms late: the packets catch up and nothing is missing")
    func lateThread() {
        var loop = SoundLoop()
        var device = SoundDevice()
        device.hears = Heard.tone(440)
        loop.devices[.system] = device
        loop.keepsPackets = false
        loop.run(until: at(2))
        let tone = Checked(440)
        loop.onPacket = { tone.check.add($0) }
        loop.wakesLate = { due in
            (due - .zero) >= .seconds(3) && (due - .zero) < .milliseconds(3020) ? .milliseconds(100) : .zero
        }
        loop.run(until: at(10))
        #expect(tone.check.worst < 3e-3 && loop.mixdown.statistics(of: .system).gaps == 0)
    }

    @Test(
        "Where the thread stands still for a second or less, sound is soon as near as before; a late device still counts",
        arguments: [(0.3, 0.45), (0.3, 0.6), (10.0, 0.45), (10.0, 0.6), (10.0, 0.9), (10.0, 1.1)])
    func standstill(start: Double, length: Double) {
        var loop = SoundLoop()
        var (system, microphone) = (SoundDevice(), SoundDevice(seed: 2))
        system.framesPerBlock = 1024
        system.hears = Heard.tone(440)
        microphone.hears = Heard.tone(300)
        loop.devices = [.system: system, .microphone: microphone]
        loop.keepsPackets = false
        loop.run(until: at(start))
        let usual = loop.mixdown.delay
        loop.standsStill = at(start)..<at(start + length)
        loop.run(until: at(start + length + 1))
        for kind in [AudioKind.system, .microphone] {
            let grown = loop.mixdown.statistics(of: kind).delay - usual
            #expect(abs(grown.inMilliseconds) < 20, "\(kind): \(grown)")
        }
        loop.devices[.system]?.latency += .milliseconds(300)
        loop.run(until: at(start + length + 3))
        let grown = loop.mixdown.statistics(of: .system).delay - usual
        #expect((250...350).contains(grown.inMilliseconds), "\(grown)")
    }

    private func at(_ seconds: Double) -> Instant { .zero + .seconds(seconds) }
}

/// A tone's check that a closure can fill.
final class Checked {
    var check: ToneCheck

    init(_ frequency: Double) {
        check = ToneCheck(frequency)
    }
}

/// The resamplers that were made, to look at afterwards.
final class Made {
    private(set) var resamplers: [SimpleResampler] = []

    var resampler: (AudioFormat) -> any Resampler {
        { format in
            let made = SimpleResampler(format)
            self.resamplers.append(made)
            return made
        }
    }
}

/// How far the packet's capture time is from that of its first sample, in ms, where what was heard is `Heard.clock`.
func captureError(_ packet: AudioPacket) -> Double? {
    let (sample, next) = (packet.samples[0], packet.samples[2])
    // Not where a second ends.
    guard (0.02...0.48).contains(sample), abs(next - sample) < 1e-4 else { return nil }
    let heard = Double(sample) * 2
    let said = Double(packet.capturedAt.nanoseconds) / 1e9
    return (said - heard).remainder(dividingBy: 1) * 1000
}
