import RTP
import TestSupport
import Testing

@Suite("Annex B byte streams")
struct AnnexBTests {
    @Test("Start codes of three and four bytes, and zeros around them, are no part of a NAL unit")
    func split() {
        let stream: [UInt8] = [
            9, 0, 0, 0, 1, 0x67, 1, 2, 0, 0, 1, 0x68, 3, 0, 0, 0, 0, 0, 1, 0x65, 0, 0, 3, 1, 4, 0, 0,
        ]
        #expect(AnnexB.split(stream).map { Array(stream[$0]) } == [[0x67, 1, 2], [0x68, 3], [0x65, 0, 0, 3, 1, 4]])
    }

    @Test("Without a start code there is no NAL unit, and empty ones are passed over")
    func nothing() {
        for stream: [UInt8] in [[], [0], [0, 0], [0, 0, 1], [1, 2, 3, 4], [0, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0]] {
            #expect(AnnexB.split(stream) == [])
        }
        #expect(AnnexB.split([0, 0, 1, 0x65]) == [3..<4])
    }

    @Test("What is written is split into the same NAL units (seed 6)")
    func roundTrip() {
        var random = SeededGenerator(seed: 6)
        for _ in 0..<300 {
            var unit = TestStream.Unit()
            for _ in 0..<Int.random(in: 1...5, using: &random) {
                // Two zeros are followed by more than 3, as emulation prevention has it; the last byte isn't 0.
                var nalUnit: [UInt8] = [0x65]
                for _ in 0..<Int.random(in: 0...40, using: &random) {
                    let zeros = nalUnit.suffix(2) == [0, 0]
                    nalUnit.append(zeros ? 3 : UInt8.random(in: 0...3, using: &random))
                }
                unit.append(nalUnit + [0x80])
            }
            var stream: [UInt8] = []
            AnnexB.append(unit.bytes, nalUnits: unit.nalUnits, to: &stream)
            #expect(AnnexB.split(stream).map { Array(stream[$0]) } == unit.content)
        }
    }

    @Test("Ranges outside the bytes are not written")
    func outside() {
        var stream: [UInt8] = []
        AnnexB.append([0x65], nalUnits: [0..<2, 0..<1], to: &stream)
        #expect(stream == [0, 0, 0, 1, 0x65])
    }
}
