import ScreenShare
import Testing

@Suite("Recommended parameters")
struct EncodingParametersTests {
    @Test("text keeps the screen's size, a film is fitted, and High profile needs an eighth less")
    func table() {
        let text = EncodingParameters.recommended(
            for: .detail, screenWidth: 2560, screenHeight: 1440, profile: .constrainedBaseline)
        #expect(text == EncodingParameters(mode: .detail, size: .native, maximumBitrate: 4_000_000))
        #expect(text.maximumFrameRate == 15)
        let film = EncodingParameters.recommended(for: .motion, screenWidth: 3840, screenHeight: 2160)
        #expect(film.size == .within(longSide: 1920, shortSide: 1080) && film.maximumBitrate == 4_500_000 * 7 / 8)
        #expect(film.maximumFrameRate == 30)
    }

    @Test("bits are for the picture that is encoded: a wide desktop is fitted into few pixels, and kept whole for text")
    func wide() {
        func bits(_ mode: ContentMode) -> Int {
            EncodingParameters.recommended(
                for: mode, screenWidth: 5760, screenHeight: 1080, profile: .constrainedBaseline
            ).maximumBitrate
        }
        #expect(bits(.motion) == 2_500_000 && bits(.auto) == 2_500_000, "1920×360")
        #expect(bits(.detail) == 6_000_000)
    }

    @Test("more pixels never get fewer bits, and no screen is too odd", arguments: ContentMode.allCases)
    func monotonous(mode: ContentMode) {
        let bits = [(0, 0), (1, 1), (640, 360), (1080, 1920), (1920, 1080), (2560, 1440), (7680, 4320)].map {
            EncodingParameters.recommended(for: mode, screenWidth: $0.0, screenHeight: $0.1).maximumBitrate
        }
        #expect(bits == bits.sorted() && bits.allSatisfy { (100_000...100_000_000).contains($0) })
    }
}
