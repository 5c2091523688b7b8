import Media
import RTP

/// How large a picture may be.
package enum PictureLimits {
    /// Wide and high enough for any screen.
    package static let side = 8192
    /// Of a picture that is pushed: as much padding as the widest has in four bytes a pixel.
    static let bytesPerRow = 2 * 4 * side
    /// Level 6.2 of H.264 ends here (ITU-T H.264 table A-1).
    package static let pixels = RTP.Limits.macroblocksPerPicture * 256
    /// What a picture's pixels can be bounded to: from a single macroblock on.
    package static let pixelCounts = 256...pixels
    /// x264's longest side, and the other of a picture that has all those pixels then.
    static let longestSide = 16_384
    static let shortestSide = pixels / longestSide

    /// Whether a level of H.264 has room for so many macroblocks, and x264 for so long a side.
    static func takes(_ picture: PixelSize) -> Bool {
        let macroblocks = ((picture.width + 15) / 16) * ((picture.height + 15) / 16)
        return macroblocks <= RTP.Limits.macroblocksPerPicture && max(picture.width, picture.height) <= longestSide
    }
}
