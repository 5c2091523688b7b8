import ScreenShare

/// What a person is told of a viewer's way to its sharer.
struct JoiningText {
    /// In seconds. Most tries take less; one that is in vain takes half a minute.
    private static let longTry = 3.0
    private let place: String
    private var isConnected = false
    /// When the try that is under way began.
    private var begin: Double?
    private var isLongTold = false
    /// Why there was nothing to see when that was last said.
    private var reason = ""

    /// - Parameter place: what is viewed, as `ViewedPlace.text` has it.
    init(_ place: String) { self.place = place }

    /// - Parameter time: in seconds, since anything.
    /// - Returns: nil where there is nothing new to be said.
    mutating func line(_ event: ViewEvent, at time: Double) -> String? {
        switch event {
        case .connecting:
            begin = time
            return nil
        case .waiting(let words):
            begin = nil
            defer { reason = words }
            let sentence = words.hasSuffix(".") ? words : words + "."
            return words == reason ? nil : "Nothing to see yet \(place): \(sentence) Waiting."
        case .connected:
            self = JoiningText(place)
            isConnected = true
            return "Connected."
        case .disconnected(let words):
            defer { (isConnected, begin) = (false, nil) }
            return "\(isConnected ? "Disconnected" : "Not connected"): \(words). Trying again."
        case .firstPicture, .pathNarrow, .pathRecovered, .notice, .ended: return nil
        }
    }

    /// What is to be said although nothing happens.
    mutating func line(at time: Double) -> String? {
        guard let begin, !isLongTold, reason.isEmpty, time - begin >= Self.longTry else { return nil }
        isLongTold = true
        return "Not connected yet; still trying."
    }
}
