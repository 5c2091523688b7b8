import Datagrams
import RTP
import TestSupport
import Testing
import Timebase

@Suite("Opus packets")
struct OpusPacketTests {
    private func packet(_ configuration: UInt8, stereo: Bool = false, code: UInt8 = 0, _ rest: [UInt8] = [0x55]) throws
        -> OpusPacket
    {
        try OpusPacket([configuration << 3 | (stereo ? 4 : 0) | code] + rest)
    }

    @Test("the table of contents tells mode, bandwidth and duration as table 2 of RFC 6716 has them")
    func table() throws {
        let rows: [(ClosedRange<UInt8>, OpusTOC.Mode, OpusTOC.Bandwidth, [Int])] = [
            (0...3, .silk, .narrowband, [10_000, 20_000, 40_000, 60_000]),
            (4...7, .silk, .mediumband, [10_000, 20_000, 40_000, 60_000]),
            (8...11, .silk, .wideband, [10_000, 20_000, 40_000, 60_000]),
            (12...13, .hybrid, .superwideband, [10_000, 20_000]), (14...15, .hybrid, .fullband, [10_000, 20_000]),
            (16...19, .celt, .narrowband, [2500, 5000, 10_000, 20_000]),
            (20...23, .celt, .wideband, [2500, 5000, 10_000, 20_000]),
            (24...27, .celt, .superwideband, [2500, 5000, 10_000, 20_000]),
            (28...31, .celt, .fullband, [2500, 5000, 10_000, 20_000]),
        ]
        for (configurations, mode, bandwidth, durations) in rows {
            for (configuration, microseconds) in zip(configurations, durations) {
                let packet = try packet(configuration)
                #expect(packet.toc.mode == mode && packet.toc.bandwidth == bandwidth)
                #expect(packet.duration == .microseconds(microseconds))
                #expect(packet.samples * 1000 == microseconds * 48)
            }
        }
    }

    @Test("the stereo flag tells channels")
    func channels() throws {
        #expect(try packet(31).toc.channels == 1)
        #expect(try packet(31, stereo: true).toc.channels == 2)
    }

    @Test("frames lie where section 3.2 puts them")
    func framing() throws {
        #expect(try packet(31, code: 0, [1, 2, 3]).frames == [1..<4])
        #expect(try packet(31, code: 1, [1, 2, 3, 4]).frames == [1..<3, 3..<5])
        #expect(try packet(31, code: 2, [1, 9, 8, 8]).frames == [2..<3, 3..<5])
        let long = [UInt8](repeating: 7, count: 300)
        #expect(try packet(31, code: 2, [253, 1] + long).frames == [3..<260, 260..<303])
        #expect(try packet(31, code: 3, [3, 1, 1, 2, 2, 3, 3]).frames == [2..<4, 4..<6, 6..<8])
        #expect(try packet(31, code: 3, [0x83, 1, 0, 9, 8, 8]).frames == [4..<5, 5..<5, 5..<7])
        #expect(try packet(31, code: 3, [0x42, 2, 1, 2, 0, 0]).frames == [3..<4, 4..<5])
        let padding = [UInt8](repeating: 0, count: 254 + 1)
        #expect(try packet(31, code: 3, [0x41, 255, 1, 6] + padding).frames == [4..<5])
    }

    @Test("a packet may lie anywhere in a datagram")
    func inDatagram() throws {
        let datagram: [UInt8] = [0xFF, 0xFF, 31 << 3 | 1, 1, 2, 0xFF]
        let packet = try datagram.read { (span) throws(OpusPacketError) in try OpusPacket(span, 2..<5) }
        #expect(packet.frames == [3..<4, 4..<5])
        for range in [4..<9, 9..<12, -2..<3] {
            #expect(throws: OpusPacketError.truncated) {
                try datagram.read { (span) throws(OpusPacketError) in try OpusPacket(span, range) }
            }
        }
    }

    @Test("what breaks a rule of section 3.4 is no packet, and says which")
    func malformed() throws {
        #expect(throws: OpusPacketError.truncated) { try OpusPacket([]) }
        #expect(throws: OpusPacketError.frameTooLong) { try packet(31, Array(repeating: 0, count: 1276)) }
        #expect(try packet(31, Array(repeating: 0, count: 1275)).frames.count == 1)
        #expect(throws: OpusPacketError.unevenFrames) { try packet(31, code: 1, [1]) }
        for rest: [UInt8] in [[], [252], [1], [5, 1, 2, 3]] {
            #expect(throws: OpusPacketError.truncated) { try packet(31, code: 2, rest) }
        }
        for rest: [UInt8] in [[0], [7] + Array(repeating: 0, count: 7)] {
            #expect(throws: OpusPacketError.frameCount) { try packet(31, code: 3, rest) }
        }
        #expect(try packet(28, code: 3, [48]).duration == .milliseconds(120))
        #expect(throws: OpusPacketError.frameCount) { try packet(28, code: 3, [49]) }
        #expect(throws: OpusPacketError.unevenFrames) { try packet(31, code: 3, [2, 1, 2, 3]) }
        for rest: [UInt8] in [[], [0x41], [0x41, 255], [0x41, 2, 1], [0x82], [0x82, 2, 1], [0x83, 1, 254]] {
            #expect(throws: OpusPacketError.truncated) { try packet(31, code: 3, rest) }
        }
    }

    @Test("a packet without any frame's bytes is empty: the decoder conceals")
    func empty() throws {
        #expect(try packet(31, []).isEmpty)
        #expect(try packet(31, code: 2, [0]).isEmpty)
        #expect(try packet(31, code: 3, [6]).isEmpty)
        #expect(try !packet(31, code: 2, [0, 1]).isEmpty)
    }

    @Test("the copy of the packet before shows by its flag, behind those of voice activity")
    func copies() throws {
        // Mono of 20 ms: one flag of activity, then the copy's.
        #expect(try packet(9, [0b0100_0000]).hasFEC && !packet(9, [0b1011_1111]).hasFEC)
        // Stereo: both for the mid channel, then both for the side.
        #expect(try packet(9, stereo: true, [0b0001_0000]).hasFEC && !packet(9, stereo: true, [0b1010_1111]).hasFEC)
        // 60 ms: three flags of activity.
        #expect(try packet(11, [0b0001_0000]).hasFEC && !packet(11, [0b1110_1111]).hasFEC)
        #expect(try packet(11, stereo: true, [0b0000_0001]).hasFEC && !packet(11, stereo: true, [0b1110_1110]).hasFEC)
        #expect(try packet(15, [0b0100_0000]).hasFEC)
        #expect(try !packet(31, [0xFF]).hasFEC && !packet(9, []).hasFEC)
    }

    @Test("random bytes are a packet or a typed error (seed 6716)")
    func random() {
        var random = SeededGenerator(seed: 6716)
        for _ in 0..<50_000 {
            let bytes = (0..<Int.random(in: 0...24, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            guard let packet = try? OpusPacket(bytes) else { continue }
            #expect(120...5760 ~= packet.samples)
            #expect(packet.frames.allSatisfy { $0.lowerBound >= 1 && $0.upperBound <= bytes.count })
        }
    }
}
