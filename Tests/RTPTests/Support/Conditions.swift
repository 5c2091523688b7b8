import Testing

extension Trait where Self == ConditionTrait {
    /// Skips, and says why, where the inputs of others are not there.
    static var needsCorpora: Self { .enabled(if: Corpora.isThere, "\(Corpora.missing)") }

    /// Skips, and says why, where no other decoder can judge.
    static var needsFFmpeg: Self { .enabled(if: FFmpeg.isInstalled, "\(FFmpeg.missing)") }
}
