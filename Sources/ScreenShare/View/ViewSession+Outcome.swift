import SignalingClient

extension ViewSession {
    /// What became of one try.
    enum Outcome {
        case left(String)
        case nothingYet(String, retryAfter: Duration)

        /// The same as an error, once nobody waits any more.
        var givenUp: ShareError {
            switch self {
            case .left(let reason): .network("the sharer can't be reached: \(reason)")
            case .nothingYet(let words, _): .signaling(words)
            }
        }
    }
}

extension ViewSession.Outcome {
    /// What is worth another try; what is not is thrown.
    init(of error: SignalingError, at endpoint: String) throws(ShareError) {
        switch error {
        case .notThereYet(let retryAfter, let words): self = .nothingYet(words, retryAfter: retryAfter)
        case .gone: self = .nothingYet("the server knows of no such room or stream", retryAfter: .zero)
        case .unreachable, .roomTaken: self = .nothingYet("\(error)", retryAfter: .zero)
        case .refused where error.isTemporary: self = .nothingYet("\(error)", retryAfter: .zero)
        case .badAddress, .tokenRequired, .forbidden, .stale, .refused, .unreadable, .cancelled:
            throw error.shareError(endpoint)
        }
    }
}
