import Datagrams
import Timebase
import Testing

@testable import PeerCore

@Suite("The handshake's last flight, where the viewer begins")
struct LastFlightTests {
    /// Datagrams of the handshake that left the sharer.
    private static func flights(_ pair: borrowing PeerPair) -> Int {
        pair.sharerDatagrams.count { $0.read(DatagramKind.init) == .handshake }
    }

    @Test("is sent again unasked where it gets lost: nobody waits for the viewer's timer", arguments: [0, 1, 2])
    func lost(times: Int) {
        var pair = PeerPair(seed: 2, repetition: .seconds(5), viewerBegins: true)
        pair.lastFlightsLost = times
        pair.run(for: .milliseconds(600))
        let areConnected = pair.bothAreConnected
        #expect(areConnected)
        #expect(pair.lastFlightsLost == 0, "else this tests nothing")
    }

    @Test("is not sent again once the viewer has encrypted something")
    func proven() {
        var pair = PeerPair(seed: 2, repetition: .seconds(5), viewerBegins: true)
        pair.run(for: .seconds(3))
        let sent = Self.flights(pair)
        pair.run(for: .seconds(3))
        #expect(Self.flights(pair) == sent)
        let isForgotten = pair.sharer.lastFlight == nil
        #expect(isForgotten)
    }

    @Test("is sent four times at most to who never has anything to say")
    func silent() {
        var pair = PeerPair(seed: 2, repetition: .seconds(60), viewerBegins: true)
        pair.lastFlightsLost = 100
        pair.run(for: .seconds(5))
        let (isConnected, isForgotten) = (pair.sharerIsConnected, pair.sharer.lastFlight == nil)
        #expect(isConnected && isForgotten)
        #expect(100 - pair.lastFlightsLost == 4)
    }
}
