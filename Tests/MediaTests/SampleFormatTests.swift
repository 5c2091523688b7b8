import Media
import TestSupport
import Testing

@Suite("Sample formats")
struct SampleFormatTests {
    private func samples(_ bytes: [UInt8], _ encoding: SampleFormat.Encoding, _ order: SampleFormat.ByteOrder)
        -> [Float]
    {
        SampleFormat(encoding, order).samples(from: bytes.span.bytes)
    }

    @Test(
        "full scale, half of it, nothing and one step below are what they should be",
        arguments: [
            (.unsigned8, [[0x00], [0x80], [0xC0], [0x7F]], 0x1p-7),
            (.signed16, [[0x80, 0], [0, 0], [0x40, 0], [0xFF, 0xFF]], 0x1p-15),
            (.signed24, [[0x80, 0, 0], [0, 0, 0], [0x40, 0, 0], [0xFF, 0xFF, 0xFF]], 0x1p-23),
            (.signed24In32, [[9, 0x80, 0, 0], [9, 0, 0, 0], [0, 0x40, 0, 0], [7, 0xFF, 0xFF, 0xFF]], 0x1p-23),
            (.signed32, [[0x80, 0, 0, 0], [0, 0, 0, 0], [0x40, 0, 0, 0], [0xFF, 0xFF, 0xFF, 0]], 0x1p-23),
        ] as [(SampleFormat.Encoding, [[UInt8]], Float)])
    func values(encoding: SampleFormat.Encoding, bigEndian: [[UInt8]], step: Float) {
        let expected: [Float] = [-1, 0, 0.5, -step]
        #expect(samples(bigEndian.flatMap { $0 }, encoding, .big) == expected)
        #expect(samples(bigEndian.flatMap { $0.reversed() }, encoding, .little) == expected)
        #expect(SampleFormat(encoding).bytesPerSample == bigEndian[0].count)
    }

    @Test("every value of 16 bits comes out exactly, in both byte orders")
    func sixteenBits() {
        let all = (Int16.min...Int16.max).map { $0 }
        let little = all.flatMap { value in withUnsafeBytes(of: value.littleEndian) { Array($0) } }
        let big = all.flatMap { value in withUnsafeBytes(of: value.bigEndian) { Array($0) } }
        let expected = all.map { Float($0) / 32_768 }
        #expect(samples(little, .signed16, .little) == expected)
        #expect(samples(big, .signed16, .big) == expected)
    }

    @Test("floats are taken as they are, beyond full scale too, and what is no number or far too loud is silence")
    func floats() {
        let values: [Float] = [0, -1, 1, 0.25, -0x1p-30, 1.5, -9, 1001, .infinity, -.infinity, .nan, .leastNonzeroMagnitude]
        let expected: [Float] = [0, -1, 1, 0.25, -0x1p-30, 1.5, -9, 0, 0, 0, 0, .leastNonzeroMagnitude]
        let little = values.flatMap { value in withUnsafeBytes(of: value.bitPattern.littleEndian) { Array($0) } }
        let big = values.flatMap { value in withUnsafeBytes(of: value.bitPattern.bigEndian) { Array($0) } }
        #expect(samples(little, .float32, .little) == expected)
        #expect(samples(big, .float32, .big) == expected)
    }

    @Test("what is appended stands behind what was there")
    func appended() {
        let bytes = (0..<24).map { UInt8($0 * 10) }
        for encoding in SampleFormat.Encoding.allCases {
            for order in SampleFormat.ByteOrder.allCases {
                var all: [Float] = [7, 8]
                SampleFormat(encoding, order).append(from: bytes.span.bytes, to: &all)
                SampleFormat(encoding, order).append(from: [UInt8]().span.bytes, to: &all)
                #expect(all == [7, 8] + samples(bytes, encoding, order))
            }
        }
    }

    @Test("any number of any bytes gives whole samples, integers within full scale and floats within 60 dB above it (seed 24)")
    func anyBytes() {
        var random = SeededGenerator(seed: 24)
        for encoding in SampleFormat.Encoding.allCases {
            let most: Float = encoding == .float32 ? 1000 : 1
            for order in SampleFormat.ByteOrder.allCases {
                for count in 0..<33 {
                    let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
                    let samples = samples(bytes, encoding, order)
                    #expect(samples.count == count / SampleFormat(encoding).bytesPerSample)
                    #expect(samples.allSatisfy { $0.magnitude <= most })
                }
            }
        }
    }
}
