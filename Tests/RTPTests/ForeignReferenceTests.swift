import Testing

@testable import RTP

/// Streams as encoders of other makes write them; by hand, without one.
@Suite("References of encoders that use more of H.264")
struct ForeignReferenceTests {
    var gapsAllowed = false
    var hasFields = false

    private var sets: [[UInt8]] {
        var sequence = BitWriter()
        for byte in [77, 0, 30] as [UInt32] { sequence.bits(byte, 8) }
        // Identifier; log2_max_frame_num is 8, pic_order_cnt_type 2; two references.
        for value in [0, 4, 2, 2] { sequence.unsigned(value) }
        sequence.flag(gapsAllowed)
        for side in [3, 3] { sequence.unsigned(side) }
        sequence.flag(!hasFields)
        if hasFields { sequence.flag(false) }
        for flag in [true, false, false] { sequence.flag(flag) }
        sequence.trailingBits()
        var picture = BitWriter()
        for value in [0, 0] { picture.unsigned(value) }
        for _ in 0..<2 { picture.flag(false) }
        for value in [0, 0, 0] { picture.unsigned(value) }
        picture.bits(0, 3)
        for _ in 0..<3 { picture.signed(0) }
        picture.bits(0, 3)
        picture.trailingBits()
        return [[0x67] + sequence.bytes, [0x68] + picture.bytes]
    }

    private func keyframe() -> AccessUnit {
        var slice = BitWriter()
        for value in [0, 7, 0] { slice.unsigned(value) }
        slice.bits(0, 8)
        if hasFields { slice.flag(false) }
        slice.unsigned(0)
        slice.bits(0, 2)
        return unit(sets + [end(slice, header: 0x65)])
    }

    /// A reference.
    ///
    /// - Parameters:
    ///   - isBottom: of a field; nil: a frame.
    ///   - operations: for memory management, with their operands.
    private func picture(
        _ frameNum: UInt32, isBottom: Bool? = nil, operations: [Int] = [], lost: Int = 0
    ) -> AccessUnit {
        var slice = BitWriter()
        for value in [0, 5, 0] { slice.unsigned(value) }
        slice.bits(frameNum, 8)
        if hasFields { slice.flag(isBottom != nil) }
        if let isBottom { slice.flag(isBottom) }
        slice.bits(0, 2)
        slice.flag(!operations.isEmpty)
        for value in operations { slice.unsigned(value) }
        if !operations.isEmpty { slice.unsigned(0) }
        return unit([end(slice, header: 0x61)], lost: lost)
    }

    private func end(_ slice: BitWriter, header: UInt8) -> [UInt8] {
        var slice = slice
        slice.signed(0)
        slice.trailingBits()
        return [header] + slice.bytes + [0x55, 0x55, 0x55]
    }

    private func unit(_ nalUnits: [[UInt8]], lost: Int = 0) -> AccessUnit {
        var unit = AccessUnit(
            bytes: [], nalUnits: [], timestamp: 0, isKeyframe: nalUnits.count > 1, isComplete: true, packetsLostBefore: lost)
        for nalUnit in nalUnits {
            unit.nalUnits.append(unit.bytes.count..<unit.bytes.count + nalUnit.count)
            unit.bytes += nalUnit
        }
        return unit
    }

    private func verdicts(_ units: AccessUnit...) -> [ReferenceChain.Verdict] {
        var chain = ReferenceChain()
        return ([keyframe()] + units).map { chain.judge($0) }
    }

    @Test("A picture that resets memory management counts as number zero (§ 7.4.3)")
    func reset() {
        #expect(verdicts(picture(1, operations: [5]), picture(1), picture(2)).allSatisfy { $0 == .decodable })
        #expect(verdicts(picture(1), picture(1)).last == .skip(.missingReference))
    }

    @Test("The second field of a frame has the number of the first")
    mutating func fields() {
        hasFields = true
        let pair = [false, true].map { picture(1, isBottom: $0) }
        #expect(verdicts(pair[0], pair[1], picture(2, isBottom: false)).allSatisfy { $0 == .decodable })
    }

    @Test("Where gaps are allowed, one is none but where packets got lost")
    mutating func gaps() {
        gapsAllowed = true
        #expect(verdicts(picture(1), picture(4)).allSatisfy { $0 == .decodable })
        #expect(verdicts(picture(1), picture(4, lost: 1)).last == .skip(.missingReference))
        gapsAllowed = false
        #expect(verdicts(picture(1), picture(4)).last == .skip(.missingReference))
    }

    @Test("A long-term reference is not repeated: the list that a repetition refers to begins with another")
    func longTerm() throws {
        var repeater = PictureRepeater()
        let first = keyframe()
        try repeater.observe(first.bytes, nalUnits: first.nalUnits)
        _ = try repeater.makeUnit()
        // One long-term index, which this picture gets.
        let second = picture(1, operations: [4, 1, 6, 0])
        try repeater.observe(second.bytes, nalUnits: second.nalUnits)
        #expect(throws: SkipSliceError.notAReference) { try repeater.makeUnit() }
    }
}
