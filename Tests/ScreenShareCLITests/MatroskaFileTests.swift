import Glibc
import Testing

@testable import ScreenShare
@testable import ScreenShareCLI

@Suite("A Matroska file that does not begin")
struct MatroskaFileTests {
    @Test("ends with an error after ten seconds without a picture to begin with")
    func noParameterSets() async throws {
        let file = try MatroskaFile(output: OutputFile(descriptor: open("/dev/null", O_WRONLY | O_CLOEXEC)))
        let begin = ContinuousClock.now
        func write(_ second: Int64) async throws {
            // A keyframe without parameter sets.
            let unit = VideoUnit(
                annexB: [0, 0, 0, 1, 0x65, 0x88, 1], timestamp: second * 90_000, isKeyframe: true, pictures: 1, repeated: 0,
                showAt: begin + .seconds(second))
            _ = try await file.write(unit, hasSound: false)
        }
        for second in 0...10 as ClosedRange<Int64> { try await write(second) }
        let failure = await #expect(throws: Failure.self) { try await write(11) }
        #expect(failure?.code == .outputError)
    }
}
