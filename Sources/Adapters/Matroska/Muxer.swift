import CAVFormat
import Glibc
import RTP

/// libavformat's Matroska muxer, packets in, bytes out: the only owner of its `AVFormatContext`.
final class Muxer {
    private let library: ContainerLibrary
    private let context: UnsafeMutablePointer<AVFormatContext>
    private let sink = ByteSink()

    init(_ library: ContainerLibrary) throws(ContainerError) {
        guard let context = format_new(library.handle, "matroska") else {
            throw .noLibrary(name: ContainerLibrary.name, reason: "it is built without Matroska")
        }
        (self.library, self.context) = (library, context)
        let isReady = format_set_output(
            library.handle, context, Limits.ioBufferBytes, sink.opaque,
            { sink, bytes, count in
                ByteSink.at(sink)?.write(UnsafeBufferPointer(start: bytes, count: Int(max(0, count))))
                return count
            },
            { sink, offset, whence in
                whence == SEEK_SET && ByteSink.at(sink)?.seek(to: offset) == true ? offset : -1
            })
        guard isReady != 0 else { throw Self.outOfMemory }
        // Our times are the file's.
        context.pointee.avoid_negative_ts = AVFMT_AVOID_NEG_TS_DISABLED
    }

    deinit { format_free(library.handle, context) }

    // MARK: Tracks

    /// Before `begin`, as the other; tracks are numbered from zero in this order.
    func addVideo(_ header: VideoHeader) throws(ContainerError) {
        let parameters = try addStream(header.parameterSets)
        parameters.pointee.codec_type = AVMEDIA_TYPE_VIDEO
        parameters.pointee.codec_id = AV_CODEC_ID_H264
        parameters.pointee.width = Int32(header.width)
        parameters.pointee.height = Int32(header.height)
    }

    func addOpus() throws(ContainerError) {
        let parameters = try addStream(OpusHead.bytes())
        parameters.pointee.codec_type = AVMEDIA_TYPE_AUDIO
        parameters.pointee.codec_id = AV_CODEC_ID_OPUS
        parameters.pointee.sample_rate = Int32(OpusHead.sampleRate)
        parameters.pointee.initial_padding = Int32(OpusHead.preSkip)
        parameters.pointee.seek_preroll = Int32(Limits.seekPreroll)
        format_set_channels(library.handle, parameters, Int32(OpusHead.channels))
    }

    private func addStream(_ header: [UInt8]) throws(ContainerError) -> UnsafeMutablePointer<AVCodecParameters> {
        guard let parameters = format_add_stream(library.handle, context, header, Int32(header.count)) else {
            throw Self.outOfMemory
        }
        return parameters
    }

    // MARK: Writing

    func begin() throws(ContainerError) {
        try check(format_begin(library.handle, context, "screenshare", Limits.clusterTime))
    }

    /// - Parameter time: of the track's decoder, in milliseconds, as the duration.
    func write(
        _ bytes: [UInt8], track: Int32, time: Int64, duration: Int64 = 0, isKeyframe: Bool
    ) throws(ContainerError) {
        guard let count = Int32(exactly: bytes.count) else { throw .failed("\(bytes.count) bytes are too many") }
        try check(
            format_write(
                library.handle, context, track, bytes, count, time, duration, isKeyframe ? 1 : 0))
    }

    /// Ends the cluster.
    func flush() throws(ContainerError) { try check(format_flush(library.handle, context)) }

    func finish() throws(ContainerError) { try check(format_finish(library.handle, context)) }

    /// What has changed in what was taken.
    var corrections: [FileCorrection] { sink.corrections }

    /// What was written since.
    func take() -> [UInt8] { sink.take() }

    private func check(_ status: Int32) throws(ContainerError) {
        if status < 0 { throw .failed(library.words(status)) }
    }

    private static let outOfMemory = ContainerError.failed("out of memory")
}
