import ScreenShare

/// What a person is told of what plays: once for each change of that, or of its rate.
struct PlayingText {
    private var isPlaying = false
    /// The last that was told.
    private var rate: Double?

    /// - Parameter rate: in pictures a second, where it is known.
    /// - Returns: nil where there is nothing new to be said; a rate that is lost for a moment is no news.
    mutating func line(_ content: SharedContent, rate: Double?) -> String? {
        switch content {
        case .app:
            defer { (isPlaying, self.rate) = (false, nil) }
            return isPlaying ? "The video has ended." : nil
        case .video:
            guard !isPlaying || (rate != nil && rate != self.rate) else { return nil }
            (isPlaying, self.rate) = (true, rate)
            return rate.map { "A video plays, \(Self.text($0)) pictures a second." } ?? "A video plays."
        }
    }

    /// 24, 23.976, 29.97.
    private static func text(_ rate: Double) -> String {
        let thousandths = (rate * 1000).rounded()
        return thousandths.truncatingRemainder(dividingBy: 1000) == 0
            ? (thousandths / 1000).text(0) : "\(thousandths / 1000)"
    }
}
