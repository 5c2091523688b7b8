import Dispatch
import ICE
import NIOCore
import NIOPosix
import PeerCore
import RTP
import TestSupport
import Testing
import Timebase

@testable import PeerDriver

@Suite("What waits for an event loop that stands still", .timeLimit(.minutes(1)))
struct OutboxTests {
    /// A viewer who takes sound.
    private func connect(_ sharer: PeerHub, _ viewer: PeerHub) async throws {
        let id = PeerID(1)
        let send = SendParameters(
            payloadType: 102, ssrc: 0xAAAA, retransmission: nil, canonicalName: "sharer", mid: nil,
            extensions: ExtensionMap(), bitsPerSecond: 4_000_000)
        let sendAudio = AudioSendParameters(
            payloadType: 111, redundancyPayloadType: nil, ssrc: 0xDDDD, canonicalName: "sharer", mid: nil,
            extensions: ExtensionMap())
        let receive = ReceiveParameters(
            payloadTypes: [102], retransmissionPayloadTypes: [], extensions: ExtensionMap(), ssrc: 0xCCCC,
            canonicalName: "viewer")
        _ = try await sharer.add(
            id, PeerSetup(iceRole: .controlled, handshakeRole: .active, send: send, sendAudio: sendAudio), lane: nil)
        _ = try await viewer.add(
            id, PeerSetup(iceRole: .controlling, handshakeRole: .passive, receive: receive), lane: nil)
        let receiveAudio = AudioReceiveParameters(payloadType: 111, redundancyPayloadType: nil)
        try await sharer.introduce(to: viewer, as: id, receiveAudio: receiveAudio)
    }

    /// Its loop stands still until the semaphore is signalled.
    private func halt(_ hub: PeerHub) -> DispatchSemaphore {
        let gate = DispatchSemaphore(value: 0)
        hub.perform { _ in gate.wait() }
        return gate
    }

    private func packet(_ number: UInt8) -> AudioUnit {
        AudioUnit(
            AudioUnit.Encodings(full: .init(bytes: [31 << 3, number], isSilent: false)),
            time: AudioTime(ticks: 960 * Int64(number)), capturedAt: .zero)
    }

    @Test("behind eight pictures none is to be encoded, until the loop goes on")
    func pictures() async throws {
        let loops = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let hub = try await PeerHub.opened(.loopback(), on: loops.next())
        let unit = PacketizedUnit(
            bytes: [1], payloads: [0..<1], mediaTime: MediaTime(ticks: 0), capturedAt: .zero, isKeyframe: true,
            isReference: true)
        let gate = halt(hub)
        var wasFull: [Bool] = []
        for _ in 0..<9 {
            wasFull.append(hub.outbox.isFull)
            hub.outbox.deliver(unit, lane: .standard, to: hub)
        }
        gate.signal()
        // Behind all that waited.
        _ = await hub.statistics()
        #expect(wasFull == Array(repeating: false, count: 8) + [true])
        #expect(!hub.outbox.isFull)
        await hub.close()
        try await loops.shutdownGracefully()
    }

    @Test("ten packets of sound wait, and those behind them are dropped")
    func sound() async throws {
        let loops = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let (connected, joins) = AsyncStream.makeStream(of: Void.self)
        let (heard, ear) = AsyncStream.makeStream(of: [UInt8].self)
        let sharer = try await PeerHub.opened(
            .loopback { event in
                if case .connected = event { joins.yield() }
            }, on: loops.next())
        let viewer = try await PeerHub.opened(
            .loopback(name: 2) { event in
                switch event {
                case .connected: joins.yield()
                case .receivedAudio(let packet): ear.yield(packet.bytes)
                default: break
                }
            })
        try await connect(sharer, viewer)
        var joined = connected.makeAsyncIterator()
        for _ in 0..<2 { _ = await joined.next() }
        let gate = halt(sharer)
        for number in 0..<20 as Range<UInt8> { sharer.outbox.deliver(packet(number), to: sharer) }
        gate.signal()
        _ = await sharer.statistics()
        sharer.outbox.deliver(packet(20), to: sharer)
        var numbers: [UInt8] = []
        for await bytes in heard {
            numbers.append(bytes[1])
            if bytes[1] == 20 { break }
        }
        #expect(numbers == Array(0..<10) + [20])
        await sharer.close()
        await viewer.close()
        try await loops.shutdownGracefully()
    }
}
