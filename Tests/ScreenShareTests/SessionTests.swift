import Media
import RTP
import SystemClock
@testable import ScreenShare
import TestSupport
import Testing
import Timebase

/// Whether pictures come no faster than one a period. One may leave out of turn, as a keyframe that somebody needs does, or
/// what changes right behind a sign of life; it uses up the turn of the next.
private struct Pace {
    /// In ticks.
    let period: Int64
    private var count: Int64 = 0
    /// How far pictures have been behind one a period, at most.
    private var latest: Int64?

    init(period: Int64) { self.period = period }

    mutating func keeps(with timestamp: Int64) -> Bool {
        let late = timestamp - count * period
        let most = max(latest ?? late, late)
        (count, latest) = (count + 1, most)
        return late >= most - period
    }
}

@Suite("Sharing and viewing in one process", .serialized, .timeLimit(.minutes(2)))
struct SessionTests {
    @Test("a viewer gets the pushed pictures, beginning with a keyframe")
    func pictures() async throws {
        let room = try await ShareRoom()
        let painter = room.paint()
        let viewer = room.viewer()
        await viewer.start()
        var units: [VideoUnit] = []
        for await unit in viewer.units {
            units.append(unit)
            if units.count == 30 { break }
        }
        painter.cancel()
        await viewer.stop()
        await room.close()
        #expect(units.first?.isKeyframe == true)
        // 00 00 00 01 67: Annex B begins with an SPS.
        #expect(units.first.map { Array($0.annexB.prefix(5)) } == [0, 0, 0, 1, 0x67])
        var pace = Pace(period: 3000)
        let times = units.map(\.timestamp)
        let areKept = times.map { pace.keeps(with: $0) }
        #expect(!areKept.contains(false), "pictures are never closer than a period of 30 fps: \(times)")
    }

    @Test("a viewer who joins a still source has its picture, and one who joins in a pause sees nothing of before")
    func pause() async throws {
        let room = try await ShareRoom()
        let first = try await viewerOfStill(in: room)
        await room.session.pause()
        let second = room.viewer()
        await second.start()
        #expect(await haveJoined(2, room.session))

        // Whatever was sent in the pause would come before it.
        try push(Self.other, to: room.source, at: .seconds(1))
        await room.session.resume()
        var after = second.units.makeAsyncIterator()
        let resumed = await after.next()
        #expect(resumed?.isKeyframe == true && resumed?.pictureSize == Self.other)
        await first.stop()
        await second.stop()
        await room.close()
    }

    @Test("who joins behind the end of a source, or while another has no picture yet, sees nothing of the one before",
        arguments: [false, true])
    func joinsBehindSource(hasEnded: Bool) async throws {
        let room = try await ShareRoom()
        let first = try await viewerOfStill(in: room)
        let next = CustomVideoSource()
        if hasEnded {
            // Nothing comes any more, and that is told.
            try await room.session.controls?.show { wakeup throws(CaptureError) in CustomFrameSource(next, wakeup: wakeup) }
            await room.session.handle(.video(.sourceEnded("The window was closed.")))
        } else {
            try await room.session.setSource(.custom(next))
        }
        let second = room.viewer()
        await second.start()
        #expect(await haveJoined(2, room.session))

        // Whatever was sent of the source before would come before it.
        try push(Self.other, to: next, at: .zero)
        if hasEnded { await room.session.handle(.video(.visible)) }
        var after = second.units.makeAsyncIterator()
        let unit = await after.next()
        #expect(unit?.isKeyframe == true && unit?.pictureSize == Self.other)
        await first.stop()
        await second.stop()
        await room.close()
    }

    /// Of two still pictures.
    private static let one = PixelSize(width: 320, height: 240)
    private static let other = PixelSize(width: 160, height: 120)

    private func push(_ size: PixelSize, to source: CustomVideoSource, at timestamp: Duration) throws {
        let pixels = [UInt8](repeating: 200, count: size.area * 4)
        try source.push(
            pixels.span.bytes, format: .bgra, width: size.width, height: size.height, timestamp: timestamp)
    }

    /// A viewer that has the room's only picture.
    private func viewerOfStill(in room: ShareRoom) async throws -> ViewSession {
        try push(Self.one, to: room.source, at: .zero)
        let viewer = room.viewer()
        await viewer.start()
        var units = viewer.units.makeAsyncIterator()
        let picture = await units.next()
        #expect(picture?.isKeyframe == true && picture?.pictureSize == Self.one)
        return viewer
    }

    /// Once so many have, and have been sent what there was for them.
    private func haveJoined(_ count: Int, _ session: ShareSession) async -> Bool {
        for _ in 0..<500 {
            if await session.connectedViewers == count {
                // Behind what the hub was doing when it told of the last.
                _ = await session.statistics()
                return true
            }
            try? await Task.sleep(for: .milliseconds(20))
        }
        return false
    }

