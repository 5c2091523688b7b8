import NIOConcurrencyHelpers
import SystemClock
import Testing
import Timebase
import VideoCodec
@testable import ScreenShare

@Suite("How hard the encoder tries")
struct EncoderEffortTests {
    /// A share of thirty pictures a second on which each is looked at before its slot, and encoded in it.
    private struct Machine {
        private static let period = Duration.microseconds(33_333)
        var effort: EncoderEffort
        private var work = PictureWork()
        private var now = Instant.zero + .seconds(10)

        init(_ preset: X264Configuration.Preset) { effort = EncoderEffort(preset) }

        mutating func run(pictures: Int, looks: Duration, encoding: Duration) {
            for _ in 0..<pictures {
                work.looked(for: looks)
                let begun = now + looks
                let ended = begun + encoding
                let ahead = work.take(begun: begun, ended: ended, period: Self.period)
                _ = effort.spent(ahead + encoding, of: Self.period, at: ended)
                now = max(ended, now + Self.period)
            }
        }
    }

    @Test("a picture that is late because it is looked at before its slot gets a smaller preset, as one read in it")
    func late() {
        var machine = Machine(.medium)
        machine.run(pictures: 60, looks: .zero, encoding: .milliseconds(24))
        #expect(machine.effort.preset == .medium)
        machine.run(pictures: 30, looks: .milliseconds(19), encoding: .milliseconds(24))
        #expect(machine.effort.preset < .medium)
    }

    @Test("there is no room for a larger preset where looks take it")
    func noRoom() {
        var machine = Machine(.superfast)
        machine.run(pictures: 8, looks: .milliseconds(19), encoding: .milliseconds(24))
        #expect(machine.effort.preset == .ultrafast)
        machine.run(pictures: 600, looks: .milliseconds(8), encoding: .milliseconds(12))
        #expect(machine.effort.preset == .ultrafast)
        machine.run(pictures: 600, looks: .zero, encoding: .milliseconds(12))
        #expect(machine.effort.preset == .superfast)
    }

    @Test("looks at what stands still for a second count by the period, not all with the picture behind them")
    func spread() {
        var work = PictureWork()
        let begin = Instant.zero + .seconds(10)
        _ = work.take(begun: begin, ended: begin, period: .milliseconds(40))
        for _ in 0..<60 { work.looked(for: .milliseconds(5)) }
        let next = begin + .seconds(1)
        let ahead = work.take(begun: next, ended: next, period: .milliseconds(40))
        #expect(ahead > .microseconds(11_999) && ahead < .microseconds(12_001))
        let again = work.take(begun: next, ended: next, period: .milliseconds(40))
        #expect(again == .zero)
    }

    @Test("what is read, compared and converted before its slot is work on a picture")
    func lookedAt() throws {
        let line = try MediaLine.threadless()
        try line.lookFirst(at: SystemClock.now() - .seconds(1), until: .distantFuture)
        let now = SystemClock.now()
        let ahead = line.work.take(begun: now, ended: now, period: now - .zero)
        #expect(line.isLookedAt && ahead > .zero)
    }

    @Test("the share's preset goes by that work as well")
    func stepsDown() throws {
        let told = NIOLockedValueBox<[X264Configuration.Preset]>([])
        let line = try MediaLine.threadless { event in
            if case .preset(let preset) = event { told.withLockedValue { $0.append(preset) } }
        }
        for _ in 0..<8 {
            line.work.looked(for: .seconds(1))
            line.keepUp(since: SystemClock.now())
        }
        #expect(told.withLockedValue { $0 } == [.minimal])
        #expect(line.counters.now.preset == .minimal)
    }

    /// As where the others' picture takes no time and slower viewers' so long.
    private func encode(on line: MediaLine, slower: Duration, pictures: Int) {
        for _ in 0..<pictures {
            let begun = SystemClock.now() - slower
            line.ownEnd = begun
            line.keepUp(since: begun)
        }
    }

    @Test("slower viewers' preset is told once where it is another than the share's, and not where that comes to be theirs")
    func slower() throws {
        let told = NIOLockedValueBox<[String]>([])
        let line = try MediaLine.threadless { event in
            switch event {
            case .preset(let preset): told.withLockedValue { $0.append(preset.rawValue) }
            case .notice(let text): told.withLockedValue { $0.append(text) }
            default: break
            }
        }
        encode(on: line, slower: .seconds(1), pictures: 16)
        let notice = "Slower viewers' pictures are encoded with preset minimal now."
        #expect(told.withLockedValue { $0 } == [notice])
        #expect(line.counters.now.preset == nil, "the share's own stays")
        for _ in 0..<8 {
            line.ownEnd = SystemClock.now()
            line.keepUp(since: SystemClock.now() - .seconds(1))
        }
        #expect(told.withLockedValue { $0 } == [notice, "minimal"], "all have it now")
    }
}
