import RTP
import TestSupport
import Testing
import Timebase

@testable import PeerCore

@Suite("Copies of sound, and what they take of the path")
struct CopiesTests {
    private let start = Instant(nanoseconds: 1_000_000_000)

    /// What sound is said to take before and after a viewer has told of losses.
    private func rates(redundancy: UInt8?) -> (before: Int, after: Int) {
        var random: any RandomNumberGenerator & Sendable = SeededGenerator(seed: 1)
        let clock = WallClockAnchor(instant: start, ntp: NTPTimestamp(unixNanoseconds: 1_800_000_000_000_000_000))
        let pictures = SendParameters(
            payloadType: 102, ssrc: 1, retransmission: nil, canonicalName: "sharer", mid: nil, extensions: ExtensionMap(),
            bitsPerSecond: 4_000_000)
        var path = PathControl(pictures, random: &random, at: start)
        let parameters = AudioSendParameters(
            payloadType: 111, redundancyPayloadType: redundancy, ssrc: 2, canonicalName: "sharer", mid: "1",
            extensions: ExtensionMap())
        var sender = AudioSender(parameters, wallClock: clock, random: &random, at: start)
        var packets: Int64 = 0
        func send(_ count: Int) {
            for _ in 0..<count {
                let now = start + .milliseconds(20 * packets)
                sender.enqueue(
                    AudioUnit(
                        AudioUnit.Encodings(full: .init(bytes: [UInt8](repeating: 1, count: 240), isSilent: false)),
                        time: AudioTime(ticks: 960 * packets), capturedAt: now))
                packets += 1
                while sender.nextPacket(&path, at: now) != nil {}
            }
        }
        send(50)
        let before = sender.bitsPerSecond
        for report in 1...3 {
            _ = sender.handle(
                ReportBlock(
                    ssrc: 2, fractionLost: 26, cumulativeLost: 0, extendedHighestSequenceNumber: UInt32(50 * report),
                    jitter: 0, lastSenderReport: 0, delaySinceLastSenderReport: 0),
                at: start + .milliseconds(20 * packets))
            send(50)
        }
        return (before, sender.bitsPerSecond)
    }

    @Test("are counted where they are sent, and not where the viewer takes none")
    func counted() {
        let (plain, with) = (rates(redundancy: nil), rates(redundancy: 63))
        // The mean of their sizes settles.
        #expect(abs(plain.after - plain.before) * 10 < plain.before)
        #expect(with.before == plain.before && with.after > with.before * 3 / 2)
    }
}
