/// Video usability information (ITU-T H.264 § E.1.1); what is nil isn't present.
package struct VUIParameters: Hashable, Sendable {
    package var aspectRatio: AspectRatio?
    package var overscanAppropriate: Bool?
    package var videoSignal: VideoSignal?
    package var chromaLocation: ChromaLocation?
    package var timing: VideoTiming?
    package var nalHRD: HRDParameters?
    package var vclHRD: HRDParameters?
    package var lowDelayHRD: Bool?
    package var hasPictureStructure = false
    package var bitstreamRestriction: BitstreamRestriction?

    package init() {}

    package struct AspectRatio: Hashable, Sendable {
        /// Table E-1; 255 is "as given".
        package var indicator: UInt8
        package var sampleWidth: UInt16
        package var sampleHeight: UInt16
    }

    package struct VideoSignal: Hashable, Sendable {
        package var format: UInt8
        package var isFullRange: Bool
        package var colour: ColourDescription?
    }

    /// Tables E-3 to E-5: 1 is BT.709, 6 is BT.601.
    package struct ColourDescription: Hashable, Sendable {
        package var primaries: UInt8
        package var transferCharacteristics: UInt8
        package var matrixCoefficients: UInt8
    }

    package struct ChromaLocation: Hashable, Sendable {
        package var topField: UInt8
        package var bottomField: UInt8
    }

    package struct BitstreamRestriction: Hashable, Sendable {
        package var motionVectorsOverBoundaries: Bool
        package var maxBytesPerPictureDenominator: UInt8
        package var maxBitsPerMacroblockDenominator: UInt8
        package var log2MaxMotionVectorLengthHorizontal: UInt8
        package var log2MaxMotionVectorLengthVertical: UInt8
        package var maxReorderFrames: UInt8
        package var maxDecodedFrameBuffering: UInt8
    }
}

/// Hypothetical reference decoder parameters (§ E.1.2), as coded.
package struct HRDParameters: Hashable, Sendable {
    package struct Schedule: Hashable, Sendable {
        package var bitRateMinus1: UInt32
        package var bufferSizeMinus1: UInt32
        package var isConstantBitRate: Bool
    }

    package var bitRateScale: UInt8
    package var bufferSizeScale: UInt8
    package var schedules: [Schedule]
    package var initialRemovalDelayLengthMinus1: UInt8
    package var removalDelayLengthMinus1: UInt8
    package var outputDelayLengthMinus1: UInt8
    package var timeOffsetLength: UInt8
}
