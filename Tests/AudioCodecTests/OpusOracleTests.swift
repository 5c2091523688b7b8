import AudioCodec
import COpus
import Media
import RTP
import TestSupport
import Testing

/// libopus reads packets by itself: it must find what we find.
@Suite("Opus packets as libopus reads them")
struct OpusOracleTests {
    private struct Parsed: Equatable {
        let toc: UInt8
        let frames: [Range<Int>]
    }

    private func parsed(_ bytes: [UInt8]) -> Parsed? {
        var (toc, payload): (UInt8, Int32) = (0, 0)
        var sizes = [opus_int16](repeating: 0, count: 48)
        var starts = [UnsafePointer<UInt8>?](repeating: nil, count: 48)
        return bytes.withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return nil }
            let count = opus_packet_parse(base, Int32(buffer.count), &toc, &starts, &sizes, &payload)
            guard count > 0 else { return nil }
            let frames = (0..<Int(count)).compactMap { index in
                starts[index].map { start in (start - base)..<(start - base + Int(sizes[index])) }
            }
            return Parsed(toc: toc, frames: frames)
        }
    }

    private func check(_ bytes: [UInt8]) throws {
        let oracle = parsed(bytes)
        let packet = try? OpusPacket(bytes)
        #expect(packet.map { Parsed(toc: $0.toc.byte, frames: $0.frames) } == oracle, "\(bytes)")
        guard let packet, oracle != nil else { return }
        #expect(Int(opus_packet_get_nb_samples(bytes, Int32(bytes.count), 48_000)) == packet.samples)
        #expect(Int(opus_packet_get_nb_frames(bytes, Int32(bytes.count))) == packet.frames.count)
        #expect(Int(opus_packet_get_nb_channels(bytes)) == packet.toc.channels)
        #expect(Int(opus_packet_get_bandwidth(bytes) - OPUS_BANDWIDTH_NARROWBAND) == packet.toc.bandwidth.rawValue)
    }

    @Test("every beginning of two bytes, alone and with bytes behind")
    func everyBeginning() throws {
        for first in UInt8.min...UInt8.max {
            try check([first])
            for second in UInt8.min...UInt8.max {
                for rest in [[], [0], [1, 2, 3], [UInt8](repeating: 2, count: 48), [252, 1, 9]] as [[UInt8]] {
                    try check([first, second] + rest)
                }
            }
        }
    }

    @Test("random bytes of any length (seed 6716)")
    func random() throws {
        var random = SeededGenerator(seed: 6716)
        for round in 0..<20_000 {
            let count = Int.random(in: 0...(round % 20 == 0 ? 4000 : 60), using: &random)
            var bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            // Lengths at the edges of their coding.
            for index in bytes.indices.prefix(6).dropFirst() where random.next() % 4 == 0 {
                bytes[index] = [0, 1, 251, 252, 254, 255].randomElement(using: &random) ?? 0
            }
            try check(bytes)
        }
    }

    @Test("packets of an encoder, and what libopus makes of several")
    func real() throws {
        var target = OpusTarget(bitsPerSecond: 32_000)
        target.inBandFEC = .on
        target.expectedLoss = 20
        var coding = try Coding(target)
        try coding.encode(speech(frames: 50 * 960))
        for packet in coding.packets {
            try check(packet.bytes)
            try check(packet.bytes.dropLast(packet.bytes.count / 2))
            for bytes in try combined(packet.bytes) { try check(bytes) }
        }
    }

    /// The packet up to six times over, in one.
    private func combined(_ packet: [UInt8]) throws -> [[UInt8]] {
        let repacketizer = try #require(opus_repacketizer_create())
        defer { opus_repacketizer_destroy(repacketizer) }
        // It keeps pointers to what it is given.
        return try packet.withUnsafeBufferPointer { packet in
            let base = try #require(packet.baseAddress)
            return (1...6).compactMap { _ in
                guard opus_repacketizer_cat(repacketizer, base, Int32(packet.count)) == OPUS_OK else { return nil }
                var bytes = [UInt8](repeating: 0, count: 8000)
                let count = opus_repacketizer_out(repacketizer, &bytes, Int32(bytes.count))
                return Array(bytes.prefix(Int(count)))
            }
        }
    }
}
