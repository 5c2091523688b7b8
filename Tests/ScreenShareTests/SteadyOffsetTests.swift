import Testing
import Timebase

@testable import ScreenShare

/// Where recorded sound stands beside the pictures.
@Suite("The place of recorded sound")
struct SteadyOffsetTests {
    /// What `measure` says, fifty times a second for two seconds.
    private static func value(after first: Int64, measuring measured: Int64, for seconds: Double = 2) -> Int64? {
        var offset = SteadyOffset()
        offset.note(first, at: .zero)
        for packet in 1...Int(seconds * 50) {
            offset.note(measured, at: Instant.zero + .milliseconds(packet * 20))
        }
        return offset.value
    }

    @Test("Pictures that take on a film's own clock, up to half a picture away, cut no sound")
    func phase() {
        let halfAPicture = Int64(48_000 / 24 / 2)
        #expect(Self.value(after: 1000, measuring: 1000 + halfAPicture) == 1000)
        #expect(Self.value(after: 1000, measuring: 1000 - halfAPicture) == 1000)
    }

    @Test("What is off by more, for longer than a moment, moves the sound")
    func lasting() {
        let moved = Int64(1000 + 48_000 / 20)
        #expect(Self.value(after: 1000, measuring: moved) == moved)
        #expect(Self.value(after: 1000, measuring: moved, for: 0.2) == 1000)
    }
}
