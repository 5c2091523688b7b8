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
