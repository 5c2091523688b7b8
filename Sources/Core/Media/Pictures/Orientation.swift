/// How a picture has to be turned to stand upright, by EXIF's numbers (CIPA DC-008, tag Orientation): which side of the
/// scene its first row and its first column show.
package enum Orientation: Int, Hashable, Sendable, CaseIterable {
    case topLeft = 1, topRight, bottomRight, bottomLeft, leftTop, rightTop, rightBottom, leftBottom

    /// Width and height change places.
    package var isTurned: Bool { rawValue >= Orientation.leftTop.rawValue }
}
