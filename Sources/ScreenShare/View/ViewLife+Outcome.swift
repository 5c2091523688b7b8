import SignalingClient

extension ViewLife {
    /// What became of one try.
    enum Outcome {
        case left(String)
        case nothingYet(String, retryAfter: Duration)

        /// The same as an error, once nobody waits any more.
        var givenUp: ShareError {
            switch self {
            case .left(let reason): .network("the sharer can't be reached: \(reason)")
            case .nothingYet(let words, let retryAfter): .later(words, after: retryAfter)
            }
        }
    }
}

extension ViewLife.Outcome {
    /// What is worth another try; what is not is thrown.
    ///
    /// - Parameter hasJoined: this endpoint has taken us before. What it can't have said then is another's word, such as the
    ///   page of a network that wants a login first.
    init(of error: SignalingError, at endpoint: String, hasJoined: Bool) throws(ShareError) {
        switch error {
        case .notThereYet(let retryAfter, let words): self = .nothingYet(words, retryAfter: retryAfter)
        case .gone: self = .nothingYet("the server knows of no such room or stream", retryAfter: .zero)
        case .unreachable, .roomTaken: self = .nothingYet("\(error)", retryAfter: .zero)
        // 406 is the sharer's word: there is no video that could be taken.
        case .refused(let status, _) where error.isTemporary || hasJoined && status != 406:
            self = .nothingYet("\(error)", retryAfter: .zero)
        case .unreadable where hasJoined, .elsewhere where hasJoined: self = .nothingYet("\(error)", retryAfter: .zero)
        case .badAddress, .tokenRequired, .forbidden, .stale, .elsewhere, .refused, .unreadable, .cancelled:
            throw error.shareError(endpoint)
        }
    }
}
