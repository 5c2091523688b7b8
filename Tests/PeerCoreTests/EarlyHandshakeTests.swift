import Testing

@testable import PeerCore

@Suite("A handshake that comes before the answer")
struct EarlyHandshakeTests {
    @Test("is kept, and goes on as soon as the answer is there: nobody waits until it is repeated")
    func kept() {
        var pair = PeerPair(seed: 2, repetition: .seconds(5), tellsViewer: false)
        pair.run(for: .milliseconds(200))
        let isHere = !pair.viewer.earlyHandshake.isEmpty
        #expect(isHere, "else this tests nothing")
        pair.tellViewer()
        pair.run(for: .milliseconds(300))
        let areConnected = pair.bothAreConnected
        #expect(areConnected)
    }
}
