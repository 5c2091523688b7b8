import ScreenShare
import Testing
@testable import ScreenShareCLI

@Suite("What host says of what plays")
struct PlayingTextTests {
    private func said(_ changes: [(SharedContent, Double?)]) -> [String?] {
        var text = PlayingText()
        return changes.map { text.line($0, rate: $1) }
    }

    @Test("a rate stands beside what plays, a fraction with three decimals at most", arguments: [
        (nil, "A video plays."), (24, "A video plays, 24 pictures a second."), (60, "A video plays, 60 pictures a second."),
        (24_000.0 / 1001, "A video plays, 23.976 pictures a second."),
        (30_000.0 / 1001, "A video plays, 29.97 pictures a second."),
        (60_000.0 / 1001, "A video plays, 59.94 pictures a second."),
    ] as [(Double?, String)])
    func rates(rate: Double?, line: String) {
        #expect(said([(.video, rate)]) == [line])
    }

    @Test("a rate that becomes known, or another one, is told once")
    func changes() {
        let changes: [(SharedContent, Double?)] = [
            (.app, 24), (.video, nil), (.video, 24), (.video, nil), (.video, 24), (.video, 25), (.video, 25),
        ]
        #expect(said(changes) == [
            nil, "A video plays.", "A video plays, 24 pictures a second.", nil, nil, "A video plays, 25 pictures a second.", nil,
        ])
    }

    @Test("its end is told once, and the next one's rate anew")
    func end() {
        let changes: [(SharedContent, Double?)] = [(.app, nil), (.video, 24), (.app, 24), (.app, nil), (.video, 24)]
        #expect(said(changes) == [
            nil, "A video plays, 24 pictures a second.", "The video has ended.", nil, "A video plays, 24 pictures a second.",
        ])
    }
}
