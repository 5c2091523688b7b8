import Media
import Testing

@testable import VideoCodec

@Suite("What the references show")
struct ReferenceMemoryTests {
    @Test("Looked at where it changed, a picture gives the same as looked at whole")
    func partly() {
        let size = PixelSize(width: 600, height: 360)
        let picture = Scene(size, .text(scroll: 0), seed: 1).picture
        var memory = ReferenceMemory(references: 4)
        memory.coded(ReferenceMemory.rows(of: picture), quantiser: 26, PendingRefinement(pictureSize: size, costFactor: 1))
        for step in 0..<50 {
            let (x, y) = (2 * (step * 37 % 290), 2 * (step * 53 % 170))
            let area = PixelRect(x: x, y: y, width: 20, height: 20)
            let before = ReferenceMemory.rows(of: picture)
            picture.withPlanes { luma, u, v in
                for row in y..<y + 20 { luma[row * picture.lumaStride + x + row % 20] ^= 0x55 }
                u[(y / 2 + 9) * picture.chromaStride + x / 2] ^= 0x2a
                v[y / 2 * picture.chromaStride + x / 2 + 9] ^= 0x2a
            }
            let whole = ReferenceMemory.rows(of: picture)
            #expect(whole != before)
            #expect(memory.rows(of: picture, changed: area) == whole)
            memory.coded(whole, quantiser: 26, PendingRefinement(pictureSize: size, costFactor: 1))
        }
    }

    @Test("After motion, in which nobody looks, all of a picture is looked at")
    func afterMotion() {
        let size = PixelSize(width: 256, height: 64)
        let picture = Scene(size, .text(scroll: 0), seed: 2).picture
        var memory = ReferenceMemory(references: 4)
        memory.coded(nil, quantiser: 30, PendingRefinement(pictureSize: size, costFactor: 1))
        #expect(memory.rows(of: picture, changed: .nothing) == ReferenceMemory.rows(of: picture))
    }
}
