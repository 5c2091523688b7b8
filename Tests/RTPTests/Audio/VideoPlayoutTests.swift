import RTP
import TestSupport
import Testing
import Timebase

@Suite("Video playout: the source's pace comes back")
struct VideoPlayoutTests {
    /// Pictures of a source of 25 a second that take some time on the way each; when they came, and when they are shown.
    private func shown(
        _ playout: inout VideoPlayout, pictures: Range<Int>, bytes: (Int) -> Int = { _ in 5000 }, way: (Int) -> Duration
    ) -> [(came: Double, shown: Double)] {
        pictures.map { picture in
            let came = Instant.zero + .milliseconds(40 * picture + 1000) + way(picture)
            let at = playout.receive(MediaTime(ticks: Int64(picture) * 3600 + 77), bytes: bytes(picture), at: came)
            // Against the source's own pace.
            let sent = Double(40 * picture + 1000)
            return ((came - .zero).inMilliseconds - sent, (at - .zero).inMilliseconds - sent)
        }
    }

    @Test("What comes evenly is shown as it comes")
    func clean() {
        var playout = VideoPlayout()
        for picture in shown(&playout, pictures: 0..<500, way: { _ in .milliseconds(30) }) {
            #expect(abs(picture.shown - picture.came) < 0.01)
        }
    }

    @Test("Pictures that repair delays by 50 ms, one in three, are shown at the pace of the source (seed 4)")
    func jitter() {
        var random = SeededGenerator(seed: 4)
        var playout = VideoPlayout()
        let pictures = shown(&playout, pictures: 0..<1000) { _ in
            .milliseconds(UInt.random(in: 0..<3, using: &random) == 0 ? 80 : 30)
        }.dropFirst(100)
        #expect(pictures.allSatisfy { $0.shown >= $0.came })
        #expect(pictures.allSatisfy { abs($0.shown - 80) < 3 })
    }

    @Test("What a joiner is sent to catch up with delays nothing that follows")
    func pressed() {
        var playout = VideoPlayout()
        for index in 0..<40 {
            _ = playout.receive(MediaTime(ticks: Int64(index)), bytes: 5000, at: .zero + .milliseconds(1000 + 8 * index))
        }
        // The last of them was of 1.3 s; those behind it come as they are made.
        for picture in 1...25 {
            let came = Instant.zero + .milliseconds(1300 + 33 * picture)
            let at = playout.receive(MediaTime(ticks: 39 + Int64(27_000 + picture * 2970)), bytes: 5000, at: came)
            #expect(at - came < .milliseconds(20), "\(picture)")
        }
    }

    @Test("The delay goes away when the network is quiet again, at most 5 % of the time that passes")
    func shrinks() {
        var playout = VideoPlayout()
        _ = shown(&playout, pictures: 0..<100) { .milliseconds($0 % 4 == 0 ? 130 : 30) }
        let after = shown(&playout, pictures: 100..<1200) { _ in .milliseconds(30) }
        for (last, next) in zip(after, after.dropFirst()) { #expect(next.shown >= last.shown - 2.001) }
        #expect(after[10].shown > 100)
        #expect(abs((after.last?.shown ?? 0) - 30) < 0.1)
    }

    @Test("What a stall of three seconds has delayed is caught up with when it is over")
    func stall() {
        var playout = VideoPlayout()
        _ = shown(&playout, pictures: 0..<200) { _ in .milliseconds(30) }
        let stalled = shown(&playout, pictures: 200..<275) { .milliseconds(40 * (275 - $0) + 30) }
        #expect(stalled.allSatisfy { $0.shown >= $0.came })
        let after = shown(&playout, pictures: 275..<900) { _ in .milliseconds(30) }
        #expect(after.allSatisfy { $0.shown <= 331 }, "\(after.map(\.shown).max() ?? 0)")
        #expect((after.last?.shown ?? 0) < 331)
    }

    @Test("A new page that takes 400 ms on a slow link delays no picture behind it")
    func page() {
        var playout = VideoPlayout()
        let pictures = shown(
            &playout, pictures: 0..<400, bytes: { $0 % 100 == 50 ? 90_000 : 4000 },
            way: { .milliseconds($0 % 100 == 50 ? 430 : 30) })
        #expect(pictures.filter { $0.came > 400 }.count == 4)
        #expect(pictures.allSatisfy { abs($0.shown - $0.came) < 0.01 })
    }

    @Test("So does one behind a first picture that was larger still")
    func pageBehindFirst() {
        var playout = VideoPlayout()
        let pictures = shown(
            &playout, pictures: 0..<100, bytes: { $0 == 0 ? 200_000 : $0 == 50 ? 90_000 : 4000 },
            way: { .milliseconds($0 == 50 ? 430 : 30) })
        #expect(pictures.allSatisfy { abs($0.shown - $0.came) < 0.01 })
    }

    @Test("At the beginning the delay grows with the first picture that is late, and not half a second after it")
    func growsAtOnce() {
        var playout = VideoPlayout()
        let pictures = shown(&playout, pictures: 0..<12) { .milliseconds($0 == 5 ? 80 : 30) }
        #expect(pictures.dropFirst(5).allSatisfy { abs($0.shown - 80) < 0.01 })
    }

    @Test("However late some pictures are, the others are held back for 300 ms at most")
    func bound() {
        var playout = VideoPlayout()
        let pictures = shown(&playout, pictures: 0..<500) { .milliseconds($0 % 4 == 3 ? 630 : 30) }
        let others = pictures.dropFirst(100).filter { $0.came < 100 }
        #expect(others.allSatisfy { abs($0.shown - 330) < 1 }, "\(others.map(\.shown).max() ?? 0)")
    }

    @Test("Held back for lip sync, pictures are shown so much later, and not more than half a second")
    func holdBack() {
        var playout = VideoPlayout()
        _ = shown(&playout, pictures: 0..<100) { _ in .milliseconds(30) }
        playout.holdBack = .milliseconds(25)
        #expect(shown(&playout, pictures: 100..<110) { _ in .milliseconds(30) }.allSatisfy { abs($0.shown - 55) < 0.01 })
        playout.holdBack = .seconds(9)
        #expect(playout.holdBack == .milliseconds(500))
        playout.holdBack = .seconds(-9)
        #expect(playout.holdBack == .zero)
    }

    @Test("Hostile timestamps never trap, and nothing is shown before it came (seed 9)")
    func hostile() {
        var random = SeededGenerator(seed: 9)
        var playout = VideoPlayout()
        for _ in 0..<20_000 {
            let at = Instant(nanoseconds: Int64.random(in: .min ... .max, using: &random))
            let media = MediaTime(ticks: Int64.random(in: .min ... .max, using: &random))
            #expect(playout.receive(media, bytes: Int.random(in: 0 ... .max, using: &random), at: at) >= at)
        }
    }
}
