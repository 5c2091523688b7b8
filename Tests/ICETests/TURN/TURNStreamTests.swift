import TestSupport
import Testing

@testable import ICE

@Suite("TURN over a stream")
struct TURNStreamTests {
    private static let stun = STUNMessage(.request, TransactionID(high: 1, low: 2), [.software("x")]).encoded()
    private static let large = STUNMessage(
        STUNHeader(.indication, .data, TransactionID(high: 1, low: 2)), [.data([UInt8](repeating: 1, count: 1_990))]
    ).encoded(fingerprint: false)

    private static func channelData(_ count: Int, number: UInt16 = 0x4001) -> [UInt8] {
        var bytes: [UInt8] = []
        ChannelData.write([UInt8](repeating: 9, count: count), number: number, isPadded: true, to: &bytes)
        return bytes
    }

    private func messages(_ bytes: [UInt8], chunk: Int) throws -> [[UInt8]] {
        var decoder = TURNStreamDecoder()
        var messages: [[UInt8]] = []
        for start in stride(from: 0, to: bytes.count, by: chunk) {
            decoder.append(Array(bytes[start..<min(start + chunk, bytes.count)]))
            while let message = try decoder.next() { messages.append(message) }
        }
        return messages
    }

    @Test(
        "messages come out whole and without padding, however the bytes arrive",
        arguments: [1, 2, 3, 5, 7, 64, 10_000])
    func cuts(chunk: Int) throws {
        let parts =
            [Self.stun] + (0..<9).map { Self.channelData($0) } + [Self.large, Self.stun, Self.channelData(2_000)]
        let read = try messages(parts.flatMap { $0 }, chunk: chunk)
        #expect(read.count == parts.count)
        for (message, part) in zip(read, parts) {
            #expect(part.starts(with: message) && part.count - message.count < 4)
        }
        #expect(read[1...9].map(\.count) == Array(4...12))
    }

    @Test("what is too long for us, or on a reserved channel, is skipped, and what follows is read", arguments: [
        1, 333, 100_000,
    ])
    func skips(chunk: Int) throws {
        let long = STUNMessage(
            STUNHeader(.indication, .data, TransactionID(high: 1, low: 2)),
            [.data([UInt8](repeating: 1, count: 60_000))]
        ).encoded(fingerprint: false)
        let parts =
            [Self.channelData(9_001), Self.stun, long, Self.channelData(65_535), Self.channelData(3)]
            + [Self.channelData(7, number: 0x5000), Self.channelData(6_000, number: 0x7FFF), Self.stun]
        let read = try messages(parts.flatMap { $0 }, chunk: chunk)
        #expect(read == [Self.stun, Array(Self.channelData(3).prefix(7)), Self.stun])
    }

    @Test("anything else is an error, as soon as it can be told", arguments: [
        [0x80, 0, 0, 0], [0xFF, 0xFF, 0, 0], [0x16, 0x03, 0x01, 0x02],
        [0, 1, 0, 3], [0, 1, 0, 0, 0x21, 0x12, 0xA4, 0x43],
        [0x3F, 0xFF, 0, 0, 1, 2, 3, 4],
    ] as [[UInt8]])
    func garbage(_ bytes: [UInt8]) {
        #expect(throws: TURNStreamError.garbage) { try messages(bytes, chunk: 1) }
        #expect(throws: TURNStreamError.garbage) { try messages(Self.stun + bytes, chunk: 1_000) }
    }

    @Test("random bytes end in an error or wait for more, and are never kept in heaps")
    func noise() {
        var random = SeededGenerator(seed: 3)
        for _ in 0..<500 {
            var decoder = TURNStreamDecoder()
            for _ in 0..<20 {
                decoder.append((0..<200).map { _ in UInt8.random(in: 0...127, using: &random) })
                while let message = try? decoder.next() { #expect(message.count <= 2_048) }
            }
        }
    }
}
