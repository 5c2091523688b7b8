import COpus
import Media
import RTP
import Timebase

/// One libopus encoder: 48 kHz stereo in, a packet for each packet's duration out (RFC 6716, RFC 7587). Used by one
/// thread.
///
/// It is opened as `OPUS_APPLICATION_AUDIO`, the signal's kind left to the encoder: the sound of a screen is music,
/// film and speech by turns. Speech up to 48 kbit/s is then coded by SILK and CELT together, all else by CELT. `VOIP`
/// would filter out what is low and favour SILK; `RESTRICTED_LOWDELAY` saves 4 ms of look-ahead, but codes speech worse
/// at low rates and has no in-band FEC.
package final class OpusEncoder {
    package let configuration: OpusConfiguration
    package private(set) var target: OpusTarget
    /// By how much the decoded sound trails what was encoded, at 48 kHz: what a container calls pre-skip.
    package let lookaheadFrames: Int
    private let handle: OpaquePointer
    private var listening = Listening()
    /// As libopus was told.
    private var complexity = -1
    private var bitsPerSecond: Int
    /// libopus writes here; packets are copied out.
    private var buffer = [UInt8](repeating: 0, count: Limits.packetBytes)

    package init(_ configuration: OpusConfiguration, target: OpusTarget) throws(CodecError) {
        try configuration.validate()
        try target.validate()
        var status: Int32 = 0
        guard let handle = opus_encoder_create(48_000, 2, OPUS_APPLICATION_AUDIO, &status) else {
            throw .failed("libopus can't make an encoder: \(opusText(status))")
        }
        self.handle = handle
        self.configuration = configuration
        self.target = target
        bitsPerSecond = target.bitsPerSecond
        var lookahead: opus_int32 = 0
        _ = shim_opus_get(handle, OPUS_GET_LOOKAHEAD_REQUEST, &lookahead)
        lookaheadFrames = Int(lookahead)
        try set(OPUS_SET_BITRATE_REQUEST, bitsPerSecond)
        try apply(target)
    }

    /// An encoder of the same sound with another target, which goes on from where this one is: who changes over from one
    /// to the other hears no gap.
    package func continued(at target: OpusTarget) throws(CodecError) -> OpusEncoder {
        let next = try OpusEncoder(configuration, target: self.target)
        // "The encoder state is always continuous in memory and only a shallow copy is sufficient to copy it" (opus.h).
        UnsafeMutableRawPointer(next.handle).copyMemory(
            from: UnsafeRawPointer(handle), byteCount: Int(opus_encoder_get_size(2)))
        next.listening = listening
        next.complexity = complexity
        next.bitsPerSecond = bitsPerSecond
        try next.adapt(to: target)
        return next
    }

    deinit { opus_encoder_destroy(handle) }

    /// `lookaheadFrames` as time: 6.5 ms.
    package var lookahead: Duration { AudioFormat.stereo48k.duration(frames: lookaheadFrames) }

    /// From the next packet on; a bit rate that falls is there after some.
    package func adapt(to target: OpusTarget) throws(CodecError) {
        guard target != self.target else { return }
        try target.validate()
        try apply(target)
        self.target = target
    }

    /// One packet's worth of sound in, its bytes out.
    ///
    /// - Parameter samples: 48 kHz stereo, interleaved, one packet's duration.
    package func encode(_ samples: [Float]) throws(CodecError) -> AudioUnit.Encoding {
        let frames = configuration.packetDuration.frames
        guard samples.count == 2 * frames else {
            throw .unsupportedParameters("\(samples.count) samples are not a packet's \(2 * frames).")
        }
        try followBitrate()
        try setComplexity(listening.isNeeded(for: samples, leavesOutSilence: target.usesDTX))
        let count = opus_encode_float(handle, samples, Int32(frames), &buffer, Int32(buffer.count))
        guard count > 0 else { throw .failed("libopus made nothing of a packet: \(opusText(count))") }
        let isSilent = target.usesDTX && count <= Limits.silentPacketBytes
        return AudioUnit.Encoding(bytes: Array(buffer.prefix(Int(count))), isSilent: isSilent)
    }

    private func apply(_ target: OpusTarget) throws(CodecError) {
        try set(OPUS_SET_FORCE_CHANNELS_REQUEST, target.channels == .mono ? 1 : 2)
        try set(OPUS_SET_INBAND_FEC_REQUEST, target.inBandFEC == .on ? 1 : 0)
        try set(OPUS_SET_PACKET_LOSS_PERC_REQUEST, target.expectedLoss)
        try set(OPUS_SET_DTX_REQUEST, target.usesDTX ? 1 : 0)
    }

    /// Told to spend half of before at once, libopus 1.3.1 leaves up to three packets empty, until the mean is right again.
    private func followBitrate() throws(CodecError) {
        let next = max(target.bitsPerSecond, bitsPerSecond * 2 / 3)
        guard next != bitsPerSecond else { return }
        try set(OPUS_SET_BITRATE_REQUEST, next)
        bitsPerSecond = next
    }

    /// SILK, which in-band FEC leads to, takes five times what CELT does at the same complexity.
    private func setComplexity(_ listens: Bool) throws(CodecError) {
        let hasFEC = target.inBandFEC == .on
        let most =
            if hasFEC && target.expectedLoss >= Limits.lossForSILK { Limits.complexityOfSILK }
            else if listens || hasFEC || target.bitsPerSecond < Limits.leastLoudRate { configuration.complexity }
            else { Limits.complexityOfLoud }
        let complexity = min(configuration.complexity, most)
        guard complexity != self.complexity else { return }
        try set(OPUS_SET_COMPLEXITY_REQUEST, complexity)
        self.complexity = complexity
    }

    private func set(_ request: Int32, _ value: Int) throws(CodecError) {
        let status = shim_opus_set(handle, request, opus_int32(value))
        guard status == OPUS_OK else {
            throw .unsupportedParameters("libopus refused setting \(request) of \(value): \(opusText(status))")
        }
    }
}

extension OpusConfiguration {
    fileprivate func validate() throws(CodecError) {
        guard Limits.complexity.contains(complexity) else {
            throw .unsupportedParameters("A complexity of \(complexity) is out of range.")
        }
    }
}

extension OpusTarget {
    fileprivate func validate() throws(CodecError) {
        guard Limits.bitsPerSecond.contains(bitsPerSecond) else {
            throw .unsupportedParameters("\(bitsPerSecond) bit/s is out of range.")
        }
        guard Limits.expectedLoss.contains(expectedLoss) else {
            throw .unsupportedParameters("\(expectedLoss) % of loss is out of range.")
        }
    }
}
