import CSampleRate
import Media
import Timebase

/// One libsamplerate converter (`SRC_SINC_FASTEST`): any rate in, any rate out, bent to follow a clock. Used by one
/// thread.
///
/// Chosen of four libraries by measurement; at a fixed ratio each keeps a tone of 1 kHz cleaner than −110 dB. But
/// speexdsp 1.2.1 loses count or crashes when the ratio changes in steps finer than 20 millionths. libsoxr 0.1.3 delays
/// by 5 ms, and takes 0.4 to 0.5 % of a core while bent. libswresample 4.7 takes a tenth of that, but brings 22 more
/// libraries and 3 MB into the process, and rounds the ratio to a millionth. libsamplerate is made for ratios that
/// vary, exact, needs nothing but libm, delays by 0.4 ms and takes 0.3 % of a core, mono or stereo. Its finer filters
/// take twice and six times as much; this one has −118 dB of distortion and noise, and is 3 dB down at 0.8 of the lower
/// rate's half: 17.6 kHz from 44.1 kHz, 19.2 kHz from 48 kHz.
///
/// The first sample that comes out is the first that went in. It runs at equal rates too: nothing clicks when `speed`
/// leaves 1.
package final class SincResampler: Resampler {
    private let handle: OpaquePointer
    private let channels: Int
    /// Output frames for one of input, while `speed` is 1.
    private let ratio: Double
    private let delayFrames: Double
    private let inputRate: Int
    private var speed = 1.0
    private var buffer: [Float] = []

    /// - Parameter input: its channels come out as they went in.
    package init(from input: AudioFormat, to sampleRate: Int) throws(CodecError) {
        guard Limits.sampleRate.contains(input.sampleRate), Limits.sampleRate.contains(sampleRate),
            Limits.channels.contains(input.channels)
        else {
            throw .unsupportedParameters(
                "\(input.channels) channels of \(input.sampleRate) Hz can't be converted to \(sampleRate) Hz.")
        }
        var status: Int32 = 0
        guard let handle = src_new(Int32(SRC_SINC_FASTEST), Int32(input.channels), &status) else {
            throw .failed("libsamplerate can't make a converter: \(status)")
        }
        self.handle = handle
        channels = input.channels
        inputRate = input.sampleRate
        ratio = Double(sampleRate) / Double(input.sampleRate)
        // Half the filter, which is as long as the lower of the two rates asks for.
        delayFrames = Self.halfFilter / min(1, ratio)
        src_set_ratio(handle, ratio)
    }

    deinit { src_delete(handle) }

    /// As if nothing had gone through it.
    package func reset() {
        src_reset(handle)
        speed = 1
        src_set_ratio(handle, ratio)
    }

    /// In periods of the lower rate.
    private static let halfFilter = 20.0

    package var delay: Duration { .nanoseconds(Int64(delayFrames * 1e9 / Double(inputRate))) }

    /// - Parameter speed: applied from the first sample of `input` on; a broken frame at the end is left out.
    package func process(_ input: [Float], speed: Double, into output: inout [Float]) {
        set(speed)
        let frames = input.count / channels
        input.withUnsafeBufferPointer { input in
            for start in stride(from: 0, to: frames, by: Limits.blockFrames) {
                let end = min(frames, start + Limits.blockFrames)
                convert(UnsafeBufferPointer(rebasing: input[start * channels..<end * channels]), into: &output)
            }
        }
    }

    /// At once, not slowly over the next block as libsamplerate would: how long a block is must not matter.
    private func set(_ speed: Double) {
        guard speed != self.speed, speed.isFinite else { return }
        self.speed = min(max(speed, Limits.speed.lowerBound), Limits.speed.upperBound)
        src_set_ratio(handle, ratio / self.speed)
    }

    private func convert(_ input: UnsafeBufferPointer<Float>, into output: inout [Float]) {
        // What waits in the filter may come out as well.
        let frames = input.count / channels
        let room = Int((Double(frames) + 4 * delayFrames) * ratio / speed) + 1
        if buffer.count < room * channels { buffer = [Float](repeating: 0, count: room * channels) }
        var data = SRC_DATA()
        data.src_ratio = ratio / speed
        data.data_in = input.baseAddress
        data.input_frames = frames
        while data.input_frames > 0 {
            let made = buffer.withUnsafeMutableBufferPointer { buffer in
                data.data_out = buffer.baseAddress
                data.output_frames = buffer.count / channels
                return src_process(handle, &data) == 0 ? data.output_frames_gen : 0
            }
            output += buffer[..<(made * channels)]
            guard data.input_frames_used > 0 || made > 0 else { return }
            data.data_in = data.data_in?.advanced(by: data.input_frames_used * channels)
            data.input_frames -= data.input_frames_used
        }
    }
}
