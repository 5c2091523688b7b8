import Testing
import Timebase

@Suite("Audio time: ticks of 48 kHz")
struct AudioTimeTests {
    @Test("Packets of 20 ms are 960 ticks and 20 ms apart, after years too")
    func exact() {
        for index in [0, 1, 7, 50 * 3600 * 24 * 365] as [Int64] {
            let time = AudioTime(ticks: index * 960)
            #expect(time.elapsed == .milliseconds(20 * index))
            #expect(AudioTime(elapsed: time.elapsed) == time)
        }
    }

    @Test("A time between two ticks is the earlier one")
    func between() {
        #expect(AudioTime(elapsed: .nanoseconds(20_833)).ticks == 0)
        #expect(AudioTime(elapsed: .nanoseconds(20_834)).ticks == 1)
        #expect(AudioTime(ticks: 1) < AudioTime(ticks: 2) && AudioTime(ticks: 1) + 959 == AudioTime(ticks: 960))
    }
}
