/// Which status lines a log gets, where each of them stays: what has changed, and of that one in ten seconds at most.
struct StatusLog {
    static let pause = Duration.seconds(10)

    private var last: (text: String, at: ContinuousClock.Instant)?

    mutating func takes(_ text: String, at now: ContinuousClock.Instant) -> Bool {
        if let last, last.text == text || now - last.at < Self.pause { return false }
        last = (text, now)
        return true
    }
}
