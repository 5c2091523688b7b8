import Datagrams
import RTP
import Testing
import Timebase

@testable import PeerCore

@Suite("When a viewer tells what came")
struct FeedbackTimeTests {
    private var reporter = FeedbackReporter(tellsTwice: true)
    private let parameters = ReceiveParameters(
        payloadTypes: [102], retransmissionPayloadTypes: [], extensions: PeerPair.extensions, ssrc: 9,
        canonicalName: "viewer")
    private var now = Instant(nanoseconds: 5_000_000_000)
    private var number: UInt16 = 10

    /// Packets some time apart, of which every `lost`th is, for some seconds; when reports leave, in milliseconds.
    private mutating func receive(
        for seconds: Int, losing lost: UInt16? = nil, every milliseconds: Int64 = 4, bytes: Int = 1000
    ) -> [Int64] {
        var times: [Int64] = []
        let end = now + .seconds(seconds)
        while now < end {
            now += .milliseconds(1)
            if now.nanoseconds / 1_000_000 % milliseconds == 0 {
                number &+= 1
                let isLost = lost.map { number % $0 == 0 } ?? false
                if !isLost { reporter.receive(Self.packet(number, bytes), .notCapable, parameters, at: now) }
            }
            times += tell()
        }
        return times
    }

    private mutating func tell() -> [Int64] {
        let reports = reporter.makeFeedback(senderSSRC: 9, ntp: NTPTimestamp(bits: 0), at: now)
        return reports.isEmpty ? [] : [now.nanoseconds / 1_000_000]
    }

    /// Thirty pictures a second of ten packets, so far apart; when reports leave.
    private mutating func watch(for seconds: Int, apart distance: Duration) -> [Int64] {
        var times: [Int64] = []
        for picture in 0..<UInt32(seconds * 30) {
            let next = now + .nanoseconds(33_333_333)
            for _ in 0..<10 {
                number &+= 1
                reporter.receive(Self.packet(number, 1000, picture), .notCapable, parameters, at: now)
                times += tell()
                now += distance
            }
            while now < next {
                now += .milliseconds(1)
                times += tell()
            }
            now = next
        }
        return times
    }

    @Test("pictures that come all at once are told of 14 times a second, and 25 as soon as they take time")
    mutating func room() {
        _ = watch(for: 4, apart: .microseconds(200))
        let roomy = watch(for: 4, apart: .microseconds(200)).count
        // Every other or third picture, the moment it is complete.
        #expect((44...61).contains(roomy), "\(roomy)")
        let narrow = watch(for: 4, apart: .milliseconds(2)).count
        #expect((90...121).contains(narrow), "\(narrow)")
        _ = watch(for: 3, apart: .microseconds(200))
        #expect((44...61).contains(watch(for: 4, apart: .microseconds(200)).count))
    }

    private static func packet(_ number: UInt16, _ count: Int, _ timestamp: UInt32 = 0) -> [UInt8] {
        var bytes: [UInt8] = []
        var extensions = HeaderExtensions()
        extensions.transportSequenceNumber = number
        RTPHeader(marker: false, payloadType: 102, sequenceNumber: number, timestamp: timestamp, ssrc: 1)
            .append(to: &bytes, extensions: extensions, map: PeerPair.extensions)
        return bytes + [UInt8](repeating: 1, count: count)
    }

    @Test("25 times a second, at first sooner, and sooner again where packets get lost and for five seconds after")
    mutating func interval() {
        let first = receive(for: 1).count
        #expect((55...70).contains(first), "\(first)")
        _ = receive(for: 1)
        let calm = receive(for: 4).count
        #expect((98...102).contains(calm), "\(calm)")
        _ = receive(for: 2, losing: 20)
        let lossy = receive(for: 2, losing: 20).count
        #expect((120...135).contains(lossy), "\(lossy)")
        // The share of losses is smoothed: it falls below a hundredth within two seconds.
        #expect((120...135).contains(receive(for: 2).count))
        _ = receive(for: 6)
        #expect((48...52).contains(receive(for: 2).count))
    }

    @Test("sound alone is told of 14 times a second, a picture beside it without delay")
    mutating func quiet() {
        _ = receive(for: 2)
        let quiet = receive(for: 4, every: 20, bytes: 200).count
        #expect((53...58).contains(quiet), "\(quiet)")
        let last = receive(for: 1, every: 20, bytes: 200).last ?? 0
        // As soon as 40 ms have gone by since the last report, and 5 ms since the picture came.
        now += .milliseconds(max(0, last + 30 - now.nanoseconds / 1_000_000))
        let began = now.nanoseconds / 1_000_000
        let first = receive(for: 1, every: 1).first
        #expect(first.map { ($0 - began) <= 16 } == true)
    }

    @Test("one run of lost packets is reason enough to tell more often, a single one is not")
    mutating func runs() {
        _ = receive(for: 3)
        number &+= 1
        #expect((24...26).contains(receive(for: 1).count))
        number &+= 5
        let lossy = receive(for: 1).count
        #expect((60...68).contains(lossy), "\(lossy)")
    }

    /// Small packets far apart, for some seconds; how many reports leave in a second.
    private mutating func rest(for seconds: Int, every milliseconds: Int64) -> Int {
        receive(for: seconds, every: milliseconds, bytes: 200).count / seconds
    }

    @Test("an outage of a second is no habit: where little comes behind it, it is soon told of as before")
    mutating func outage() {
        _ = receive(for: 3)
        number &+= 60
        _ = rest(for: 12, every: 500)
        #expect(rest(for: 6, every: 500) <= 3)
    }

    @Test("where packets get lost and little comes, no more is told again than a few times for each")
    mutating func little() {
        _ = receive(for: 3, losing: 20)
        let reports = rest(for: 4, every: 100)
        #expect((20...80).contains(reports), "\(reports)")
    }

    @Test("packets that overtake others are no sign of loss")
    mutating func overtaken() {
        _ = receive(for: 4)
        for _ in 0..<5 {
            for step in [6, 1, 2, 3, 4, 5] as [UInt16] {
                reporter.receive(Self.packet(number &+ step, 1000), .notCapable, parameters, at: now)
            }
            number &+= 6
            now += .milliseconds(20)
            _ = tell()
        }
        let calm = receive(for: 2).count
        #expect((46...54).contains(calm), "\(calm)")
    }

    @Test("where packets get lost, what was told last is told again if nothing follows it, more often as soon as a picture is due")
    mutating func repeats() {
        _ = receive(for: 3, losing: 20)
        let silence = (0..<600).flatMap { _ -> [Int64] in
            now += .milliseconds(1)
            return tell()
        }
        #expect((27...28).contains(silence.count), "\(silence)")
        let pauses = zip(silence, silence.dropFirst()).map { $1 - $0 }
        #expect(pauses.suffix(23).allSatisfy { $0 == 5 } && pauses.prefix(3).allSatisfy { $0 >= 15 }, "\(pauses)")
        #expect(reporter.due == nil)
    }
}
