import Media
import Timebase

extension X264Encoder {
    /// One picture to be encoded.
    struct Request {
        let picture: I420Picture
        /// Where something changed; one area, unless more is known.
        var areas: [PixelRect]
        let mediaTime: MediaTime
        let capturedAt: Instant
        let target: SendTarget

        var area: PixelRect { areas.reduce(.nothing) { $0.union($1) } }
        var detail: PictureDetail { areas.reduce(.nothing) { $0 + PictureDetail(of: picture, in: $1) } }
        var fillsPicture: Bool { area.area * 10 >= picture.size.area * 9 }
    }

    /// What a look at a change found.
    struct Sighting {
        /// With no more areas than look different, as far as that is known.
        let request: Request
        /// It belongs to motion: nothing of before is looked for.
        let isRun: Bool
        /// The picture's; nil where nobody looked.
        let rows: ReferenceMemory.Rows?
        /// The older picture that shows the most of it.
        let known: ReferenceMemory.Find
        /// As much of it stands in the references, there or a little off.
        let found: Double
        /// Of the areas.
        let whole: PictureDetail
        /// The part of that which was not found.
        let changed: PictureDetail
    }
}
