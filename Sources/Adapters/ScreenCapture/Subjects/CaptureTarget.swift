import Media

/// What is to be shared of a display.
package enum CaptureTarget: Hashable, Sendable {
    /// The whole screen.
    case display
    /// One RandR monitor, by name.
    case monitor(String)
    /// One window, by its number (0x1c00007 or decimal) or a part of its title.
    case window(String)
    /// A rectangle of the screen, fixed in place.
    case region(PixelRect)
}

extension PixelRect {
    /// A rectangle as X11 programs write it: `800x600+100+50`; nil if it is written in another way or is empty.
    package init?(geometry text: String) {
        let fields = text.split(separator: "+", omittingEmptySubsequences: false)
        guard fields.count == 3, let x = Int16(fields[1]), let y = Int16(fields[2]) else { return nil }
        let sides = fields[0].split(separator: "x", omittingEmptySubsequences: false)
        guard sides.count == 2, let width = Int16(sides[0]), let height = Int16(sides[1]), width > 0, height > 0 else {
            return nil
        }
        self.init(x: Int(x), y: Int(y), width: Int(width), height: Int(height))
    }

    /// The same rectangle as X11 programs write it.
    package var geometry: String { "\(size)+\(x)+\(y)" }
}
