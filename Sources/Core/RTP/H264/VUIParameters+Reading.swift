/// Where in an RBSP the VUI and its timing stand, as bit positions, for rewriting.
struct VUILayout: Sendable {
    /// `vui_parameters_present_flag`.
    var presenceFlag = 0
    /// It says so, readable or not.
    var isPresent = false
    /// From `timing_info_present_flag` to behind `fixed_frame_rate_flag`; nil without VUI.
    var timing: Range<Int>?
}

extension VUIParameters {
    init(_ reader: inout BitReader, _ layout: inout VUILayout) throws(H264SyntaxError) {
        self.init()
        if try reader.flag() { aspectRatio = try AspectRatio(&reader) }
        if try reader.flag() { overscanAppropriate = try reader.flag() }
        if try reader.flag() { videoSignal = try VideoSignal(&reader) }
        if try reader.flag() {
            chromaLocation = ChromaLocation(
                topField: UInt8(try reader.unsigned(upTo: 5)), bottomField: UInt8(try reader.unsigned(upTo: 5)))
        }
        let timingStart = reader.position
        if try reader.flag() { timing = try VideoTiming(&reader) }
        layout.timing = timingStart..<reader.position
        if try reader.flag() { nalHRD = try HRDParameters(&reader) }
        if try reader.flag() { vclHRD = try HRDParameters(&reader) }
        if nalHRD != nil || vclHRD != nil { lowDelayHRD = try reader.flag() }
        hasPictureStructure = try reader.flag()
        if try reader.flag() { bitstreamRestriction = try BitstreamRestriction(&reader) }
    }

    /// A VUI that says nothing but the timing.
    static func write(only timing: VideoTiming, to writer: inout BitWriter) {
        // aspect_ratio_info, overscan_info, video_signal_type and chroma_loc_info are not present.
        writer.bits(0, 4)
        timing.write(to: &writer)
        // Nor are nal_hrd, vcl_hrd, pic_struct and bitstream_restriction.
        writer.bits(0, 4)
    }
}

extension VUIParameters.AspectRatio {
    /// Table E-1: the size of a sample follows.
    private static let extended: UInt8 = 255

    fileprivate init(_ reader: inout BitReader) throws(H264SyntaxError) {
        indicator = UInt8(try reader.bits(8))
        sampleWidth = indicator == Self.extended ? UInt16(try reader.bits(16)) : 0
        sampleHeight = indicator == Self.extended ? UInt16(try reader.bits(16)) : 0
    }
}

extension VUIParameters.VideoSignal {
    fileprivate init(_ reader: inout BitReader) throws(H264SyntaxError) {
        format = UInt8(try reader.bits(3))
        isFullRange = try reader.flag()
        guard try reader.flag() else {
            colour = nil
            return
        }
        colour = VUIParameters.ColourDescription(
            primaries: UInt8(try reader.bits(8)), transferCharacteristics: UInt8(try reader.bits(8)),
            matrixCoefficients: UInt8(try reader.bits(8)))
    }
}

extension VideoTiming {
    fileprivate init(_ reader: inout BitReader) throws(H264SyntaxError) {
        unitsInTick = try reader.bits(32)
        timeScale = try reader.bits(32)
        isFixedFrameRate = try reader.flag()
    }

    /// With `timing_info_present_flag`.
    func write(to writer: inout BitWriter) {
        writer.flag(true)
        writer.bits(unitsInTick, 32)
        writer.bits(timeScale, 32)
        writer.flag(isFixedFrameRate)
    }
}

extension HRDParameters {
    fileprivate init(_ reader: inout BitReader) throws(H264SyntaxError) {
        // `cpb_cnt_minus1` is 0…31 (§ E.2.2).
        let count = try reader.unsigned(upTo: 31) + 1
        bitRateScale = UInt8(try reader.bits(4))
        bufferSizeScale = UInt8(try reader.bits(4))
        schedules = []
        for _ in 0..<count {
            schedules.append(
                Schedule(
                    bitRateMinus1: try reader.unsigned(), bufferSizeMinus1: try reader.unsigned(),
                    isConstantBitRate: try reader.flag()))
        }
        initialRemovalDelayLengthMinus1 = UInt8(try reader.bits(5))
        removalDelayLengthMinus1 = UInt8(try reader.bits(5))
        outputDelayLengthMinus1 = UInt8(try reader.bits(5))
        timeOffsetLength = UInt8(try reader.bits(5))
    }
}

extension VUIParameters.BitstreamRestriction {
    /// Bounds of § E.2.1.
    fileprivate init(_ reader: inout BitReader) throws(H264SyntaxError) {
        motionVectorsOverBoundaries = try reader.flag()
        maxBytesPerPictureDenominator = UInt8(try reader.unsigned(upTo: 16))
        maxBitsPerMacroblockDenominator = UInt8(try reader.unsigned(upTo: 16))
        log2MaxMotionVectorLengthHorizontal = UInt8(try reader.unsigned(upTo: 16))
        log2MaxMotionVectorLengthVertical = UInt8(try reader.unsigned(upTo: 16))
        maxReorderFrames = UInt8(try reader.unsigned(upTo: 16))
        maxDecodedFrameBuffering = UInt8(try reader.unsigned(upTo: 16))
    }
}
