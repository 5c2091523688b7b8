extension SequenceParameterSet {
    /// - Parameter nalUnit: where it lies in `bytes`, header included.
    package init(_ bytes: [UInt8], nalUnit: Range<Int>) throws(H264SyntaxError) {
        var reader = try Self.reader(bytes, nalUnit)
        var layout = VUILayout()
        try self.init(&reader, &layout)
    }

    /// - Parameter nalUnit: header included, no start code.
    package init(_ nalUnit: [UInt8]) throws(H264SyntaxError) {
        try self.init(nalUnit, nalUnit: nalUnit.indices)
    }

    static func reader(_ bytes: [UInt8], _ nalUnit: Range<Int>) throws(H264SyntaxError) -> BitReader {
        guard nalUnit.lowerBound >= 0, nalUnit.upperBound <= bytes.count, !nalUnit.isEmpty else { throw .truncated }
        guard nalUnit.count <= Limits.parameterSetBytes else { throw .outOfRange }
        guard NALUnitType(header: bytes[nalUnit.lowerBound]) == .sequenceParameterSet else { throw .wrongType }
        return BitReader(EmulationPrevention.rbsp(bytes, nalUnit, limit: Limits.parameterSetBytes))
    }

    init(_ reader: inout BitReader, _ layout: inout VUILayout) throws(H264SyntaxError) {
        profileIDC = UInt8(try reader.bits(8))
        try reader.skip(16)  // constraint flags, level_idc
        id = try reader.unsigned(upTo: UInt32(Limits.sequenceParameterSets - 1))
        if Self.profilesWithChromaFormat.contains(profileIDC) {
            (chromaFormatIDC, hasSeparateColourPlanes) = try Self.chromaFormat(&reader)
        }
        // log2_max_frame_num_minus4 is 0…12 (§ 7.4.2.1.1).
        log2MaxFrameNum = try reader.unsigned(upTo: 12) + 4
        pictureOrderCount = try PictureOrderCount(&reader)
        maxReferenceFrames = try reader.unsigned(upTo: 16)
        gapsInFrameNumAllowed = try reader.flag()
        widthInMacroblocks = try reader.unsigned(upTo: UInt32(Limits.macroblocksPerSide - 1)) + 1
        heightInMapUnits = try reader.unsigned(upTo: UInt32(Limits.macroblocksPerSide - 1)) + 1
        frameMacroblocksOnly = try reader.flag()
        if !frameMacroblocksOnly { try reader.skip(1) }  // mb_adaptive_frame_field_flag
        try reader.skip(1)  // direct_8x8_inference_flag
        try readEnd(&reader, &layout)
    }

    private mutating func readEnd(_ reader: inout BitReader, _ layout: inout VUILayout) throws(H264SyntaxError) {
        if try reader.flag() { cropping = try Cropping(&reader) }
        guard widthInMacroblocks * heightInMacroblocks <= Limits.macroblocksPerPicture, width > 0, height > 0 else {
            throw .outOfRange
        }
        layout.presenceFlag = reader.position
        layout.isPresent = try reader.flag()
        // Some encoders cut it short. It ends the set, and no decoding depends on it.
        if layout.isPresent { timing = try? layout.readTiming(&reader) }
    }

    /// The profiles whose sets say the chroma format (§ 7.3.2.1.1).
    private static let profilesWithChromaFormat: Set<UInt8> = [
        100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135,
    ]

    private static func chromaFormat(
        _ reader: inout BitReader
    ) throws(H264SyntaxError) -> (idc: Int, hasSeparateColourPlanes: Bool) {
        let idc = try reader.unsigned(upTo: 3)
        let hasSeparateColourPlanes = idc == 3 ? try reader.flag() : false
        for _ in 0..<2 { _ = try reader.unsigned(upTo: 6) }  // bit depths
        try reader.skip(1)  // qpprime_y_zero_transform_bypass_flag
        if try reader.flag() { try skipScalingLists(&reader, count: idc == 3 ? 12 : 8) }
        return (idc, hasSeparateColourPlanes)
    }

    /// The first six of 16 coefficients, the others of 64 (§ 7.3.2.1.1.1).
    private static func skipScalingLists(_ reader: inout BitReader, count: Int) throws(H264SyntaxError) {
        for index in 0..<count where try reader.flag() {
            var last: Int32 = 8
            for _ in 0..<(index < 6 ? 16 : 64) {
                last = (last + (try reader.signed(in: -128...127)) + 256) % 256
                // "The same as the last" for all that follow, or the default list where it is the first.
                if last == 0 { break }
            }
        }
    }
}

extension SequenceParameterSet.PictureOrderCount {
    fileprivate init(_ reader: inout BitReader) throws(H264SyntaxError) {
        switch try reader.unsigned(upTo: 2) {
        case 0:
            self = .type0(log2MaxLsb: try reader.unsigned(upTo: 12) + 4)
        case 1:
            let deltaAlwaysZero = try reader.flag()
            // offset_for_non_ref_pic, offset_for_top_to_bottom_field
            for _ in 0..<2 { _ = try reader.signed() }
            // offset_for_ref_frame; num_ref_frames_in_pic_order_cnt_cycle is 0…255.
            for _ in 0..<(try reader.unsigned(upTo: 255)) { _ = try reader.signed() }
            self = .type1(deltaAlwaysZero: deltaAlwaysZero)
        default:
            self = .type2
        }
    }
}

extension SequenceParameterSet.Cropping {
    fileprivate init(_ reader: inout BitReader) throws(H264SyntaxError) {
        // In units of one or two pixels, so never more than a side has.
        let most = UInt32(Limits.macroblocksPerSide * 16)
        left = try reader.unsigned(upTo: most)
        right = try reader.unsigned(upTo: most)
        top = try reader.unsigned(upTo: most)
        bottom = try reader.unsigned(upTo: most)
    }
}
