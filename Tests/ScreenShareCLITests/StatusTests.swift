import Testing
@testable import ScreenShare
@testable import ScreenShareCLI

@Suite("What host and view say of how things stand")
struct StatusTests {
    @Test("a log gets what has changed, one line in ten seconds at most")
    func log() {
        let begin = ContinuousClock.now
        var log = StatusLog()
        let taken = [(0, "a"), (1, "a"), (2, "b"), (9, "c"), (10, "d"), (30, "d"), (31, "e")].filter { second, text in
            log.takes(text, at: begin + .seconds(second))
        }
        #expect(taken.map { $0.0 } == [0, 10, 31])
    }

    private static let rates = HostRates(framesPerSecond: 30, bitsPerSecond: 2_100_000, cpu: 0.09, residentBytes: 0)

    private func statistics(viewers: Int, width: Int) -> ShareStatistics {
        let viewer = ViewerStatistics(
            viewer: "viewer-1", isConnected: true, roundTripTime: nil, lossFraction: 0, packetsSent: 0, bytesSent: 0,
            retransmissions: 0, keyframeRequests: 0, bytesRepaired: 0, availableBitrate: nil, queueDelay: nil,
            isMarkable: false, congestionMarks: 0)
        return ShareStatistics(
            state: .live, width: width, height: width, pictures: 0, framesEncoded: 0, keepalives: 0, framesDropped: 0,
            keyframes: 0, encodedBytes: 0, lanes: 0, quantiser: 0, preset: .ultrafast, content: nil, cadence: nil,
            datagramsRefused: 0, sound: [:], viewers: Array(repeating: viewer, count: viewers))
    }

    @Test("where nobody watches there are no rates, and before the first picture no size")
    func nobody() {
        #expect(statistics(viewers: 0, width: 0).statusLine(Self.rates) == "live · 0 viewers")
        #expect(statistics(viewers: 0, width: 640).statusLine(Self.rates) == "live · 0 viewers")
        let joining = statistics(viewers: 1, width: 0).statusLine(Self.rates)
        #expect(joining == "live · 1 viewer · 30.0 fps · 2.10 Mbit/s · CPU 9 % · loss 0.0 %")
    }

    @Test("who is watched is told of size and rates")
    func watched() {
        let line = statistics(viewers: 2, width: 640).statusLine(Self.rates)
        #expect(line == "live · 2 viewers · 640x640 · 30.0 fps · 2.10 Mbit/s · CPU 9 % · loss 0.0 %")
    }
}
