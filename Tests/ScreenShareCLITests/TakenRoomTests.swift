import ScreenShare
import Testing

@testable import ScreenShareCLI

@Suite("What host does where a room is taken")
struct TakenRoomTests {
    private struct Outcome {
        var error: (any Error)?
        var pauses: [Duration] = []
        var lines: [String] = []
        /// What was not asked for.
        var rest: [ShareError?]
    }

    /// Of a server that says these things in turn; nil: the room is given.
    private func asked(
        _ answers: [ShareError?], pausing pause: (Duration) throws -> Void = { _ in }
    ) async -> Outcome {
        var outcome = Outcome(rest: answers)
        do {
            try await TakenRoom.askedTwice(
                { () async throws -> Void in
                    if let error = outcome.rest.removeFirst() { throw error }
                },
                pause: { time in
                    outcome.pauses.append(time)
                    try pause(time)
                },
                tell: { line in outcome.lines.append(line) })
        } catch {
            outcome.error = error
        }
        return outcome
    }

    private static func taken(_ seconds: Int) -> ShareError { .roomTaken(retryAfter: .seconds(seconds)) }

    @Test("one that may be free soon is waited for, which is told")
    func waits() async {
        let outcome = await asked([Self.taken(4), nil])
        #expect(outcome.error == nil && outcome.rest.isEmpty && outcome.pauses == [.seconds(4)])
        #expect(outcome.lines.count == 1 && outcome.lines.first?.hasSuffix("asking once more in 4 s.") == true)
    }

    @Test("where it is still taken then, somebody else shares: it is not waited for again")
    func once() async {
        let outcome = await asked([Self.taken(5), Self.taken(5)])
        let failure = outcome.error as? Failure
        #expect(failure?.code == .unavailable && failure?.message.hasSuffix("choose another name") == true)
        #expect(outcome.pauses == [.seconds(5)])
    }

    @Test("one that is not free soon is not waited for, and neither is what else there is")
    func atOnce() async {
        for error in [Self.taken(28), .forbidden("the token is not the right one")] {
            let outcome = await asked([error])
            #expect(outcome.error as? ShareError == error && outcome.pauses.isEmpty && outcome.lines.isEmpty)
        }
        let failure = Failure(Self.taken(28))
        #expect(failure.code == .unavailable && failure.message.hasSuffix("choose another name, or try again in 28 s"))
    }

    @Test("nothing is asked any more where the wait is given up")
    func givenUp() async {
        let outcome = await asked([Self.taken(5), nil]) { _ in throw CancellationError() }
        #expect(outcome.error is CancellationError && outcome.rest.count == 1)
    }
}
