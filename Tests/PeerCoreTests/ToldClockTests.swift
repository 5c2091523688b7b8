import Datagrams
import PeerCore
import RTP
import TestSupport
import Testing
import Timebase

@Suite("The moments that timestamps stand for")
struct ToldClockTests {
    /// By how many milliseconds a moment is later than its time on the media clock says, beside the first.
    private func offsets(_ units: [(ticks: Int64, captured: NTPTimestamp)], ticksPerSecond: Double) -> [Double] {
        guard let first = units.first else { return [] }
        return units.map { unit in
            unit.captured.duration(since: first.captured).inMilliseconds
                - Double(unit.ticks - first.ticks) * 1000 / ticksPerSecond
        }
    }

    private func pictureOffsets(_ share: borrowing Share) -> [Double] {
        let units = share.pair.received.compactMap { unit in unit.capturedAt.map { (unit.mediaTime.ticks, $0) } }
        return offsets(units, ticksPerSecond: 90_000)
    }

    @Test("pictures that leave sooner than before say so within a third of a second", arguments: [20, -20])
    func pictures(earlier: Int) throws {
        var share = Share(PeerPair(seed: 1))
        share.run(for: .milliseconds(3200))
        let before = try #require(pictureOffsets(share).last)
        share.age = .milliseconds(-earlier)
        share.run(for: .milliseconds(400))
        let after = pictureOffsets(share).suffix(2)
        #expect(after.allSatisfy { abs($0 - before - Double(earlier)) < 1 })
    }

    @Test("one late picture by itself moves nothing")
    func onePicture() throws {
        var share = Share(PeerPair(seed: 1))
        share.run(for: .milliseconds(3200))
        let before = try #require(pictureOffsets(share).last)
        for _ in 0..<8 {
            share.age = .milliseconds(20)
            share.run(for: .milliseconds(30))
            share.age = .zero
            share.run(for: .milliseconds(60))
        }
        let later = pictureOffsets(share).suffix(20)
        // Now and then the one that tells, each second, is the late one.
        #expect(later.count { abs($0 - before) < 1 } >= 10)
    }

    private func soundOffsets(_ share: borrowing SoundShare) -> [Double] {
        let packets = share.pair.heard.compactMap { packet in packet.capturedAt.map { (packet.timestamp, $0) } }
        return offsets(packets, ticksPerSecond: 48_000)
    }

    @Test("sound that comes to need less time on its way says so within a quarter of a second")
    func sound() throws {
        var share = SoundShare(seed: 1)
        share.run(packets: 60)
        let before = try #require(soundOffsets(share).last)
        share.age = .milliseconds(10)
        share.run(packets: 15)
        #expect(soundOffsets(share).suffix(2).allSatisfy { abs($0 - before - 20) < 1 })
    }

    @Test("sound that begins again says when it was heard right behind its first packet")
    func talk() throws {
        var share = SoundShare(seed: 1)
        share.run(packets: 60)
        let before = try #require(soundOffsets(share).last)
        share.isSilent = { $0 >= 60 && $0 < 70 }
        share.age = .milliseconds(10)
        share.run(packets: 12)
        #expect(share.pair.heard.count == 62)
        #expect(soundOffsets(share).suffix(1).allSatisfy { abs($0 - before - 20) < 1 })
    }
}
