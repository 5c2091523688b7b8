import CAVFormat
import RTP
import Timebase

/// Writes H.264 and Opus as they come from the network into a Matroska file, in chunks to be appended to it.
///
///     header ─► appendVideo, appendSound … ─► finish()
///               flush() whenever
///
/// Packets stand in the file in the order in which they are given. A picture is written at once, with all sound before
/// it; sound without pictures in clusters of half a second: a process that is killed leaves a file that plays up to
/// there. It may be a pipe: a reader then goes without index and length. In a file `corrections` put them in.
///
/// In place of sound that never came there are packets without frames, which decoders conceal, and silence where that
/// lasts: not every player waits where packets are missing.
///
/// Times need no regularity, but rise: a picture that is not later than the one before comes a millisecond after it.
/// Where a clock jumps back by more than half a second or ahead by more than an hour (a sharer that began anew, or paused
/// for longer), the file goes on where it is, picture and sound in step if both clocks jumped together. A new size of the
/// picture is told by the parameter sets in its keyframe, as in the stream. Used by one thread.
package final class MatroskaWriter {
    /// What the file begins with.
    package let header: [UInt8]
    private let muxer: Muxer
    private let hasSound: Bool
    private var timeline = Timeline()
    private var filler = OpusFill()
    /// Where the sound ends, on its own clock.
    private var soundEnd: Int64?
    private var hasKeyframe = false
    private var hasEnded = false

    /// - Parameters:
    ///   - annexB: the first keyframe, whose parameter sets open the file; it is still to be appended.
    ///   - hasSound: whether the file gets a second track, which may stay empty.
    package init(firstKeyframe annexB: [UInt8], hasSound: Bool, library: ContainerLibrary) throws(ContainerError) {
        let video = try VideoHeader(keyframe: annexB)
        muxer = try Muxer(library)
        self.hasSound = hasSound
        try muxer.addVideo(video)
        if hasSound { try muxer.addOpus() }
        try muxer.begin()
        header = muxer.take()
    }

    /// A picture; until the first keyframe they are left out.
    ///
    /// - Parameters:
    ///   - annexB: the access unit, NAL units behind start codes.
    ///   - timestamp: when it is shown: ticks of 1/90000 s from the file's zero.
    /// - Returns: what to append to the file by now.
    package func appendVideo(
        annexB: [UInt8], timestamp: Int64, isKeyframe: Bool
    ) throws(ContainerError) -> [UInt8] {
        hasKeyframe = hasKeyframe || isKeyframe
        guard hasKeyframe, !hasEnded else { return [] }
        guard annexB.count <= Limits.pictureBytes, !AnnexB.split(annexB).isEmpty else { throw .noPicture }
        let time = timeline.placeVideo(timestamp)
        try muxer.write(annexB, track: Track.video, time: time, isKeyframe: isKeyframe)
        return try flush()
    }

    /// A packet of sound. What is heard before the file's zero is left out; so is what lies within sound that the file
    /// has already, and everything in a file without sound.
    ///
    /// - Parameter timestamp: of the first sample that was encoded: ticks of 1/48000 s from the file's zero.
    /// - Returns: what to append to the file by now, often nothing.
    package func appendSound(_ packet: [UInt8], timestamp: Int64) throws(ContainerError) -> [UInt8] {
        guard hasSound, !hasEnded else { return [] }
        let opus = try Self.parse(packet)
        try fill(to: timestamp)
        try write(packet, samples: Int64(opus.samples), timestamp: timestamp)
        filler.note(opus.toc)
        return muxer.take()
    }

    /// Sound so far was placed too late, and from here on is in its place: what lies within sound that the file has is left out,
    /// for ten seconds at most, and comes of no clock that jumped back.
    package func setSoundBack() { timeline.setSoundBack() }

    /// Fills the time before a timestamp where no sound came.
    ///
    /// - Returns: what to append to the file by now, often nothing.
    package func fillSound(to timestamp: Int64) throws(ContainerError) -> [UInt8] {
        guard hasSound, !hasEnded else { return [] }
        try fill(to: timestamp)
        return muxer.take()
    }

    /// A gap that is longer is left as it is: a clock that began anew.
    private func fill(to timestamp: Int64) throws(ContainerError) {
        if let gap = timeline.rejoinPictures(timestamp) { soundEnd = timestamp.subtractingSaturating(gap) }
        guard let start = soundEnd, 0...Limits.filledSamples ~= timestamp.subtractingSaturating(start) else { return }
        for packet in filler.packets(timestamp - start) {
            try write(packet.bytes, samples: packet.samples, timestamp: soundEnd ?? start)
        }
    }

    private func write(_ packet: [UInt8], samples: Int64, timestamp: Int64) throws(ContainerError) {
        soundEnd = timestamp.addingSaturating(samples)
        let duration = samples / 48
        guard let time = timeline.placeSound(timestamp, duration: duration) else { return }
        try muxer.write(
            packet, track: Track.sound, time: time - format_added_delay(), duration: duration, isKeyframe: true)
    }

    /// All but the latest packet of sound.
    package func flush() throws(ContainerError) -> [UInt8] {
        if hasEnded { return [] }
        try muxer.flush()
        return muxer.take()
    }

    /// The rest of the file; what is appended afterwards is left out.
    package func finish() throws(ContainerError) -> [UInt8] {
        if hasEnded { return [] }
        hasEnded = true
        try muxer.finish()
        return muxer.take()
    }

    /// After the end: what turns the file into one that says how long it is and finds its index. A pipe does without.
    package var corrections: [FileCorrection] { hasEnded ? muxer.corrections : [] }

    private enum Track {
        static let video: Int32 = 0
        static let sound: Int32 = 1
    }

    private static func parse(_ packet: [UInt8]) throws(ContainerError) -> OpusPacket {
        do throws(OpusPacketError) { return try OpusPacket(packet) } catch {
            throw .unreadableSound(error)
        }
    }
}
