import Testing
import Timebase

@testable import PeerCore

@Suite("Rates that are believed in")
struct BelievedRateTests {
    @Test("of a viewer that only reports, what grew at rest since something was too much is told as believed in, not as known")
    func told() {
        var (now, path) = (LoneSender.start, LoneSender(bitsPerSecond: 4_000_000).path)
        var told: [PathState] = []
        for second in 0..<30 {
            let isTooMuch = second == 1
            for _ in 0..<5 {
                for _ in 0..<(isTooMuch ? 80 : 1) { path.sent([UInt8](repeating: 0, count: 1000), .video, at: now) }
                now += .milliseconds(200)
                path.measured(roundTrip: .milliseconds(isTooMuch ? 220 : 20), at: now)
            }
            if let news = path.news(audio: 0, backlog: 0, at: now) { told.append(news) }
        }
        #expect(told.first?.isProven == true && told.first?.isLimited == false)
        #expect(told.last?.isProven == false && told.last?.isLimited == false)
    }
}
