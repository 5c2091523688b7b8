import Dispatch
import PeerCore
import RTP
import Testing
import Timebase

@testable import PeerDriver
@testable import ScreenShare

@Suite("Viewers of another profile", .timeLimit(.minutes(1)))
struct ProfileTests {
    /// Of who takes constrained baseline alone.
    private static let offer = AnswerTests.offer()

    private var keyframe: PacketizedUnit {
        PacketizedUnit(
            bytes: [UInt8](repeating: 1, count: 1000), payloads: [0..<1000], mediaTime: MediaTime(ticks: 1 << 40),
            capturedAt: .zero, isKeyframe: true, isReference: true)
    }

    @Test("a keyframe that was being encoded as others take it is not kept for who joins then and takes less")
    func underWay() async throws {
        let room = try await ShareRoom()
        let pixels = [UInt8](repeating: 90, count: 64 * 64 * 4)
        try room.source.push(pixels.span.bytes, format: .bgra, width: 64, height: 64, timestamp: .zero)
        let other = room.viewer()
        await other.start()
        for await _ in other.units { break }
        #expect(await room.session.viewers.values.map(\.takesHigh) == [true])

        let (controls, hub) = (try #require(await room.session.controls), try #require(await room.session.hub))
        let encoded = DispatchSemaphore(value: 0)
        controls.change { $0.acknowledgements.append { encoded.wait() } }
        _ = try await room.session.answer(offer: Self.offer)
        #expect(await hub.caches[.standard]?.chain == nil)
        hub.outbox.deliver(keyframe, lane: .standard, to: hub)
        #expect(await hub.caches[.standard]?.chain != nil)
        encoded.signal()
        await controls.changeAndWait { _ in }
        #expect(await hub.caches[.standard]?.chain == nil)
        await other.stop()
        await room.close()
    }
}
