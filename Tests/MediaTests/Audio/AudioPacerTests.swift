import Media
import Testing
import Timebase

@Suite("Audio pacer: an even grid on the monotonic clock")
struct AudioPacerTests {
    @Test("One packet each 20 ms, 960 ticks apart, without drift after an hour")
    func even() {
        var pacer = AudioPacer(packetFrames: 960, start: at(7))
        #expect(pacer.due == at(7) && pacer.takeDue(at: at(6)) == nil)
        for index in 0..<Int64(180_000) {
            #expect(pacer.due == at(7 + 20 * index))
            let early = pacer.takeDue(at: pacer.due - .nanoseconds(1))
            let time = pacer.takeDue(at: pacer.due)
            guard early == nil, time?.ticks == 960 * index else {
                Issue.record("packet \(index)")
                return
            }
        }
    }

    @Test("Packets of 10 ms are 480 ticks apart")
    func short() {
        var pacer = AudioPacer(packetFrames: 480, start: .zero)
        let times = take(&pacer, at: at(35))
        #expect(times == [0, 480, 960, 1440] && pacer.due == at(40))
    }

    @Test("Who wakes 100 ms late catches up without leaving a packet out")
    func late() {
        var pacer = AudioPacer(packetFrames: 960, start: .zero)
        #expect(take(&pacer, at: at(0)) == [0])
        #expect(take(&pacer, at: at(120)) == [960, 1920, 2880, 3840, 4800, 5760])
        #expect(take(&pacer, at: at(139)) == [] && take(&pacer, at: at(140)) == [6720])
    }

    @Test("Who was away for minutes goes on from the present, on the grid and in step with the clock")
    func suspended() {
        var pacer = AudioPacer(packetFrames: 960, start: at(3))
        _ = take(&pacer, at: at(3))
        let times = take(&pacer, at: at(3 + 300_015))
        #expect(times == [960 * 15_000])
        #expect(pacer.due == at(3 + 300_020))
    }

    @Test("Who begins later than time zero owes nothing from before, and is on the grid")
    func beginsLater() {
        var pacer = AudioPacer(packetFrames: 960, start: at(3), from: at(3 + 117))
        #expect(pacer.due == at(3 + 120) && take(&pacer, at: at(3 + 119)) == [])
        #expect(take(&pacer, at: at(3 + 140)) == [5760, 6720])
        #expect(AudioPacer(packetFrames: 480, start: at(3), from: at(23)).due == at(23))
        #expect(AudioPacer(packetFrames: 480, start: at(3), from: at(1)).due == at(3))
    }

    private func at(_ milliseconds: Int64) -> Instant { .zero + .milliseconds(milliseconds) }

    private func take(_ pacer: inout AudioPacer, at now: Instant) -> [Int64] {
        var times: [Int64] = []
        while let time = pacer.takeDue(at: now) { times.append(time.ticks) }
        return times
    }
}
