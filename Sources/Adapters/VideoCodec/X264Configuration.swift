import Media
import Timebase

/// What an encoder is opened with, and keeps.
package struct X264Configuration: Sendable {
    package enum Profile: Hashable, Sendable {
        /// profile_idc 66 with constraint_set1_flag: every WebRTC peer takes it.
        case constrainedBaseline
        /// profile_idc 100: CABAC saves an eighth of the bits for a little more work.
        case high
    }

    /// RFC 6184 § 6: how slices may be put into packets.
    package enum Slices: Hashable, Sendable {
        /// Packetization-mode 1: one slice for a picture.
        case one
        /// Packetization-mode 0: as many as it takes for each NAL unit to fit this many bytes.
        case fitting(payload: Int)
    }

    /// x264's own presets from the fastest, and one below them.
    package enum Preset: String, Hashable, Sendable, CaseIterable, Comparable {
        /// x264's `ultrafast` as it is. What is above also searches widely where a page changed or scrolls.
        case minimal
        case ultrafast, superfast, veryfast, faster, fast, medium

        /// By the work they take.
        package static func < (a: Preset, b: Preset) -> Bool {
            (allCases.firstIndex(of: a) ?? 0) < (allCases.firstIndex(of: b) ?? 0)
        }

        /// x264's name.
        var name: String { self == .minimal ? Preset.ultrafast.rawValue : rawValue }

        /// This one and those below it, which an encoder opened with it can go down to and back.
        package var steps: [Preset] { Preset.allCases.filter { $0 <= self }.reversed() }
    }

    package var size: PixelSize
    /// Written into the stream as a fixed rate; `SendTarget.frameRate` only steers the bits for a frame.
    package var frameRate: FrameRate
    /// The most that will be asked for; the level is chosen for it.
    package var maximumBitsPerSecond: Int
    package var profile = Profile.constrainedBaseline
    package var slices = Slices.one
    package var preset = Preset.ultrafast
    /// Each costs 2 MB of memory at 720p, 4 MB at 1080p.
    package var references = 1
    package var threads = 1

    package init(size: PixelSize, frameRate: FrameRate, maximumBitsPerSecond: Int) {
        self.size = size
        self.frameRate = frameRate
        self.maximumBitsPerSecond = maximumBitsPerSecond
    }

    /// Five where they are affordable: a window that was there before and comes back is found in them, if it took four
    /// pictures at most to make what stood there meanwhile sharp. A share of 720p and less has to fit 50 MB.
    package static func references(for size: PixelSize) -> Int { size.area > 1280 * 720 ? 5 : 1 }

    /// The level to write, after a check of everything.
    func validated() throws(CodecError) -> H264Level {
        guard Limits.side.contains(size.width), Limits.side.contains(size.height), size.width % 2 == 0,
            size.height % 2 == 0
        else { throw .unsupportedParameters("A picture of \(size) can't be encoded: sides are even, 2 to 16384.") }
        guard Limits.framesPerSecond.contains(frameRate.framesPerSecond) else {
            throw .unsupportedParameters("\(frameRate.framesPerSecond) frames a second can't be encoded.")
        }
        guard Limits.bitsPerSecond.contains(maximumBitsPerSecond) else {
            throw .unsupportedParameters("\(maximumBitsPerSecond) bit/s is out of range.")
        }
        guard Limits.references.contains(references), Limits.threads.contains(threads) else {
            throw .unsupportedParameters("\(references) reference frames or \(threads) threads are out of range.")
        }
        if case .fitting(let payload) = slices, !Limits.slicePayload.contains(payload) {
            throw .unsupportedParameters("Slices of \(payload) bytes can't be made.")
        }
        let level = H264Level.minimum(
            size: size, frameRate: frameRate, bitsPerSecond: maximumBitsPerSecond, references: references)
        guard let level else {
            throw .unsupportedParameters("No level of H.264 allows \(size) at this rate with \(references) references.")
        }
        return level
    }
}
