import Logging
import RTP
import SystemClock
import Testing
import Timebase

@testable import PeerCore
@testable import ScreenShare

@Suite("Timestamps of a viewer's pictures")
struct RisingTimestampsTests {
    /// How the sharer begins anew.
    enum Beginning: CaseIterable {
        case connection, clock
    }

    /// When a picture was taken and when it comes, in milliseconds.
    private func picture(_ taken: Int, _ comes: Int, since begin: Instant) -> ReceivedUnit {
        ReceivedUnit(
            accessUnit: AccessUnit(
                bytes: [0x65, 0x88], nalUnits: [0..<2], timestamp: 0, isKeyframe: true, isComplete: true),
            mediaTime: MediaTime(ticks: Int64(taken) * 90), receivedAt: begin + .milliseconds(comes))
    }

    @Test("they rise where the sharer begins anew at once, behind a first picture that was older than those which followed",
        arguments: Beginning.allCases)
    func anew(beginning: Beginning) async {
        let life = ViewLife(
            configuration: ViewConfiguration(endpoint: "http://127.0.0.1:9/whep"), logger: Logger(label: "test"))
        let begin = SystemClock.now()
        // A still screen's, from its last sign of life, and then a change.
        for (taken, comes) in [(5000, 0), (5900, 30)] { await life.take(picture(taken, comes, since: begin)) }
        if beginning == .connection { await life.beginAnew() }
        for (taken, comes) in [(0, 300), (40, 340), (2000, 2300)] { await life.take(picture(taken, comes, since: begin)) }
        await life.stop()
        let times = await life.units.reduce(into: []) { $0.append($1.timestamp / 90) }
        // A slot behind the last, of 1/60 s where no stream says its rate, and from there on as they were taken.
        #expect(times == [0, 900, 916, 956, 2916])
    }

    @Test("they go on by the clock where the sharer was away for longer", arguments: Beginning.allCases)
    func away(beginning: Beginning) async {
        let life = ViewLife(
            configuration: ViewConfiguration(endpoint: "http://127.0.0.1:9/whep"), logger: Logger(label: "test"))
        let begin = SystemClock.now()
        for (taken, comes) in [(5000, 0), (5900, 30)] { await life.take(picture(taken, comes, since: begin)) }
        if beginning == .connection { await life.beginAnew() }
        for (taken, comes) in [(0, 4000), (40, 4040)] { await life.take(picture(taken, comes, since: begin)) }
        await life.stop()
        let times = await life.units.reduce(into: []) { $0.append($1.timestamp / 90) }
        #expect(times == [0, 900, 4000, 4040])
    }
}
