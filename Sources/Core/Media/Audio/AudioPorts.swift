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

/// Turns one stream from one sample rate into another, by a ratio that may be bent from block to block.
package protocol Resampler: AnyObject {
    /// Takes all of `input` and appends what it gives for it to `output`; channels interleaved, as many on both sides.
    ///
    /// - Parameter speed: how much faster than nominal the input is used up; 1.0001 makes fewer samples of it.
    func process(_ input: [Float], speed: Double, into output: inout [Float])

    /// How late a sample comes out now.
    var delay: Duration { get }

    /// And at most, whatever it does.
    var longestDelay: Duration { get }
}

extension Resampler {
    package var longestDelay: Duration { delay }
}

/// A packet of sound as an encoder made it.
package struct EncodedSound: Sendable, Equatable {
    package var bytes: [UInt8]
    /// Nothing is to be heard in it, and the packet need not be sent (Opus DTX, RFC 6716 § 2.1.9).
    package var isSilent: Bool

    package init(bytes: [UInt8], isSilent: Bool) {
        self.bytes = bytes
        self.isSilent = isSilent
    }
}

/// Packets in, sound out, also for those that never came. Used by one thread.
package protocol AudioDecoder: AnyObject {
    /// 48 kHz stereo, interleaved.
    func decode(_ packet: [UInt8]) throws(CodecError) -> [Float]
    /// What was lost before `next`, from the copy that `next` carries (in-band FEC); concealed where there is none.
    func recover(from next: [UInt8], frames: Int) throws(CodecError) -> [Float]
    /// What was lost, guessed from what came before.
    func conceal(frames: Int) throws(CodecError) -> [Float]
}
