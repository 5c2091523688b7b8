import Testing

@testable import ScreenShare
@testable import ScreenShareCLI

@Suite("Sound from before its place is known")
struct EarlyAudioTests {
    private static func piece(_ position: Int64, at timestamp: Int64? = nil, frames: Int = 960) -> AudioPiece {
        AudioPiece(
            opus: [0], samples: [], timestamp: timestamp, position: position, frames: frames, playAt: .now,
            isInserted: false)
    }

    @Test("The newest seven seconds are kept, and stand right before the piece that tells where")
    func newest() throws {
        var early = EarlyAudio()
        for index in 0..<500 { early.keep(Self.piece(Int64(index) * 960)) }
        let placed = early.placed(by: Self.piece(500 * 960, at: 24_000))
        #expect(placed.count == 351)
        let (first, last) = (try #require(placed.first?.timestamp), try #require(placed.last?.timestamp))
        #expect(first == 24_000 - 350 * 960 && last == 24_000)
        let next = early.placed(by: Self.piece(501 * 960, at: 24_960))
        #expect(next.count == 1)
    }

    @Test("Seven seconds are kept also in short pieces", arguments: [120, 240, 480])
    func shortPieces(frames: Int) throws {
        var early = EarlyAudio()
        let count = 8 * 48_000 / frames
        for index in 0..<count { early.keep(Self.piece(Int64(index * frames), frames: frames)) }
        let placed = early.placed(by: Self.piece(8 * 48_000, at: 0, frames: frames))
        let first = try #require(placed.first?.timestamp)
        #expect(first == -7 * 48_000)
        #expect(placed.count == 7 * 48_000 / frames + 1)
    }

    @Test("Pieces that take no time are bounded as well")
    func noTime() {
        var early = EarlyAudio()
        for _ in 0..<5_000 { early.keep(Self.piece(0, frames: 0)) }
        #expect(early.placed(by: Self.piece(0, at: 0)).count == 2801)
    }

    @Test("What came over an earlier connection never gets a place")
    func otherConnection() {
        for start in [Int64(9_000_000), -4_000_000] {
            var early = EarlyAudio()
            for index in 0..<10 { early.keep(Self.piece(Int64(index) * 960)) }
            let placed = early.placed(by: Self.piece(start, at: 0))
            #expect(placed.map(\.timestamp) == [0])
        }
    }

    @Test("A packet that comes behind what was guessed for it takes its place, and nothing of before is lost")
    func late() {
        var early = EarlyAudio()
        for index in 0..<10 { early.keep(Self.piece(Int64(index) * 960)) }
        for part in 0..<3 { early.keep(Self.piece(9600 + Int64(part) * 240)) }
        let placed = early.placed(by: Self.piece(9600, at: 9600))
        #expect(placed.map(\.timestamp) == (0...10).map { $0 * 960 })
    }
}

@Suite("Sound that was guessed while a packet was waited for")
struct GuessedAudioTests {
    private static func piece(_ opus: [UInt8]?) -> AudioPiece {
        AudioPiece(
            opus: opus, samples: [], timestamp: 0, position: 0, frames: 960, playAt: .now, isInserted: false)
    }

    private static let guess = piece(nil)
    private static let packet = piece([0])

    @Test("is left out of a recording where the packets come, however late")
    func late() {
        var guessed = GuessedAudio()
        var written = guessed.pass(Self.packet, at: 0)
        for part in 0..<20 { written += guessed.pass(Self.guess, at: 960 + Int64(part) * 240) }
        for index in 0..<8 { written += guessed.pass(Self.packet, at: 960 + Int64(index) * 960) }
        #expect(written.map(\.timestamp) == (0...8).map { $0 * 960 })
        #expect(written.allSatisfy { $0.piece.opus != nil })
    }

    @Test("stands where a packet did not come, in order")
    func lost() {
        var guessed = GuessedAudio()
        var written = guessed.pass(Self.packet, at: 0)
        for part in 0..<4 { written += guessed.pass(Self.guess, at: 960 + Int64(part) * 240) }
        written += guessed.pass(Self.packet, at: 1920)
        #expect(written.map(\.timestamp) == [0, 960, 1200, 1440, 1680, 1920])
    }

    @Test("goes on through a long silence, and is there at the end")
    func silence() {
        var guessed = GuessedAudio()
        var written: [Int64] = []
        for part in 0..<400 { written += guessed.pass(Self.guess, at: Int64(part) * 240).map(\.timestamp) }
        #expect(written == (0..<360).map { $0 * 240 })
        written += guessed.finish().map(\.timestamp)
        #expect(written == (0..<400).map { $0 * 240 })
    }
}

@Suite("Where a file's zero is on the sound's clock")
struct SoundZeroTests {
    /// Whether each of these pieces, which have a place on the sound's clock and one in the file, tells that it is later.
    private static func told(_ pieces: [(position: Int64, timestamp: Int64)]) -> [Bool] {
        var zero = SoundZero()
        return pieces.map { place in
            let piece = AudioPiece(
                opus: [0], samples: [], timestamp: place.timestamp, position: place.position, frames: 960, playAt: .now,
                isInserted: false)
            return zero.isLater(by: piece, at: place.timestamp)
        }
    }

    @Test("Sound that goes on by its own clock, and in the file at an earlier place, had been placed too late")
    func later() {
        #expect(Self.told([(500, 0), (1460, 960), (2420, 1000), (3380, 1960)]) == [false, false, true, false])
        #expect(Self.told([(500, 0), (1460, 2000)]) == [false, false])
    }

    @Test("A clock that jumps back does not tell so")
    func jump() {
        #expect(Self.told([(50_000, 48_000), (960, -1040), (1920, -80)]) == [false, false, false])
        #expect(Self.told([(.max, .min), (.min, .max)]) == [false, false])
    }
}
