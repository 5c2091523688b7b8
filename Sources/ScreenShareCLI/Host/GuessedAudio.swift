import ScreenShare

/// What is put in while a packet is waited for is put into a file only once that can't come any more: a listener hears a
/// late packet behind the guess, a file has room for one of the two.
struct GuessedAudio {
    typealias Placed = (piece: AudioPiece, timestamp: Int64)

    private var guesses: [Placed] = []

    /// What is to be written by now, in order.
    mutating func pass(_ piece: AudioPiece, at timestamp: Int64) -> [Placed] {
        if piece.opus != nil {
            defer { guesses = [] }
            return guesses.filter { $0.timestamp < timestamp } + [(piece, timestamp)]
        }
        guesses.append((piece, timestamp))
        let due = guesses.prefix { $0.timestamp <= timestamp - Self.longestWait || $0.timestamp > timestamp }
        guesses.removeFirst(due.count)
        return Array(due)
    }

    /// The last of it, where nothing follows.
    mutating func finish() -> [Placed] {
        defer { guesses = [] }
        return guesses
    }

    /// As long as a player goes on guessing, 200 ms, in ticks of 1/48000 s; what was silence before is as good behind it.
    private static let longestWait: Int64 = 9600
}
