import RTP
import Testing
import Timebase

@testable import PeerCore
@testable import ScreenShare

@Suite("A reader that lags")
struct ReaderLagTests {
    @Test("A keyframe is asked for until one has found room, every five seconds")
    func asksAgain() {
        var lag = ReaderLag()
        #expect(lag.takes(isKeyframe: false))
        let asksAtOnce = lag.leftOut(at: .zero, taken: 0)
        #expect(asksAtOnce)
        #expect(!lag.takes(isKeyframe: false))
        // The keyframe that was asked for finds no room either.
        #expect(lag.takes(isKeyframe: true))
        let asksSoon = lag.leftOut(at: .zero + .milliseconds(100), taken: 1)
        #expect(!asksSoon)
        var asked = 0
        for picture in 0..<300 {
            if lag.leftOut(at: .zero + .milliseconds(200 + picture * 50), taken: 2 + picture) { asked += 1 }
        }
        #expect(asked == 3)
        lag.handedOver(bytes: 1000)
        #expect(lag.takes(isKeyframe: false))
    }

    @Test("One that lags again right after its keyframe is not left without the next")
    func lagsAgain() {
        var lag = ReaderLag()
        let asksAtOnce = lag.leftOut(at: .zero, taken: 0)
        #expect(asksAtOnce)
        lag.handedOver(bytes: 1000)
        let soon = lag.leftOut(at: .zero + .seconds(1), taken: 1)
        let later = lag.leftOut(at: .zero + .seconds(6), taken: 1)
        #expect(!soon)
        #expect(later)
    }

    @Test("One that takes nothing, as a player that pauses, is asked for once, and again when it goes on")
    func pauses() {
        var lag = ReaderLag()
        var asked: [Int] = []
        for second in 0..<600 where lag.leftOut(at: .zero + .seconds(second), taken: second < 300 ? 7 : 8) {
            asked.append(second)
        }
        #expect(asked == [0, 300])
    }

    @Test("What waits for it is bounded in number, and in bytes too where a sharer sends nothing but huge pictures")
    func bounds() {
        func waiting(bytes: Int, taken: Int) -> Int {
            var (lag, count) = (ReaderLag(), 0)
            while count < 1000, lag.hasRoom(for: 1, bytes: bytes, taken: min(count, taken)) {
                lag.handedOver(bytes: bytes)
                count += 1
            }
            return count - taken
        }
        for taken in [0, 1, 100] {
            // At 100 Mbit/s and 30 pictures a second.
            #expect(waiting(bytes: 420_000, taken: taken) == ViewLimits.units)
            #expect(waiting(bytes: 4 << 20, taken: taken) == ViewLimits.unreadBytes >> 22)
            // Whatever its size, one is handed over.
            #expect(waiting(bytes: 2 * ViewLimits.unreadBytes, taken: taken) == 1)
        }
    }

    @Test("What it takes is counted, not what waits for it")
    func counts() async {
        let count = ReadCount()
        let (unread, sink) = AsyncStream.makeStream(of: Int.self, bufferingPolicy: .bufferingOldest(2))
        let numbers = unread.counted(by: count)
        for number in 1...3 { sink.yield(number) }
        #expect(count.value == 0)
        var iterator = numbers.makeAsyncIterator()
        let first = await iterator.next()
        #expect(first == 1)
        #expect(count.value == 1)
        sink.finish()
        var rest: [Int] = []
        while let number = await iterator.next() { rest.append(number) }
        #expect(rest == [2])
        #expect(count.value == 2)
    }
}

@Suite("The end of recorded sound")
struct LastSoundTests {
    @Test("What has come and is held back belongs to the recording")
    func rest() {
        var sound = ViewAudio(decoder: nil)
        sound.holdBack = .milliseconds(300)
        // 20 ms of silence in stereo: a packet of one frame (RFC 6716 § 3.1).
        let packet: [UInt8] = [0xFC, 0xFF, 0xFE]
        var heard = 0
        for index in 0..<50 {
            let now = Instant.zero + .milliseconds(index * 20)
            sound.receive(
                ReceivedAudio(
                    bytes: packet, copies: [], sequenceNumber: Int64(index), timestamp: Int64(index) * 960,
                    capturedAt: nil, receivedAt: now))
            while sound.next(at: now) != nil { heard += 1 }
        }
        let rest = sound.rest()
        #expect(heard < 50)
        #expect(rest.count > 0)
        #expect(rest.last?.position == Int64(49 * 960))
        #expect(rest.last?.opus == packet)
        let nothing = sound.rest()
        #expect(nothing.isEmpty)
    }

    /// Frames of 20 ms that come without delay.
    private func receive(_ index: Int, after pause: Int = 0, captured: NTPTimestamp? = nil, in sound: inout ViewAudio) {
        let now = Instant.zero + .milliseconds((index + pause) * 20)
        sound.receive(
            ReceivedAudio(
                bytes: [0xFC, 0xFF, 0xFE], copies: [], sequenceNumber: Int64(index), timestamp: Int64(index + pause) * 960,
                capturedAt: captured, receivedAt: now))
    }

    @Test("So does what came right behind a pause, though it is due later than the pause says")
    func behindPause() {
        var sound = ViewAudio(decoder: nil)
        for index in 0..<20 {
            receive(index, in: &sound)
            while sound.next(at: .zero + .milliseconds(index * 20)) != nil {}
        }
        while sound.next(at: .zero + .seconds(2)) != nil {}
        sound.holdBack = .milliseconds(300)
        for index in 20..<25 { receive(index, after: 80, in: &sound) }
        let rest = sound.rest()
        #expect(rest.compactMap(\.opus).count == 5)
        #expect(rest.last?.position == 99_840)
    }

    @Test("A stop before its place is known tells the place of what was handed over without")
    func early() {
        var sound = ViewAudio(decoder: nil)
        let begin = NTPTimestamp(bits: 1 << 60)
        sound.see(captured: begin, timestamp: 0, shownAt: .zero)
        var early: [AudioPiece] = []
        for index in 0..<10 {
            receive(index, captured: begin.advanced(by: .milliseconds(index * 20)), in: &sound)
            while let next = sound.next(at: .zero + .milliseconds(index * 20 + 15)) { early.append(next.piece) }
        }
        #expect(early.count == 10 && early.allSatisfy { $0.timestamp == nil })
        let rest = sound.rest()
        #expect(rest.map(\.frames) == [0])
        #expect(rest.map(\.position) == [9600] && rest.map(\.timestamp) == [9600])
    }

    @Test("Also where nothing has told it: it belongs to the pictures that are shown while it is heard", arguments: [false, true])
    func untold(waits: Bool) throws {
        var sound = ViewAudio(decoder: nil, waitsForMissing: waits)
        sound.see(captured: nil, timestamp: 0, shownAt: .zero)
        for index in 0..<10 {
            receive(index, in: &sound)
            while let next = sound.next(at: .zero + .milliseconds(index * 20 + 15)) { #expect(next.piece.timestamp == nil) }
        }
        let rest = sound.rest()
        #expect(rest.map(\.frames) == [0] && rest.map(\.position) == [9600])
        let timestamp = try #require(rest.first?.timestamp)
        #expect((9600..<9600 + 1200).contains(timestamp))
    }
}
