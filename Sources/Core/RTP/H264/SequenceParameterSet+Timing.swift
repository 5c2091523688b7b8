extension SequenceParameterSet {
    /// The same NAL unit with this timing in its VUI; every other bit stays as it was. A VUI that can't be read
    /// as far as its timing can't be rewritten.
    package static func settingTiming(
        _ timing: VideoTiming, in nalUnit: [UInt8]
    ) throws(H264SyntaxError) -> [UInt8] {
        var layout = VUILayout()
        var parser = try reader(nalUnit, nalUnit.indices)
        _ = try SequenceParameterSet(&parser, &layout)
        if layout.isPresent, layout.timing == nil { throw .truncated }

        var source = try reader(nalUnit, nalUnit.indices)
        var writer = BitWriter()
        if let present = layout.timing {
            try writer.copy(present.lowerBound, from: &source)
            timing.write(to: &writer)
            try source.skip(present.count)
        } else {
            try writer.copy(layout.presenceFlag, from: &source)
            writer.flag(true)
            writer.bits(0, 4)  // no aspect_ratio, overscan, video_signal_type, chroma_loc
            timing.write(to: &writer)
            try source.skip(1)
        }
        // No nal_hrd, vcl_hrd, pic_struct, bitstream_restriction: the VUI is new, or was cut off here.
        if layout.timing == nil || !source.hasMoreData { writer.bits(0, 4) }
        try writer.copy(max(0, source.trailingBit - source.position), from: &source)
        writer.trailingBits()
        return EmulationPrevention.nalUnit(header: nalUnit[0], rbsp: writer.bytes)
    }
}
