import Testing
import Timebase

@testable import Congestion

@Suite("How long a peer keeps what it has to tell")
struct HoldingTimeTests {
    /// What is told in one moment, by its arrivals in milliseconds.
    private func allowance(_ arrivals: [Int64]) -> Duration {
        var holding = HoldingTime()
        let reports = arrivals.enumerated().map { index, arrival in
            PacketReport(number: Int64(index), sentAt: .zero, bytes: 1200, arrival: .milliseconds(arrival))
        }
        holding.observe(reports, at: .zero + .seconds(2))
        return holding.allowance
    }

    @Test("from the first arrival that it tells of in one moment to the last")
    func held() {
        #expect(allowance(Array(stride(from: 0, through: 900, by: 30))) == .milliseconds(2 * 870))
        #expect(allowance([0, 30, 60]) == .zero, "who tells soon is not waited for")
    }

    @Test("a hole in what came is an outage's, and none of it")
    func outage() {
        #expect(allowance([0, 30, 60, 900, 930, 960]) == .zero)
    }
}
