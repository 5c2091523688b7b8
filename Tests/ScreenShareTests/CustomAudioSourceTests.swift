import Media
import SystemClock
import Testing
import Timebase

@testable import ScreenShare

@Suite("Sound that an embedder pushes")
struct CustomAudioSourceTests {
    @Test("24 bits in four bytes are taken in both byte orders, and what the fourth byte holds does not count", arguments: [
        (.little, [0, 0, 0x40, 0, 0, 0, 0xC0, 0xFF, 0, 0, 0x20, 0x99]),
        (.big, [0, 0x40, 0, 0, 0xFF, 0xC0, 0, 0, 0x99, 0x20, 0, 0]),
    ] as [(CustomAudioSource.ByteOrder, [UInt8])])
    func padded(order: CustomAudioSource.ByteOrder, bytes: [UInt8]) throws {
        let source = CustomAudioSource()
        let reader = source.makeReader(clock: EmbedderClock().soundInput())
        try source.push(
            bytes.span.bytes, encoding: .signed24In32, byteOrder: order, sampleRate: 48_000, channels: 1, timestamp: .zero)
        let block = try #require(try reader.read(at: SystemClock.now()))
        #expect(block.samples == [0.5, 0.5, -0.5, -0.5, 0.25, 0.25])
    }
    @Test("for a share that is slow to take them two seconds are kept, the newest")
    func slowReader() throws {
        let source = CustomAudioSource()
        let reader = source.makeReader(clock: EmbedderClock().soundInput())
        for second in 0..<5 {
            let samples = [Float](repeating: Float(second) / 8, count: 8000)
            try source.push(
                samples.span.bytes, encoding: .float32, sampleRate: 8000, channels: 1, timestamp: .seconds(second))
        }
        var heard: [Float?] = []
        while let block = try reader.read(at: SystemClock.now()) { heard.append(block.samples.first) }
        #expect(heard == [0.375, 0.5])
    }
}
