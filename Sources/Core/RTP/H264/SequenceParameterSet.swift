/// A sequence parameter set (ITU-T H.264 § 7.3.2.1.1): what slice headers depend on, the size, and the timing.
package struct SequenceParameterSet: Hashable, Sendable {
    /// How pictures say their order (`pic_order_cnt_type`).
    package enum PictureOrderCount: Hashable, Sendable {
        case type0(log2MaxLsb: Int)
        case type1(deltaAlwaysZero: Bool)
        case type2
    }

    /// In crop units from each side.
    package struct Cropping: Hashable, Sendable {
        var left: Int
        var right: Int
        var top: Int
        var bottom: Int
    }

    package var profileIDC: UInt8
    package var id: Int
    /// 0 monochrome, 1 4:2:0, 2 4:2:2, 3 4:4:4.
    package var chromaFormatIDC = 1
    package var hasSeparateColourPlanes = false
    package var log2MaxFrameNum: Int
    package var pictureOrderCount: PictureOrderCount
    package var maxReferenceFrames: Int
    package var gapsInFrameNumAllowed: Bool
    package var widthInMacroblocks: Int
    package var heightInMapUnits: Int
    /// False where pictures may be fields.
    package var frameMacroblocksOnly: Bool
    package var cropping: Cropping?
    /// That of the VUI; nil also where that ends too early, or has values that it may not have.
    package var timing: VideoTiming?

    package var maxFrameNum: Int { 1 << log2MaxFrameNum }
    package var heightInMacroblocks: Int { heightInMapUnits * (frameMacroblocksOnly ? 1 : 2) }

    /// The width in pixels that is shown.
    package var width: Int {
        let unit = chromaArrayType == 1 || chromaArrayType == 2 ? 2 : 1
        return widthInMacroblocks * 16 - unit * ((cropping?.left ?? 0) + (cropping?.right ?? 0))
    }

    /// The height in pixels that is shown.
    package var height: Int {
        let unit = (chromaArrayType == 1 ? 2 : 1) * (frameMacroblocksOnly ? 1 : 2)
        return heightInMacroblocks * 16 - unit * ((cropping?.top ?? 0) + (cropping?.bottom ?? 0))
    }

    /// `ChromaArrayType` (§ 7.4.2.1.1).
    var chromaArrayType: Int { hasSeparateColourPlanes ? 0 : chromaFormatIDC }
}
