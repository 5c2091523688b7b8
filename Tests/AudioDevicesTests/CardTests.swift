import CALSA
import Glibc
import Media
import SystemClock
import TestSoundCard
import TestSupport
import Testing
import Timebase

@testable import AudioDevices

/// Through ALSA itself, with a card of the test's own behind it.
@Suite("Cards of ALSA", .serialized)
struct CardTests {
    @Test("Every sample format arrives as the same samples, without a frame lost", arguments: [
        SND_PCM_FORMAT_U8, SND_PCM_FORMAT_S16_LE, SND_PCM_FORMAT_S16_BE, SND_PCM_FORMAT_S24_3LE,
        SND_PCM_FORMAT_S24_3BE, SND_PCM_FORMAT_S24_LE, SND_PCM_FORMAT_S24_BE, SND_PCM_FORMAT_S32_LE,
        SND_PCM_FORMAT_S32_BE, SND_PCM_FORMAT_FLOAT_LE, SND_PCM_FORMAT_FLOAT_BE,
    ].map(\.rawValue))
    func formats(_ code: Int32) throws {
        let card = try Card(_snd_pcm_format(rawValue: code), AudioFormat(sampleRate: 44_100, channels: 3))
        var listener = Listener(card.source)
        let recording = try listener.record(for: .seconds(5)) { $0[0].frames <= 4_000 }[0]
        #expect(recording.format == AudioFormat(sampleRate: 44_100, channels: 3))
        #expect(recording.frames > 4_000)
        for channel in 0..<3 {
            let samples = recording.tail(recording.frames, channel: channel)
            #expect(samples == samples.indices.map { Float(test_card_value($0)) })
        }
        #expect(listener.wakeups < 30)
    }

    @Test("An overrun is no error: the lost time shows in the timestamps")
    func overrun() throws {
        let card = try Card(SND_PCM_FORMAT_S16_LE, .stereo48k)
        var listener = Listener(card.source)
        let before = try #require(try listener.record(for: .seconds(5)) { $0[0].blocks.isEmpty }[0].blocks.last)
        // Nobody reads for longer than the card keeps.
        Wakeup.made().wait(atMost: .milliseconds(700))
        let resumed = SystemClock.now()
        let after = try listener.record(for: .seconds(5)) { $0[0].frames <= 4_800 }[0]
        let first = try #require(after.blocks.first)
        #expect(first.samples[0] == Float(test_card_value(0)))
        #expect(first.capturedAt - before.capturedAt > .milliseconds(650))
        // The card begins anew when it is read, however late that is.
        let read = try #require(after.readAt.first)
        #expect(first.capturedAt > resumed - .milliseconds(10) && first.capturedAt < read)
        #expect(after.frames > 4_800)
        // The same in mid-stream.
        card.does(TEST_CARD_OVERRUN)
        #expect(try listener.record(for: .seconds(5)) { $0[0].frames <= 4_800 }[0].frames > 4_800)
    }

    @Test("A card that slept with the machine goes on")
    func suspended() throws {
        let longestRead = try bestOf(3) { () -> Duration in
            let card = try Card(SND_PCM_FORMAT_S32_LE, .stereo48k)
            var listener = Listener(card.source)
            _ = try listener.record(for: .seconds(5)) { $0[0].blocks.isEmpty }
            card.does(TEST_CARD_SUSPEND)
            #expect(try listener.record(for: .seconds(5)) { $0[0].frames <= 4_800 }[0].frames > 4_800)
            return listener.longestRead
        } isRight: { $0 < .milliseconds(150) }
        // It takes 300 ms to be back, in which nobody waits for it.
        #expect(longestRead < .milliseconds(150))
    }

    @Test("A card that is unplugged is lost")
    func unplugged() throws {
        let card = try Card(SND_PCM_FORMAT_S32_LE, .stereo48k)
        var listener = Listener(card.source)
        _ = try listener.record(for: .seconds(5)) { $0[0].blocks.isEmpty }
        card.does(TEST_CARD_UNPLUG)
        let error = listener.recordUntilError(for: .seconds(5))
        #expect(error == .lost("The sound device \"card\" is gone: No such device."))
    }

    @Test("A PCM that gives as much as it is asked for is held to the clock, and keeps nobody busy")
    func endless() throws {
        var listener = Listener(DeviceSource("null"))
        // After what a device may have kept at first.
        _ = try listener.record(for: .seconds(3)) { ($0[0].blocks.last?.frameCount ?? .max) > 4_800 }
        listener.wakeups = 0
        let begin = SystemClock.now()
        let recording = try listener.record(for: .milliseconds(300))[0]
        let time = (SystemClock.now() - begin).inMilliseconds
        #expect(abs(Double(recording.frames) - time * 48) < 7_200)
        #expect(Double(listener.wakeups) < time / 5)
        #expect(recording.blocks.allSatisfy { level(of: $0.samples) == 0 })
    }

    @Test("Where the process may start no more threads an open device is closed, the next one says so, and nothing ends")
    func noThreads() async {
        await #expect(processExitsWith: .success) {
            var open = [try PCM.open(name: "null", CaptureWish())]
            Shortage.ofThreads()
            open.removeAll()
            do throws(AudioSourceError) {
                _ = try DeviceSource(AudioDevice.defaultSystem).read(at: SystemClock.now())
                exit(1)
            } catch {
                exit("\(error)".contains("no more threads") ? 0 : 2)
            }
        }
    }

    @Test("A device that does not exist is refused, with ALSA's own words, which go nowhere else")
    func unknown() throws {
        var listener = Listener(DeviceSource("nonsense"))
        var error: AudioSourceError?
        let text = try StandardError.written { error = listener.recordUntilError(for: .seconds(2)) }
        // As its own lines begin: other suites write here too.
        #expect(!text.contains("ALSA lib"))
        #expect(error == .unavailable("""
            There is no sound device "nonsense": Unknown PCM nonsense. The list of sources names those there are.
            """))
    }

    @Test("What ALSA's configuration lacks can't be there; cards and the sound server's devices may")
    func definitions() throws {
        let text = try StandardError.written {
            for id in ["nonsense", "nonsense:1"] { #expect(!AudioDevice.mayExist(id), "\(id)") }
        }
        #expect(!text.contains("ALSA lib"))
        let cards = ["hw:31", "sysdefault:31", "dsnoop:31"]
        for id in cards + ["null", "plug:null", "default", "pulse", "pulse:nothing", AudioDevice.defaultSystem] {
            #expect(AudioDevice.mayExist(id), "\(id)")
        }
    }
}

/// An open card, and the source that reads it.
final class Card {
    let source: DeviceSource
    private let card: OpaquePointer

    init(_ code: snd_pcm_format_t, _ format: AudioFormat) throws {
        var handle: OpaquePointer?
        let card = test_card_open(&handle, code, UInt32(format.channels), UInt32(format.sampleRate))
        self.card = try #require(card)
        let pcm = PCM(adopting: try #require(handle), log: ALSALog())
        source = DeviceSource("card", preferring: .stereo48k) { () throws(AudioSourceError) in
            do throws(ALSAFailure) {
                try pcm.configure(CaptureWish(), resampling: false)
                try pcm.start()
            } catch {
                throw error.unavailable("card")
            }
            return OpenDevice(source: try ALSACapture(pcm, of: "card"))
        }
    }

    func does(_ event: test_card_event) { test_card_do(card, event) }
}
