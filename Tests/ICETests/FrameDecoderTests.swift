import Datagrams
import TestSupport
import Testing

@testable import ICE

@Suite("Packets in a TCP connection (RFC 4571)")
struct FrameDecoderTests {
    private func frame(_ packet: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(u16: UInt16(packet.count))
        return bytes + packet
    }

    private func drain(_ decoder: inout FrameDecoder) throws -> [[UInt8]] {
        var packets: [[UInt8]] = []
        while let packet = try decoder.next() { packets.append(packet) }
        return packets
    }

    @Test("packets come out as they went in, however the connection cuts them", arguments: [1, 2, 3, 7, 100, 100_000])
    func cuts(size: Int) throws {
        let packets = [[1], [UInt8](repeating: 2, count: 300), [3, 3], [UInt8](repeating: 4, count: Limits.frameBytes)]
        let stream = packets.flatMap(frame)
        var decoder = FrameDecoder()
        var received: [[UInt8]] = []
        for begin in stride(from: 0, to: stream.count, by: size) {
            decoder.append(Array(stream[begin..<min(begin + size, stream.count)]))
            received += try drain(&decoder)
        }
        #expect(received == packets)
    }

    @Test("null packets are skipped")
    func empty() throws {
        var decoder = FrameDecoder()
        decoder.append([0, 0, 0, 0, 0, 1, 9, 0, 0])
        #expect(try drain(&decoder) == [[9]])
    }

    @Test("what begins with no length of ours ends it at once, before anything is kept")
    func foreign() {
        for text in ["GET / HTTP/1.1\r\n", "SSH-2.0-OpenSSH", "\u{16}\u{3}\u{1}"] {
            var decoder = FrameDecoder()
            decoder.append(Array(text.utf8))
            #expect(throws: FrameError.tooLong) { try decoder.next() }
        }
        var decoder = FrameDecoder()
        decoder.append([UInt8((Limits.frameBytes + 1) >> 8), UInt8((Limits.frameBytes + 1) & 255)])
        #expect(throws: FrameError.tooLong) { try decoder.next() }
    }

    @Test("any bytes end or go on, and never trap")
    func noise() {
        var random = SeededGenerator(seed: 6544)
        for _ in 0..<2_000 {
            var decoder = FrameDecoder()
            for _ in 0..<8 {
                let count = Int.random(in: 0...40, using: &random)
                // Short lengths mostly, so that more than the first frame is read.
                let largest: UInt8 = Bool.random(using: &random) ? 3 : 255
                decoder.append((0..<count).map { _ in UInt8.random(in: 0...largest, using: &random) })
                do { while try decoder.next() != nil {} } catch { break }
            }
        }
    }
}
