import PeerCore
import RTP
import TestSupport
import Testing
import Timebase

@Suite("After a pause nothing from before is sent")
struct PauseTests {
    /// What is left of pictures, of what is sent again, and of repair packets.
    private func media(_ datagrams: ArraySlice<[UInt8]>) -> [[UInt8]] {
        datagrams.filter { $0[0] >> 6 == 2 && (102...104).contains($0[1] & 0x7f) }
    }

    @Test("a keyframe that is still leaving over a slow path leaves no further, nor is any of it sent again on request")
    func pictures() {
        var conditions = LinkConditions()
        conditions.rate = 300_000
        var pair = PeerPair(seed: 10, conditions: conditions)
        pair.run(for: .seconds(1))
        var video = SyntheticVideo()
        let keyframe = video.next(keyframe: true, size: 400_000, capturedAt: pair.now)
        pair.send(keyframe)
        pair.run(for: .milliseconds(100))
        let left = media(pair.sharerDatagrams[...])
        #expect(!left.isEmpty && left.count < keyframe.payloads.count, "else this tests nothing")

        let before = pair.sharerDatagrams.count
        pair.sharer.forgetPictures()
        let numbers = left.filter { $0[1] & 0x7f == 102 }.map { UInt16($0[2]) << 8 | UInt16($0[3]) }
        var bytes: [UInt8] = []
        GenericNACK(senderSSRC: 0xCCCC, mediaSSRC: 0xAAAA, missing: numbers).append(to: &bytes)
        pair.receiveAtSharer(rtcp: bytes, number: 1)
        pair.run(for: .seconds(3))
        let since = media(pair.sharerDatagrams[before...])
        #expect(since.isEmpty, "\(since.count) of \(keyframe.payloads.count)")
    }

    @Test("sound that waits to leave is dropped, and what left is not behind new sound as its copy")
    func sound() {
        var share = SoundShare(seed: 3, loss: 0.1)
        share.run(packets: 1000)
        #expect(share.pair.heard.suffix(50).contains { !$0.copies.isEmpty }, "else this tests nothing")
        share.pair.link.conditions.loss = 0
        share.pair.run(for: .milliseconds(100))
        let before = share.pair.heard.count
        share.enqueue(packets: 3)
        share.pair.sharer.forgetPictures()
        share.run(packets: 5)
        share.pair.run(for: .milliseconds(100))
        let heard = share.pair.heard.dropFirst(before)
        let numbers = heard.compactMap { SoundShare.number($0.bytes) }
        #expect(numbers == Array(1003..<1008))
        let copies = heard.flatMap(\.copies).compactMap { SoundShare.number($0.bytes) }
        #expect(!copies.isEmpty && copies.allSatisfy { $0 >= 1003 }, "\(copies)")
    }
}
