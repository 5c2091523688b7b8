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
        constraintFlags = UInt8(try reader.bits(8))
        levelIDC = UInt8(try reader.bits(8))
        id = try reader.unsigned(upTo: UInt32(Limits.sequenceParameterSets - 1))
        var format = ChromaFormat()
        if Self.profilesWithChromaFormat.contains(profileIDC) { format = try ChromaFormat(&reader) }
        // log2_max_frame_num_minus4 is 0…12 (§ 7.4.2.1.1).
        log2MaxFrameNum = try reader.unsigned(upTo: 12) + 4
        pictureOrderCount = try PictureOrderCount(&reader)
        maxReferenceFrames = try reader.unsigned(upTo: 16)
        gapsInFrameNumAllowed = try reader.flag()
        widthInMacroblocks = try reader.unsigned(upTo: UInt32(Limits.macroblocksPerSide - 1)) + 1
        heightInMapUnits = try reader.unsigned(upTo: UInt32(Limits.macroblocksPerSide - 1)) + 1
        frameMacroblocksOnly = try reader.flag()
        if !frameMacroblocksOnly { macroblockAdaptiveFrameField = try reader.flag() }
        direct8x8Inference = try reader.flag()
        (chromaFormatIDC, hasSeparateColourPlanes) = (format.idc, format.hasSeparatePlanes)
        (bitDepthLuma, bitDepthChroma) = (format.depthLuma, format.depthChroma)
        (bypassesTransformWhenLossless, scalingLists) = (format.bypassesTransform, format.scalingLists)
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
        if layout.isPresent { vui = try? VUIParameters(&reader, &layout) }
    }

    /// The profiles whose sets say the chroma format (§ 7.3.2.1.1).
    private static let profilesWithChromaFormat: Set<UInt8> = [
        100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135,
    ]

    private struct ChromaFormat {
        var idc = 1
        var hasSeparatePlanes = false
        var depthLuma = 8
        var depthChroma = 8
        var bypassesTransform = false
        var scalingLists: [ScalingList]?

        init() {}

        init(_ reader: inout BitReader) throws(H264SyntaxError) {
            idc = try reader.unsigned(upTo: 3)
            if idc == 3 { hasSeparatePlanes = try reader.flag() }
            depthLuma = try reader.unsigned(upTo: 6) + 8
            depthChroma = try reader.unsigned(upTo: 6) + 8
            bypassesTransform = try reader.flag()
            if try reader.flag() { scalingLists = try ScalingList.lists(&reader, count: idc == 3 ? 12 : 8) }
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
            let offsetForNonReference = try reader.signed()
            let offsetForTopToBottom = try reader.signed()
            var cycle: [Int32] = []
            // num_ref_frames_in_pic_order_cnt_cycle is 0…255.
            for _ in 0..<(try reader.unsigned(upTo: 255)) { cycle.append(try reader.signed()) }
            self = .type1(
                deltaAlwaysZero: deltaAlwaysZero, offsetForNonReference: offsetForNonReference,
                offsetForTopToBottom: offsetForTopToBottom, cycle: cycle)
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
