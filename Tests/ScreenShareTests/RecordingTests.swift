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
        let asksAtOnce = lag.leftOut(at: .zero)
        #expect(asksAtOnce)
        #expect(!lag.takes(isKeyframe: false))
        // The keyframe that was asked for finds no room either.
        #expect(lag.takes(isKeyframe: true))
        let asksSoon = lag.leftOut(at: .zero + .milliseconds(100))
        #expect(!asksSoon)
        var asked = 0
        for picture in 0..<300 where lag.leftOut(at: .zero + .milliseconds(200 + picture * 50)) { asked += 1 }
        #expect(asked == 3)
        lag.handedOver()
        #expect(lag.takes(isKeyframe: false))
    }

    @Test("One that lags again right after its keyframe is not left without the next")
    func lagsAgain() {
        var lag = ReaderLag()
        let asksAtOnce = lag.leftOut(at: .zero)
        #expect(asksAtOnce)
        lag.handedOver()
        let (soon, later) = (lag.leftOut(at: .zero + .seconds(1)), lag.leftOut(at: .zero + .seconds(6)))
        #expect(!soon)
        #expect(later)
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
}
