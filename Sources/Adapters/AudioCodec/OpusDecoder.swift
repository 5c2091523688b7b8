import COpus
import Media
import RTP
import Timebase

/// One libopus decoder: packets in, 48 kHz stereo from −1 to 1 out, whatever channels were sent. Used by one thread.
///
/// Packets come from the network: what is no Opus packet (RFC 6716 § 3.4) throws, changes nothing, and the caller
/// conceals it like a lost one. What is well-formed but nonsense decodes to noise, as the codec has no checksum.
package final class OpusDecoder: AudioDecoder {
    private let handle: OpaquePointer
    private var buffer = [Float](repeating: 0, count: 2 * Limits.packetFrames)
    /// How each channel was being bent back below 1 when the last packet ended.
    private var softClipMemory: [Float] = [0, 0]

    package init() throws(CodecError) {
        var status: Int32 = 0
        guard let handle = opus_decoder_create(48_000, 2, &status) else {
            throw .failed("libopus can't make a decoder: \(opusText(status))")
        }
        self.handle = handle
    }

    deinit { opus_decoder_destroy(handle) }

    package func decode(_ packet: [UInt8]) throws(CodecError) -> [Float] {
        _ = try Self.inspect(packet)
        let count = Int32(clamping: packet.count)
        return try decoded(opus_decode_float(handle, packet, count, &buffer, Int32(Limits.packetFrames), 0))
    }

    /// - Parameter frames: how many were lost right before `next`, in multiples of 2.5 ms; what is earlier than its
    ///   copy is concealed.
    package func recover(from next: [UInt8], frames: Int) throws(CodecError) -> [Float] {
        guard try Self.inspect(next).hasFEC else { return try conceal(frames: frames) }
        let count = try Self.checked(frames: frames)
        return try decoded(opus_decode_float(handle, next, Int32(clamping: next.count), &buffer, count, 1))
    }

    /// After some 100 ms this is noise as loud as the background was, and never ends by itself.
    ///
    /// - Parameter frames: in multiples of 2.5 ms.
    package func conceal(frames: Int) throws(CodecError) -> [Float] {
        let count = try Self.checked(frames: frames)
        return try decoded(opus_decode_float(handle, nil, 0, &buffer, count, 0))
    }

    private static func inspect(_ packet: [UInt8]) throws(CodecError) -> OpusPacket {
        do {
            return try OpusPacket(packet)
        } catch {
            throw .failed("This is no Opus packet: \(error).")
        }
    }

    private static func checked(frames: Int) throws(CodecError) -> Int32 {
        guard frames > 0, frames <= Limits.packetFrames, frames % Limits.shortestFrame == 0 else {
            throw .unsupportedParameters("A loss of \(frames) frames can't be made up for at once.")
        }
        return Int32(frames)
    }

    /// What libopus wrote, kept within −1 to 1 as its integer decoder does.
    private func decoded(_ frames: Int32) throws(CodecError) -> [Float] {
        guard frames >= 0 else { throw .failed("libopus can't decode this: \(opusText(frames))") }
        opus_pcm_soft_clip(&buffer, frames, 2, &softClipMemory)
        return Array(buffer.prefix(2 * Int(frames)))
    }
}
