import Congestion
import RTP
import TestSupport
import Testing
import Timebase

@testable import PeerCore

/// A path that a viewer tells of, packet by packet.
@Suite("What follows from feedback on packets")
struct ToldPathTests {
    private static let parameters = SendParameters(
        payloadType: 102, ssrc: 1, retransmission: .init(payloadType: 103, ssrc: 2), canonicalName: "sharer", mid: nil,
        extensions: PeerPair.extensions, bitsPerSecond: 40_000_000, givesTransportFeedback: true)
    private var random: any RandomNumberGenerator & Sendable = SeededGenerator(seed: 3)
    private var path: PathControl
    private var now = LoneSender.start
    private var recorder = TransportFeedbackRecorder()

    init() { path = PathControl(Self.parameters, random: &random, at: now) }

    private mutating func leave(bytes: Int = 1200) -> UInt16? {
        let number = path.takeNumber(PeerPair.extensions)
        path.sent([UInt8](repeating: 0, count: bytes), .video, at: now)
        return number
    }

    /// So many leave in a fifth of a second, too far apart to be trains, and come after 20 ms and the queue; they are told of
    /// together, behind the last.
    private mutating func send(_ packets: Int, losing: Int = 0, queue: Duration = .zero) {
        let end = now + .milliseconds(200)
        for index in 0..<packets {
            if let number = leave(), index >= losing {
                recorder.receive(transportSequenceNumber: number, at: now + .milliseconds(20) + queue)
            }
            now += .milliseconds(7)
        }
        now = end
        for feedback in recorder.makeFeedback(senderSSRC: 9, mediaSSRC: 1) {
            _ = path.receive(feedback, at: end + queue)
        }
    }

    @Test("a packet takes its IP and UDP headers' room on the path as well")
    mutating func headers() {
        _ = leave(bytes: 1000)
        #expect(path.estimator.bytesInFlight == 1028)
    }

    @Test("an idle path is measured, unless something stands in its queue")
    mutating func probes() {
        for _ in 0..<5 { send(10) }
        #expect(path.probeDue != nil)
        for _ in 0..<3 { send(10, queue: .milliseconds(50)) }
        #expect(path.probeDue == nil)
    }

    @Test("what gets lost takes a quarter of the pictures' rate at most: the rest of it is no encoder's to mend")
    mutating func heavyLoss() throws {
        for _ in 0..<20 { send(20, losing: 10) }
        #expect(path.estimator.loss > 0.4)
        let news = path.news(audio: 0, backlog: 0, at: now)
        let state = try #require(news)
        let expected = Double(path.estimator.target) * 0.75 * 0.95
        #expect(abs(Double(state.bitsPerSecond) - expected) < 2, "\(state.bitsPerSecond) of \(path.estimator.target)")
    }

    @Test("pictures that wait for a full window wait for a queue, be they few")
    mutating func fullWindow() {
        for _ in 0..<5 { send(10) }
        while path.mayLeave(at: now) != nil { _ = leave() }
        let told = [100, 0].map { path.news(audio: 0, backlog: $0, at: now)?.isCongested }
        #expect(told == [true, false])
    }

    @Test("until feedback comes, a queue that round trips tell of has pictures wait as it does where none ever comes")
    mutating func untilFeedback() {
        for _ in 0..<100 {
            now += .milliseconds(10)
            _ = leave(bytes: 40_000)
        }
        path.measured(roundTrip: .milliseconds(50), at: now)
        for _ in 0..<2 { path.measured(roundTrip: .milliseconds(650), at: now) }
        #expect(path.mayLeave(at: now) == now + .milliseconds(500))
    }

    @Test("what there was no room for, and is sent again because it is asked for once more, is owed no longer")
    mutating func askedOnceMore() {
        for _ in 0..<5 { send(10) }
        var repairs = RepairSender(Self.parameters, nextNumber: 100, random: &random)
        var video = SyntheticVideo()
        let unit = video.next(keyframe: false, size: 1000, capturedAt: now)
        repairs.sent(unit, 0, as: 100, bytes: 1100, path, at: now)
        repairs.owe([100], .noRoom, at: now)
        #expect(repairs.owed.count == 1)
        repairs.answer([100], path, checkRoundTrip: .milliseconds(40), pace: 10_000_000, at: now)
        #expect(repairs.isWaiting && repairs.owed.isEmpty)
    }
}
