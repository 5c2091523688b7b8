import ScreenShare
import Testing
@testable import ScreenShareCLI

@Suite("What view says of the way to its sharer")
struct JoiningTextTests {
    /// What is said of each event at its second, and in the seconds behind it until the next.
    private func said(_ events: [(Int, ViewEvent)], until end: Int) -> [String] {
        var (text, lines) = (JoiningText("at home"), [String]())
        for (index, (second, event)) in events.enumerated() {
            if let line = text.line(event, at: Double(second)) { lines.append(line) }
            let next = index + 1 < events.count ? events[index + 1].0 : end
            for second in second..<next {
                if let line = text.line(at: Double(second)) { lines.append(line) }
            }
        }
        return lines
    }

    @Test("who never was connected is not called disconnected")
    func unconnected() {
        let events: [(Int, ViewEvent)] = [
            (0, .connecting), (2, .disconnected("no way")), (3, .connecting), (4, .connected), (9, .disconnected("gone")),
            (10, .connecting), (12, .disconnected("no way")),
        ]
        #expect(said(events, until: 13) == [
            "Not connected: no way. Trying again.", "Connected.", "Disconnected: gone. Trying again.",
            "Not connected: no way. Trying again.",
        ])
    }

    @Test("a try that takes long is told of, once until there is a connection")
    func long() {
        let events: [(Int, ViewEvent)] = [
            (0, .connecting), (30, .disconnected("no way")), (31, .connecting), (60, .connected),
            (90, .disconnected("gone")), (91, .connecting),
        ]
        #expect(said(events, until: 120) == [
            "Not connected yet; still trying.", "Not connected: no way. Trying again.", "Connected.",
            "Disconnected: gone. Trying again.", "Not connected yet; still trying.",
        ])
    }

    @Test("why there is nothing to see yet is told once, and who waits for that is told nothing else")
    func waiting() {
        let events: [(Int, ViewEvent)] = [
            (0, .connecting), (1, .waiting("nobody shares")), (2, .connecting), (30, .waiting("nobody shares")),
            (31, .connecting), (32, .waiting("It is full.")),
        ]
        #expect(said(events, until: 60) == [
            "Nothing to see yet at home: nobody shares. Waiting.", "Nothing to see yet at home: It is full. Waiting.",
        ])
    }
}