    @Test("a viewer whose patience ends while it connects does not wait for a paused share")
    func impatient() async throws {
        let room = try await ShareRoom()
        await room.session.pause()
        let viewer = room.viewer(patience: .zero)
        await viewer.start()
        var events: [ViewEvent] = []
        for await event in viewer.events { events.append(event) }
        #expect(events.contains(.connected))
        #expect(events.last == .ended(.unavailable("connected, but no picture has come", retryAfter: .seconds(1))))
        await room.close()
    }

    @Test("what was counted of a connection still counts when the sharer has left")
    func counted() async throws {
        let room = try await ShareRoom()
        let painter = room.paint()
        let viewer = room.viewer()
        await viewer.start()
        var units = viewer.units.makeAsyncIterator()
        _ = await units.next()
        #expect(await viewer.statistics().roundTripTime != nil)
        await room.session.stop()
        for await case .disconnected in viewer.events { break }
        #expect(await viewer.statistics().roundTripTime != nil)
        painter.cancel()
        await viewer.stop()
        await room.close()
    }

    @Test("two shares of one source show each of its pictures, and the room of one that has ended is free")
    func oneSource() async throws {
        let room = try await ShareRoom()
        var configuration = ShareConfiguration(source: .custom(room.source))
        configuration.network.interfaces = ["127.0.0.1"]
        let other = ShareSession(configuration: configuration)
        try await other.start()
        var readers = [room.session.samples([.video]), other.samples([.video])].map { $0.makeAsyncIterator() }
        for step in 1...10 {
            let pixels = [UInt8](repeating: UInt8(20 * step), count: 64 * 64 * 4)
            try room.source.push(pixels.span.bytes, format: .bgra, width: 64, height: 64, timestamp: .seconds(step))
        }
        for index in readers.indices {
            var luma: UInt8 = 0
            while luma < 180, case .video(let picture) = await readers[index].next() { luma = picture.i420[0] }
            #expect(luma >= 180, "the last of ten")
        }
        // Its room is still published.
        await room.session.stop()
        let publication = RoomPublication(server: room.address, room: ShareRoom.name)
        let second = try await published(publication, by: other)
        await second.end()
        await other.stop()
        await #expect(throws: ShareError.self) { try await other.publish(publication) }
        await room.close()
    }

    /// Once the room is free.
    private func published(_ publication: RoomPublication, by session: ShareSession) async throws -> PublishedRoom {
        for _ in 0..<200 {
            if let room = try? await session.publish(publication) { return room }
            try await Task.sleep(for: .milliseconds(20))
        }
        return try await session.publish(publication)
    }

    @Test("two sessions in one process share nothing and both work")
    func two() async throws {
        let rooms = [try await ShareRoom(), try await ShareRoom { $0.frameRate = .fps24 }]
        for room in rooms {
            let painter = room.paint(width: 160, height: 120)
            let viewer = room.viewer()
            await viewer.start()
            var count = 0
            for await _ in viewer.units {
                count += 1
                if count == 10 { break }
            }
            #expect(count == 10)
            painter.cancel()
            await viewer.stop()
        }
        for room in rooms { await room.close() }
    }

    @Test(
        "offers that can't be answered are refused with a reason, and leave nothing behind",
        arguments: ["", "hello", "v=0\r\n", "v=0\r\no=- 1 1 IN IP4 0.0.0.0\r\ns=-\r\nt=0 0\r\n"])
    func refusals(offer: String) async throws {
        let room = try await ShareRoom()
        await #expect(throws: ShareError.self) { try await room.session.answer(offer: offer) }
        let statistics = await room.session.statistics()
        #expect(statistics.viewers.isEmpty)
        await room.close()
    }

    @Test("the size, rate and source change while a viewer watches")
    func liveChanges() async throws {
        let room = try await ShareRoom()
        let painter = room.paint()
        let viewer = room.viewer()
        await viewer.start()
        var iterator = viewer.units.makeAsyncIterator()
        _ = await iterator.next()
        await room.session.setSize(.exactly(width: 160, height: 90))
        await room.session.setFrameRate(.fps24)
        await room.session.setMaximumBitrate(500_000)
        let commands = try #require(await room.session.controls?.present)
        #expect(commands.fixedRate == .fps24 && commands.bitsPerSecond == 500_000)
        let rates = await room.session.statistics().viewers.compactMap(\.availableBitrate)
        #expect(rates.count == 1 && rates.allSatisfy { $0 <= 500_000 })
        #expect(await isSized(room.session, 160, 90))
        // From then on only the new source's come.
        painter.cancel()
        try await room.session.setSource(.testPattern(width: 640, height: 360))
        let before = await viewer.statistics().frames
        for _ in 1..<max(1, before) { _ = await iterator.next() }
        var times: [Int64] = []
        func isFluent() -> Bool { times.count > 15 && times[times.count - 1] - times[times.count - 16] <= 90_000 }
        while !isFluent(), let unit = await iterator.next() { times.append(unit.timestamp) }
        #expect(isFluent(), "the new source's pictures arrive")
        var pace = Pace(period: 3750)
        for _ in 0..<24 {
            let isKept = await iterator.next().map { pace.keeps(with: $0.timestamp) }
            #expect(isKept == true, "24 a second")
        }
        await viewer.stop()
        await room.close()
    }

