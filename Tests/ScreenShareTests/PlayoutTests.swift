import Media
import PeerCore
import RTP
import Testing
@testable import ScreenShare

@Suite("When a browser is to show pictures beside sound")
struct PlayoutTests {
    private func session(_ mode: ContentMode) -> ShareSession {
        var configuration = ShareConfiguration(source: .testPattern(width: 320, height: 240))
        configuration.mode = mode
        return ShareSession(configuration: configuration)
    }

    private func inStep(_ session: ShareSession) async -> PlayoutWish {
        PlayoutWish(delay: .lipSync(soundDelay: await session.soundDelay), prefersSteady: true)
    }

    @Test("pages at once, also with sound: who types waits for the picture", arguments: [ContentMode.auto, .detail])
    func pages(_ mode: ContentMode) async {
        let session = session(mode)
        for hasSound in [true, false] {
            let wish = await session.playout(withSound: hasSound)
            #expect(wish == PlayoutWish(delay: .none, prefersSteady: false))
        }
    }

    @Test("what plays in step with its sound, as long as it plays; without sound at once")
    func film() async {
        let session = session(.auto)
        await session.handle(.video(.content(.video, nil)))
        let expected = await inStep(session)
        #expect(await session.playout(withSound: true) == expected)
        #expect(await session.playout(withSound: false) == PlayoutWish(delay: .none, prefersSteady: true))
        await session.handle(.video(.content(.app, nil)))
        #expect(await session.playout(withSound: true) == PlayoutWish())
    }

    @Test("somebody who talks in a page is in step where the mode says so, and not in detail, whatever is found")
    func asked() async {
        let (motion, detail) = (session(.motion), session(.detail))
        let expected = await inStep(motion)
        #expect(await motion.playout(withSound: true) == expected)
        await detail.handle(.video(.content(.video, nil)))
        #expect(await detail.playout(withSound: true) == PlayoutWish())
    }
}
