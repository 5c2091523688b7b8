import CZitaResampler
import Media
import Timebase

/// One zita-resampler (`VResampler`): any rate in, any rate out, bent to follow a clock. Used by one thread.
///
/// Chosen of five libraries by measurement; at a fixed ratio each keeps a tone of 1 kHz cleaner than −105 dB. But
/// speexdsp 1.2.1 loses count or crashes when the ratio changes in steps finer than 20 millionths. libsoxr 0.1.3, once
/// its ratio varies, delays by 5 ms and takes 0.4 to 0.5 % of a core. libswresample 4.7 brings 22 more libraries and 3 MB
/// into the process, and rounds the ratio to a millionth. libsamplerate 0.2.2 is exact, but its least filter takes 0.4 %
/// of a core, and is 3 dB down at 17.6 kHz from 44.1 kHz. zita-resampler 1.8 is made for following clocks, exact, 22 kB,
/// delays by 0.5 ms and takes 0.14 % for stereo; of 1 kHz it keeps −138 dB, and 17.6 kHz from 44.1 kHz lose 0.1 dB.
///
/// The first sample that comes out is the first that went in. It runs at equal rates too: nothing clicks when `speed`
/// leaves 1.
package final class SincResampler: Resampler {
    private let handle: OpaquePointer
    private let channels: Int
    /// Output frames for one of input, while `speed` is 1.
    private let ratio: Double
    /// Half the filter, which is as long as the lower of the two rates asks for.
    package let delay: Duration
    private var speed = 1.0

    /// - Parameter input: its channels come out as they went in.
    package init(from input: AudioFormat, to sampleRate: Int) throws(CodecError) {
        guard Limits.sampleRate.contains(input.sampleRate), Limits.sampleRate.contains(sampleRate),
            Limits.channels.contains(input.channels)
        else {
            throw .unsupportedParameters(
                "\(input.channels) channels of \(input.sampleRate) Hz can't be converted to \(sampleRate) Hz.")
        }
        channels = input.channels
        ratio = Double(sampleRate) / Double(input.sampleRate)
        guard let handle = zita_resampler_new(ratio, UInt32(input.channels), Limits.halfFilter) else {
            throw .failed("zita-resampler can't convert \(input.sampleRate) Hz to \(sampleRate) Hz.")
        }
        self.handle = handle
        delay = .nanoseconds(Int64(zita_resampler_delay(handle) * 1e9 / Double(input.sampleRate)))
    }

    deinit { zita_resampler_delete(handle) }

    /// As if nothing had gone through it.
    package func reset() {
        zita_resampler_reset(handle)
        speed = 1
    }

    /// - Parameter speed: applied from the first sample of `input` on; a broken frame at the end is left out.
    package func process(_ input: [Float], speed: Double, into output: inout [Float]) {
        set(speed)
        input.withUnsafeBufferPointer { convert($0, into: &output) }
    }

    /// At once: how long a block is must not matter.
    private func set(_ speed: Double) {
        guard speed != self.speed, speed.isFinite else { return }
        self.speed = min(max(speed, Limits.speed.lowerBound), Limits.speed.upperBound)
        zita_resampler_bend(handle, 1 / self.speed)
    }

    private func convert(_ input: UnsafeBufferPointer<Float>, into output: inout [Float]) {
        guard var rest = input.baseAddress else { return }
        var left = UInt32(input.count / channels)
        while left > 0 {
            let room = Int(Double(left) * ratio / speed) + 2
            var (taken, made) = (left, UInt32(room))
            output.append(addingCapacity: room * channels) { appended in
                appended.withUnsafeMutableBufferPointer { output, initialized in
                    guard let output = output.baseAddress else { return (taken, made) = (0, 0) }
                    zita_resampler_process(handle, rest, &taken, output, &made)
                    initialized = Int(made) * channels
                }
            }
            guard taken > 0 || made > 0 else { return }
            rest += Int(taken) * channels
            left -= taken
        }
    }
}
