import Testing

@testable import PeerCore
@testable import ScreenShare

@Suite("What an embedder is told of a viewer")
struct ViewerStatisticsTests {
    /// No two figures alike.
    private var outgoing: OutgoingStatistics {
        var outgoing = OutgoingStatistics()
        outgoing.packetsSent = 2
        outgoing.bytesSent = 3
        outgoing.retransmissions = 5
        outgoing.bytesRepaired = 7
        outgoing.packetsReportedMissing = 11
        outgoing.keyframeRequests = 13
        outgoing.unitsDropped = 17
        outgoing.lossFraction = 0.25
        outgoing.roundTripTime = .milliseconds(19)
        return outgoing
    }

    @Test("each figure is what its name says")
    func names() {
        let path = PathStatistics(
            target: 23, capacity: 29, queueDelay: .milliseconds(31), loss: 0.5, isMarkable: true, congestionMarks: 37)
        let told = ViewerStatistics(
            "viewer-1",
            PeerStatistics(
                isConnected: true, outgoing: outgoing, incoming: nil, path: path, roundTripTime: .milliseconds(41)))
        #expect(told.viewer == "viewer-1" && told.isConnected && told.isMarkable)
        #expect(told.roundTripTime == .milliseconds(19) && told.queueDelay == .milliseconds(31))
        #expect(told.lossFraction == 0.25)
        #expect(told.packetsSent == 2 && told.bytesSent == 3)
        #expect(told.retransmissions == 5 && told.bytesRepaired == 7)
        #expect(told.keyframeRequests == 13 && told.congestionMarks == 37)
        #expect(told.availableBitrate == 23)
    }

    @Test("before it is sent pictures its round trip is that of ICE, and nothing is known of its path")
    func connecting() {
        let told = ViewerStatistics(
            "viewer-2",
            PeerStatistics(isConnected: false, outgoing: nil, incoming: nil, path: nil, roundTripTime: .milliseconds(41)))
        #expect(!told.isConnected && !told.isMarkable)
        #expect(told.roundTripTime == .milliseconds(41))
        #expect(told.availableBitrate == nil && told.queueDelay == nil)
        #expect(told.packetsSent == 0 && told.bytesSent == 0)
    }
}
