/// Where in an RBSP the VUI and its timing stand, as bit positions, for rewriting.
struct VUILayout: Sendable {
    /// `vui_parameters_present_flag`.
    var presenceFlag = 0
    /// It says so, readable or not.
    var isPresent = false
    /// From `timing_info_present_flag` to behind `fixed_frame_rate_flag`; nil without VUI, and where it can't be read so far.
    var timing: Range<Int>?
}

extension VUILayout {
    /// Table E-1: the size of a sample follows.
    private static let extendedAspectRatio: UInt32 = 255

    /// Reads the video usability information (ITU-T H.264 § E.1.1) as far as its timing.
    mutating func readTiming(_ reader: inout BitReader) throws(H264SyntaxError) -> VideoTiming? {
        if try reader.flag(), try reader.bits(8) == Self.extendedAspectRatio { try reader.skip(32) }
        if try reader.flag() { try reader.skip(1) }  // overscan_appropriate_flag
        if try reader.flag() {
            try reader.skip(4)  // video_format, video_full_range_flag
            if try reader.flag() { try reader.skip(24) }  // colour_description
        }
        if try reader.flag() {
            for _ in 0..<2 { _ = try reader.unsigned(upTo: 5) }  // chroma_sample_loc_type of both fields
        }
        let start = reader.position
        let told = try reader.flag() ? VideoTiming(&reader) : nil
        timing = start..<reader.position
        return told
    }
}