    /// Once its pictures have that size.
    private func isSized(_ session: ShareSession, _ width: Int, _ height: Int) async -> Bool {
        for _ in 0..<500 {
            let statistics = await session.statistics()
            if statistics.width == width, statistics.height == height { return true }
            try? await Task.sleep(for: .milliseconds(20))
        }
        return false
    }

    @Test("the mode changes while a viewer watches: text comes at 15 pictures a second, a video faster")
    func liveMode() async throws {
        let room = try await ShareRoom { $0.mode = .detail }
        let painter = room.paint()
        let viewer = room.viewer()
        await viewer.start()
        var units = viewer.units.makeAsyncIterator()
        var pace = Pace(period: 6000)
        for _ in 0..<13 {
            let isKept = await units.next().map { pace.keeps(with: $0.timestamp) }
            #expect(isKept == true)
        }
        await room.session.setMode(.motion)
        var isFaster = false
        for _ in 0..<200 where !isFaster {
            isFaster = await units.next().map { !pace.keeps(with: $0.timestamp) } ?? false
        }
        #expect(isFaster)
        painter.cancel()
        await viewer.stop()
        await room.close()
    }

    @Test("a share that has nothing but loopback is reached by a viewer that chose no address, as its server is there")
    func loopbackAlone() async throws {
        let room = try await ShareRoom()
        let painter = room.paint()
        let viewer = ViewSession(configuration: ViewConfiguration(server: room.address, room: ShareRoom.name))
        await viewer.start()
        var units = viewer.units.makeAsyncIterator()
        let first = await units.next()
        #expect(first?.isKeyframe == true)
        painter.cancel()
        await viewer.stop()
        await room.close()
    }

    @Test("a share outlives its source: who holds it is told, viewers hear of a pause, and another source may follow")
    func endedSource() async throws {
        let room = try await ShareRoom()
        let viewer = room.viewer()
        await viewer.start()
        await room.session.handle(.video(.sourceEnded("The window was closed.")))
        for await event in viewer.events where event == .waiting("the share is paused") { break }
        #expect(await room.session.state == .live)
        for await event in room.session.events {
            guard case .sourceEnded(let absence) = event else { continue }
            #expect(absence.text == "The window was closed.")
            break
        }
        try await room.session.setSource(.testPattern(width: 64, height: 64))
        await room.session.handle(.video(.visible))
        #expect(await !room.session.hasSourceEnded)
        var units = viewer.units.makeAsyncIterator()
        let first = await units.next()
        #expect(first?.isKeyframe == true)
        await viewer.stop()
        await room.close()
    }

    @Test("a custom source that is shown again begins with its newest picture")
    func shownAgain() throws {
        let source = CustomVideoSource()
        let pixels = [UInt8](repeating: 9, count: 64 * 48 * 4)
        try source.push(pixels.span.bytes, format: .bgra, width: 64, height: 48, timestamp: .seconds(1))
        for _ in 0..<2 {
            var shown = CustomFrameSource(source, wakeup: Wakeup.made())
            #expect(try shown.read().pixels.size == PixelSize(width: 64, height: 48))
        }
    }

    @Test("pictures that don't fit their size, or step back in time, are refused")
    func pushes() throws {
        let source = CustomVideoSource()
        let pixels = [UInt8](repeating: 0, count: 64 * 64 * 4)
        #expect(throws: CustomVideoSource.PushError.wrongSize) {
            try source.push(pixels.span.bytes, format: .bgra, width: 64, height: 65, timestamp: .zero)
        }
        #expect(throws: CustomVideoSource.PushError.wrongSize) {
            try source.push(pixels.span.bytes, format: .i420, width: 9000, height: 2, timestamp: .zero)
        }
        for format in [CustomVideoSource.Format.nv12, .i420] {
            #expect(throws: CustomVideoSource.PushError.wrongSize) {
                try source.push(
                    pixels.span.bytes, format: format, width: 64, height: 32, bytesPerRow: .min, timestamp: .zero)
            }
        }
        try source.push(pixels.span.bytes, format: .bgra, width: 64, height: 64, timestamp: .seconds(1))
        #expect(throws: CustomVideoSource.PushError.notLater) {
            try source.push(pixels.span.bytes, format: .bgra, width: 64, height: 64, timestamp: .seconds(1))
        }
    }
}

extension VideoUnit {
    /// As the parameter sets in front of a keyframe say it.
    fileprivate var pictureSize: PixelSize? {
        let sets = AnnexB.split(annexB).compactMap { try? SequenceParameterSet(annexB, nalUnit: $0) }
        return sets.first.map { PixelSize(width: $0.width, height: $0.height) }
    }
}
