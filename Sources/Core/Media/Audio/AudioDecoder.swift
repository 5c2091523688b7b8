/// Packets in, sound out, also for those that never came. Used by one thread.
package protocol AudioDecoder: AnyObject {
    /// 48 kHz stereo, interleaved.
    func decode(_ packet: [UInt8]) throws(CodecError) -> [Float]
    /// What was lost before `next`, from the copy that `next` carries (in-band FEC); concealed where there is none.
    func recover(from next: [UInt8], frames: Int) throws(CodecError) -> [Float]
    /// What was lost, guessed from what came before.
    func conceal(frames: Int) throws(CodecError) -> [Float]
}
