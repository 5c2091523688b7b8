import Datagrams
import RTP
import Testing
import Timebase

@testable import PeerCore

@Suite("Feedback that is told twice")
struct RepeatedFeedbackTests {
    private let parameters = ReceiveParameters(
        payloadTypes: [102], retransmissionPayloadTypes: [], extensions: PeerPair.extensions, ssrc: 9,
        canonicalName: "viewer")

    private static func packet(_ number: UInt16) -> [UInt8] {
        var bytes: [UInt8] = []
        var extensions = HeaderExtensions()
        extensions.transportSequenceNumber = number
        RTPHeader(marker: false, payloadType: 102, sequenceNumber: number, timestamp: 0, ssrc: 1)
            .append(to: &bytes, extensions: extensions, map: PeerPair.extensions)
        return bytes + [UInt8](repeating: 1, count: 1000)
    }

    /// Five pictures of twenty packets, of which two are lost, with nothing for 300 ms behind each; the numbers that are
    /// told of, as often as they are.
    private func told(twice: Bool) -> [UInt16] {
        var reporter = FeedbackReporter(tellsTwice: twice)
        var told: [UInt16] = []
        var now = Instant(nanoseconds: 5_000_000_000)
        for picture in 0..<5 as Range<UInt16> {
            for index in 0..<20 as Range<UInt16> where ![7, 8].contains(index) {
                reporter.receive(Self.packet(20 * picture + index), .notCapable, parameters, at: now)
            }
            for _ in 0..<300 {
                now += .milliseconds(1)
                let reports = reporter.makeFeedback(senderSSRC: 9, ntp: NTPTimestamp(bits: 0), at: now)
                for case .transportFeedback(let feedback) in reports.flatMap({ $0.read { (try? RTCPPacket.packets($0)) ?? [] } }) {
                    told += (0..<feedback.statusCount).map { feedback.baseSequenceNumber &+ $0 }
                }
            }
        }
        return told
    }

    @Test("a sharer of another make, which reckons each telling as a loss of its own, is told of each packet once")
    func others() { #expect(told(twice: false) == Array(0..<100)) }

    @Test("a sharer of our kind, to whom a lost report is a loss of time, is told twice and more")
    func own() {
        let told = told(twice: true)
        #expect(Set(told) == Set(0..<100) && told.count > 200, "\(told.count)")
    }
}
