import Timebase

/// Which of a share's encodings of sound a viewer gets.
package enum AudioLane: Hashable, Sendable, CaseIterable {
    /// The share's best, as far as any viewer's path has room for it.
    case full
    /// For viewers who take less (`maxaveragebitrate`) or whose paths do, or who lose packets and have nothing against it
    /// but in-band FEC.
    case careful
    /// For viewers whose path takes hardly more than sound, or who take hardly any beside others: the least, and one channel.
    case narrow
}

/// One packet's time of sound, encoded once for each lane and shared by all viewers who take sound.
package final class AudioUnit: Sendable {
    /// One Opus packet (RFC 7587 § 4.2).
    package struct Encoding: Sendable, Equatable {
        package var bytes: [UInt8]
        /// There is nothing to be heard in it: viewers need not get it (Opus DTX, RFC 7587 § 3.1.3).
        package var isSilent: Bool

        package init(bytes: [UInt8], isSilent: Bool) {
            self.bytes = bytes
            self.isSilent = isSilent
        }
    }

    /// Of the lanes that somebody listens to. No dictionary: there is one each 20 ms.
    package struct Encodings: Sendable {
        private var full: Encoding?
        private var careful: Encoding?
        private var narrow: Encoding?

        package init(full: Encoding? = nil) { self.full = full }

        package subscript(lane: AudioLane) -> Encoding? {
            get {
                switch lane {
                case .full: full
                case .careful: careful
                case .narrow: narrow
                }
            }
            set {
                switch lane {
                case .full: full = newValue
                case .careful: careful = newValue
                case .narrow: narrow = newValue
                }
            }
        }

        /// The best that there is; nil where there is none.
        package var best: Encoding? { full ?? careful ?? narrow }
    }

    package let encodings: Encodings
    package let time: AudioTime
    /// When its first sample was heard.
    package let capturedAt: Instant

    package init(_ encodings: Encodings, time: AudioTime, capturedAt: Instant) {
        self.encodings = encodings
        self.time = time
        self.capturedAt = capturedAt
    }
}
