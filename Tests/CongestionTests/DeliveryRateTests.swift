import DequeModule
import Testing
import Timebase

@testable import Congestion

@Suite("What arrives of what is sent")
struct DeliveryRateTests {
    private func report(_ milliseconds: Int64) -> PacketReport {
        PacketReport(
            number: milliseconds, sentAt: .zero + .milliseconds(milliseconds), bytes: 1250,
            arrival: .milliseconds(milliseconds))
    }

    @Test("a packet a millisecond of 1250 bytes is 10 Mbit/s")
    func rate() {
        var delivery = DeliveryRate()
        delivery.observe((0..<1000).map(report))
        let rate = delivery.bitsPerSecond(over: .milliseconds(300)) ?? 0
        #expect(abs(rate - 10_000_000) < 100_000)
    }

    @Test("of a receiver whose clock stands still no more is kept than of a fast one, and nothing is made of it")
    func stuckClock() {
        var delivery = DeliveryRate()
        for _ in 0..<1000 { delivery.observe([PacketReport](repeating: report(5), count: 100)) }
        #expect(delivery.bitsPerSecond(over: .milliseconds(300)) == nil)
        let kept = Mirror(reflecting: delivery).children.compactMap { ($0.value as? any Collection)?.count }
        #expect(kept == [Limits.deliveredPackets])
        delivery.observe((6..<1000).map(report))
        #expect((delivery.bitsPerSecond(over: .milliseconds(300)) ?? 0) > 9_000_000)
    }

    @Test("a receiver's clock that is set back makes nothing of what comes", arguments: [1, 5, 25] as [Int64])
    func clockSetBack(seconds: Int64) {
        var delivery = DeliveryRate()
        delivery.observe((0..<1000).map(report))
        for number in 1000..<2000 as Range<Int64> {
            var late = report(number)
            late.arrival = .milliseconds(number - 1000 * seconds)
            delivery.observe([late])
            let rate = delivery.bitsPerSecond(over: .milliseconds(500)) ?? 0
            #expect(rate < 10_500_000, "\(rate) bit/s after \(number - 1000) ms")
        }
    }
}
