import Datagrams
import Testing
import Timebase

@testable import ICE

@Suite("Who has a channel, and when a relay is asked")
struct RelayBoundsTests {
    private func at(_ milliseconds: Int64) -> Instant { .zero + .milliseconds(milliseconds) }

    @Test("of too many peers without a channel the one makes room that nothing was sent to for longest")
    func channels() {
        var table = ChannelTable()
        let peers = (0...Limits.channels).map { TransportAddress(ip: .v4(0x0B00_0000 + UInt32($0)), port: 4000) }
        for (index, peer) in peers.dropLast().enumerated() { _ = table.use(peer, at: at(Int64(index))) }
        // The first is used again: the second has rested for longest.
        _ = table.use(peers[0], at: at(10_000))
        _ = table.use(peers[Limits.channels], at: at(10_001))
        #expect(table[peers[1]] == nil)
        #expect([peers[0], peers[2], peers[Limits.channels - 1], peers[Limits.channels]].allSatisfy { table[$0] != nil })
    }

    @Test("a server from which nothing comes is asked after a second, and then each five seconds, however much is sent")
    func silentServer() {
        var watch = ServerWatch(.udp, at: .zero)
        var asked: [Int64] = []
        for step in 0...160 as ClosedRange<Int64> where watch.sent(at: at(step * 100)) {
            asked.append(step * 100)
            watch.asked(at: at(step * 100))
        }
        #expect(asked == [1_000, 6_000, 11_000, 16_000])
    }
}
