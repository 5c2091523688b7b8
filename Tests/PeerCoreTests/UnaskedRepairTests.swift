import Datagrams
import PeerCore
import RTP
import TestSupport
import Testing
import Timebase

/// Viewers as browsers are: they tell what came, and take no repair packets.
@Suite("Repair without repair packets")
struct UnaskedRepairTests {
    private func share(loss: Double, delay: Duration = .milliseconds(25), asks: Bool = true) -> Share {
        var conditions = LinkConditions()
        conditions.loss = loss
        conditions.delay = delay
        // Who asks for nothing and tells each loss once has to be heard.
        if !asks { conditions.lossTo = PeerPair.address(2) }
        var pair = PeerPair(seed: 3, conditions: conditions, takesFlexFEC: false)
        pair.viewerAsksNothing = !asks
        return Share(pair)
    }

    @Test("what feedback says to be lost is sent again, though no request for it arrives")
    func requestsLost() {
        var share = share(loss: 0.05, asks: false)
        share.run(for: .seconds(20))
        #expect(share.unitsSent - share.pair.unitsReceived < 12)
        #expect(share.keyframes <= 2)
        #expect(share.pair.sharer.statistics.outgoing?.packetsReportedMissing == 0)
    }

    @Test("nothing is sent again where nothing gets lost")
    func clean() {
        var share = share(loss: 0)
        share.run(for: .seconds(10))
        #expect(share.pair.sharer.statistics.outgoing?.retransmissions == 0)
    }

    @Test("what is asked for is sent twice where a second round would take long, within an eighth of the pictures")
    func doubled() throws {
        var share = share(loss: 0.05)
        share.run(for: .seconds(20))
        let sent = try #require(share.pair.sharer.statistics.outgoing)
        #expect(Double(sent.retransmissions) > 1.5 * 0.05 * Double(sent.packetsSent))
        #expect(Double(sent.bytesRepaired) < 0.125 * Double(sent.bytesSent))
    }

    @Test("a near viewer is sent once what it asks for")
    func near() throws {
        var share = share(loss: 0.05, delay: .milliseconds(2))
        share.run(for: .seconds(20))
        let sent = try #require(share.pair.sharer.statistics.outgoing)
        #expect(Double(sent.retransmissions) < 1.25 * 0.05 * Double(sent.packetsSent))
    }
}

@Suite("How a film is to be shown")
struct PlayoutTests {
    /// The least delays that were told, in milliseconds, in order.
    private func told(_ pair: borrowing PeerPair) -> [Int] {
        let values = pair.sharerDatagrams.compactMap { datagram in
            datagram.read { span -> Int? in
                guard DatagramKind(span) == .rtp, let packet = try? RTPPacket(span), let block = packet.extensionBlock,
                    let extensions = try? HeaderExtensions(span, block, map: PeerPair.extensions)
                else { return nil }
                return extensions.playoutDelay.map { Int($0.minimum) * 10 }
            }
        }
        return values.reduce(into: []) { if $0.last != $1 { $0.append($1) } }
    }

    private func run(loss: Double, steady: Bool, takesFlexFEC: Bool = false, delay: Int = 25) -> [Int] {
        var conditions = LinkConditions()
        conditions.loss = loss
        conditions.delay = .milliseconds(delay)
        var share = Share(PeerPair(seed: 4, conditions: conditions, takesFlexFEC: takesFlexFEC))
        share.pair.sharer.setPlayout(PlayoutWish(prefersSteady: steady))
        share.run(for: .seconds(10))
        return told(share.pair)
    }

    @Test("where packets get lost it is held back by a round trip and the time to miss one")
    func lossy() {
        let told = run(loss: 0.05, steady: true)
        #expect(told.first == 0)
        #expect((70...90).contains(told.last ?? 0))
    }

    @Test("pages are shown at once; so is a film over a clean path, and to who takes repair packets")
    func atOnce() {
        #expect(run(loss: 0.05, steady: false) == [0])
        #expect(run(loss: 0, steady: true) == [0])
        #expect(run(loss: 0.05, steady: true, takesFlexFEC: true) == [0])
    }

    @Test("far away too; where a round trip takes longer than a satellite's, it is shown as it comes")
    func far() {
        let told = run(loss: 0.05, steady: true, delay: 200)
        #expect((420...440).contains(told.last ?? 0), "\(told)")
        #expect(run(loss: 0.05, steady: true, delay: 400) == [0])
    }

    @Test("what a transfer's queue loses as it overflows is no reason to show a film later still")
    func besideTransfer() {
        var conditions = LinkConditions()
        conditions.delay = .milliseconds(40)
        var share = Share(PeerPair(seed: 4, conditions: conditions, takesFlexFEC: false))
        share.pair.sharer.setPlayout(PlayoutWish(prefersSteady: true))
        share.run(for: .seconds(5))
        share.runBesideTransfer(seconds: 40)
        let told = told(share.pair)
        #expect(told == [0], "\(told)")
    }
}
