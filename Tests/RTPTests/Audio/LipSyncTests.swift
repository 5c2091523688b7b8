import RTP
import TestSupport
import Testing
import Timebase

@Suite("Lip sync: two streams on one capture clock")
struct LipSyncTests {
    private let wall = WallClockAnchor(instant: .zero, ntp: NTPTimestamp(unixNanoseconds: 1_700_000_000_123_456_789))

    /// Reports of a sender whose RTP clocks began at those timestamps.
    private func reported(
        at seconds: Double, audio: UInt32 = 0xffff_f000, video: UInt32 = 77
    ) -> (audio: ReportedClock, video: ReportedClock) {
        var clocks = (audio: ReportedClock(clockRate: 48_000), video: ReportedClock(clockRate: 90_000))
        clocks.audio.receive(report(seconds, audio, 48_000))
        clocks.video.receive(report(seconds + 0.3, video, 90_000))
        return clocks
    }

    private func report(_ seconds: Double, _ first: UInt32, _ rate: Double) -> SenderReport {
        SenderReport(
            ssrc: 1, ntp: wall.ntp(at: .zero + .seconds(seconds)),
            rtpTimestamp: first &+ UInt32(truncatingIfNeeded: Int64((seconds * rate).rounded())), packetCount: 0,
            octetCount: 0)
    }

    @Test("Timestamps before and behind the report, across the wrap, become capture instants")
    func captured() throws {
        let clocks = reported(at: 100)
        for seconds in [-20.0, 99.98, 100, 103.5, 4000] {
            let audio = 0xffff_f000 &+ UInt32(truncatingIfNeeded: Int64((seconds * 48_000).rounded()))
            let video = 77 &+ UInt32(truncatingIfNeeded: Int64((seconds * 90_000).rounded()))
            let expected = wall.ntp(at: .zero + .seconds(seconds))
            for captured in [clocks.audio.captured(audio), clocks.video.captured(video)] {
                let distance = Int64(bitPattern: try #require(captured).bits &- expected.bits)
                // 32.32 fixed point: 20 µs.
                #expect(distance.magnitude < 86_000, "\(seconds)")
            }
        }
    }

    @Test("Whichever is ahead is held back by what the other is behind, whatever the viewer's clock says")
    func holdBack() throws {
        let clocks = reported(at: 50)
        // Sound of 60.0 s is played at 5000.10, the picture of 60.1 s is shown at 5000.28: 180 − 100 ms behind.
        let audio = LipSync.Presentation(
            captured: try #require(clocks.audio.captured(0xffff_f000 &+ 60 * 48_000)), at: .zero + .seconds(5000.10))
        var video = LipSync.Presentation(
            captured: try #require(clocks.video.captured(77 &+ 5_409_000)), at: .zero + .seconds(5000.28))
        let lag = try #require(LipSync.videoLag(audio: audio, video: video))
        #expect(abs(lag.inMilliseconds - 80) < 0.1)
        let first = try #require(LipSync.holdBack(audio: audio, video: video))
        #expect(abs(first.audio.inMilliseconds - 80) < 0.1 && first.video == .zero)
        video.at = .zero + .seconds(5000.15)
        let second = try #require(LipSync.holdBack(audio: audio, video: video))
        #expect(abs(second.video.inMilliseconds - 50) < 0.1 && second.audio == .zero)
    }

    @Test("No more than half a second is asked for, and nothing where the clocks have nothing to do with each other")
    func bounds() throws {
        let captured = wall.ntp(at: .zero + .seconds(60))
        let audio = LipSync.Presentation(captured: captured, at: .zero + .seconds(100))
        func video(_ seconds: Double) -> LipSync.Presentation {
            LipSync.Presentation(captured: captured, at: .zero + .seconds(100 + seconds))
        }
        #expect(LipSync.holdBack(audio: audio, video: video(3)) == LipSync.HoldBack(audio: .milliseconds(500)))
        #expect(LipSync.holdBack(audio: audio, video: video(-3)) == LipSync.HoldBack(video: .milliseconds(500)))
        #expect(LipSync.holdBack(audio: audio, video: video(11)) == nil)
        #expect(LipSync.holdBack(audio: audio, video: video(-11)) == nil)
    }

    @Test("The newest report counts; one that came late does not, one after a clock was set back does")
    func order() {
        var clock = ReportedClock(clockRate: 48_000)
        #expect(clock.captured(5) == nil)
        let base = wall.ntp(at: .zero + .seconds(1000))
        clock.note(base, timestamp: 1000)
        clock.note(base.advanced(by: .seconds(-5)), timestamp: 3)
        #expect(clock.captured(1000) == base)
        clock.note(base.advanced(by: .seconds(5)), timestamp: 500)
        #expect(clock.captured(500) == base.advanced(by: .seconds(5)))
        let set = base.advanced(by: .seconds(-3600))
        clock.note(set, timestamp: 900)
        #expect(clock.captured(900) == set)
    }

    @Test("A report of a sender that has no notion of time tells nothing")
    func timeless() {
        let timeless = SenderReport(ssrc: 1, ntp: NTPTimestamp(bits: 0), rtpTimestamp: 5, packetCount: 0, octetCount: 0)
        var clock = ReportedClock(clockRate: 48_000)
        clock.receive(timeless)
        #expect(clock.captured(5) == nil)
        clock.receive(report(100, 0, 48_000))
        clock.receive(timeless)
        #expect(clock.captured(4_800_000) == wall.ntp(at: .zero + .seconds(100)))
    }

    @Test("Of reports that may be off one that is moves nothing, three do, and one that is off by far does at once")
    func inexact() throws {
        var clock = ReportedClock(clockRate: 90_000)
        /// By how many milliseconds the clock is late, once a report has come that is by so many.
        func off(_ second: Int, by milliseconds: Double) throws -> Double {
            let ntp = wall.ntp(at: .zero + .seconds(Double(second) + milliseconds / 1000))
            clock.note(ntp, timestamp: UInt32(second * 90_000), isExact: false)
            let captured = try #require(clock.captured(UInt32(second * 90_000)))
            return captured.duration(since: wall.ntp(at: .zero + .seconds(second))).inMilliseconds.rounded()
        }
        var late: [Double] = []
        for (index, milliseconds) in ([0, 80, 0, 0, 0, 80, 0, 0, 0, 0, 80, 80, 80, 2080] as [Double]).enumerated() {
            late.append(try off(100 + index, by: milliseconds))
        }
        #expect(late == [Double](repeating: 0, count: 12) + [80, 2080])
    }

    @Test("Hostile reports never trap (seed 3)")
    func hostile() {
        var random = SeededGenerator(seed: 3)
        for _ in 0..<20_000 {
            var clock = ReportedClock(clockRate: 48_000)
            for _ in 0..<3 {
                clock.note(
                    NTPTimestamp(bits: random.next()), timestamp: UInt32.random(in: 0 ... .max, using: &random),
                    isExact: Bool.random(using: &random))
            }
            guard let captured = clock.captured(UInt32.random(in: 0 ... .max, using: &random)) else { continue }
            let at = Instant(nanoseconds: Int64.random(in: .min ... .max, using: &random))
            let hold = LipSync.holdBack(
                audio: LipSync.Presentation(captured: captured, at: at),
                video: LipSync.Presentation(captured: NTPTimestamp(bits: random.next()), at: .distantFuture))
            if let hold { #expect(max(hold.audio, hold.video) <= .milliseconds(500)) }
        }
        var odd = ReportedClock(clockRate: 0)
        odd.note(NTPTimestamp(bits: 5), timestamp: 1)
        #expect(odd.captured(2) != nil)
    }
}
