import Timebase

/// Why a source of sound gives none.
package enum AudioSourceError: Error, Hashable, Sendable {
    /// It can't be opened; the text says what to do.
    case unavailable(String)
    /// It was there and is gone (unplugged, sound daemon ended): worth trying again.
    case lost(String)
    /// Nothing in it that can be read (no known sample format).
    case unsupported(String)
}

/// A file descriptor that poll(2) is to wait for, and its events.
package struct PollEntry: Hashable, Sendable {
    package var descriptor: Int32
    package var events: Int16

    package init(descriptor: Int32, events: Int16) {
        self.descriptor = descriptor
        self.events = events
    }
}

/// A device that gives sound. Used by one thread.
package protocol AudioSource: AnyObject {
    /// Of the blocks that come next; it may change between two of them.
    var format: AudioFormat { get }

    /// Which speaker each of its channels is for.
    var channelMap: ChannelMap { get }

    /// What its thread is to wait for; it may change after each read.
    var pollDescriptors: [PollEntry] { get }

    /// It hands over so often that to be woken each time would cost more than the sound itself. Whoever makes packets
    /// reads it when one is due, and is none the later for it: by then all but the last piece is there.
    var givesShortPieces: Bool { get }

    /// What is there by now, without waiting; nil where that is nothing.
    func read(at now: Instant) throws(AudioSourceError) -> AudioBlock?
}

extension AudioSource {
    package var channelMap: ChannelMap { ChannelMap(channels: format.channels) }
    package var givesShortPieces: Bool { false }
}
