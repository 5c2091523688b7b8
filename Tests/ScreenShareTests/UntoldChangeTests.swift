import Media
import PeerCore
import RTP
import SystemClock
import Testing
import Timebase
@testable import ScreenShare

@Suite("A change that was converted, and whose slot is yet to come")
struct UntoldChangeTests {
    enum Turn: CaseIterable { case again, keepalive, catchUp }

    @Test("whatever is encoded before, no encoder takes it for sent", arguments: Turn.allCases)
    func held(turn: Turn) throws {
        let size = PixelSize(width: 320, height: 240)
        let unwatched = LaneKey(packetizationMode: .singleNALUnit)
        let pipeline = try VideoPipeline.threadless(size: size)
        pipeline.commands.lanes = [.standard, unwatched]
        let begin = SystemClock.now()
        try pipeline.encode(grey: 60, size, .zero, at: begin)
        pipeline.commands.lanes = [.standard]
        try pipeline.convert(grey: 200, size, at: begin + .milliseconds(900))
        let (time, now) = (MediaTime(elapsed: .seconds(1)), begin + .seconds(1))
        switch turn {
        case .again: try pipeline.encodeAgain(time, at: now)
        case .keepalive: try pipeline.keepalive(time, at: now)
        // The turn of slower viewers' lanes alone.
        case .catchUp: try pipeline.catchUp(time, at: now)
        }
        #expect(pipeline.lanes[unwatched]?.isBehind == true)
        #expect(pipeline.lanes[.standard]?.isBehind == (turn == .catchUp))
    }
}
