import CALSA
import Glibc
import Media
import Timebase

extension PCM {
    /// Sample formats in the order of preference: nothing lost first, then what needs no swapping of bytes.
    private static let sampleFormats: [(snd_pcm_format_t, SampleFormat)] = [
        (SND_PCM_FORMAT_FLOAT_LE, SampleFormat(.float32)),
        (SND_PCM_FORMAT_S32_LE, SampleFormat(.signed32)),
        (SND_PCM_FORMAT_S24_LE, SampleFormat(.signed24In32)),
        (SND_PCM_FORMAT_S24_3LE, SampleFormat(.signed24)),
        (SND_PCM_FORMAT_FLOAT_BE, SampleFormat(.float32, .big)),
        (SND_PCM_FORMAT_S32_BE, SampleFormat(.signed32, .big)),
        (SND_PCM_FORMAT_S24_BE, SampleFormat(.signed24In32, .big)),
        (SND_PCM_FORMAT_S24_3BE, SampleFormat(.signed24, .big)),
        (SND_PCM_FORMAT_S16_LE, SampleFormat(.signed16)),
        (SND_PCM_FORMAT_S16_BE, SampleFormat(.signed16, .big)),
        (SND_PCM_FORMAT_U8, SampleFormat(.unsigned8)),
    ]

    /// Agrees with the device on what is nearest to the wish.
    ///
    /// - Parameter resampling: lets ALSA change the rate where the device doesn't have it.
    func configure(_ wish: CaptureWish, resampling: Bool) throws(ALSAFailure) {
        var parameters: OpaquePointer?
        guard snd_pcm_hw_params_malloc(&parameters) >= 0, let parameters else { throw ALSAFailure(code: ENOMEM) }
        defer { snd_pcm_hw_params_free(parameters) }
        try call { snd_pcm_hw_params_any($0, parameters) }
        try call { snd_pcm_hw_params_set_rate_resample($0, parameters, resampling ? 1 : 0) }
        try call { snd_pcm_hw_params_set_access($0, parameters, SND_PCM_ACCESS_RW_INTERLEAVED) }
        sampleFormat = try chooseSampleFormat(parameters)
        format = try chooseFormat(parameters, near: wish.format)
        chooseTimes(parameters, period: wish.period)
        try call { snd_pcm_hw_params($0, parameters) }
    }

    private func chooseSampleFormat(_ parameters: OpaquePointer) throws(ALSAFailure) -> SampleFormat {
        let known = Self.sampleFormats.first { snd_pcm_hw_params_test_format(handle, parameters, $0.0) == 0 }
        guard let (code, sampleFormat) = known else {
            throw ALSAFailure(code: EINVAL, message: "none of its sample formats is known")
        }
        try call { snd_pcm_hw_params_set_format($0, parameters, code) }
        return sampleFormat
    }

    private func chooseFormat(
        _ parameters: OpaquePointer, near preferred: AudioFormat
    ) throws(ALSAFailure) -> AudioFormat {
        var channels = UInt32(clamping: preferred.channels)
        var rate = UInt32(clamping: preferred.sampleRate)
        try call { snd_pcm_hw_params_set_channels_near($0, parameters, &channels) }
        try call { snd_pcm_hw_params_set_rate_near($0, parameters, &rate, nil) }
        guard Limits.channels.contains(Int(channels)), Limits.sampleRates.contains(Int(rate)) else {
            throw ALSAFailure(code: EINVAL, message: "it has \(channels) channels at \(rate) Hz")
        }
        return AudioFormat(sampleRate: Int(rate), channels: Int(channels))
    }

    /// Wishes only: a device that has no such periods is taken as it is.
    private func chooseTimes(_ parameters: OpaquePointer, period: Duration) {
        let bounded = min(max(period, Limits.periods.lowerBound), Limits.periods.upperBound)
        var period = UInt32(clamping: bounded.nanoseconds / 1000)
        var buffer = UInt32(clamping: Limits.buffer.nanoseconds / 1000)
        _ = log.during { snd_pcm_hw_params_set_period_time_near(handle, parameters, &period, nil) }
        _ = log.during { snd_pcm_hw_params_set_buffer_time_near(handle, parameters, &buffer, nil) }
    }
}
