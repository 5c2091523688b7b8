import Testing
@testable import ScreenShare
@testable import ScreenShareCLI

@Suite("What --stats-json writes of times")
struct StatisticsRecordTests {
    private func viewer(roundTripTime: Duration?, queueDelay: Duration?) -> HostRecord.Viewer {
        HostRecord.Viewer(
            ViewerStatistics(
                viewer: "viewer-1", isConnected: true, roundTripTime: roundTripTime, lossFraction: 0, packetsSent: 0,
                bytesSent: 0, retransmissions: 0, keyframeRequests: 0, bytesRepaired: 0, availableBitrate: nil,
                queueDelay: queueDelay, isMarkable: false, congestionMarks: 0))
    }

    @Test("a viewer's in milliseconds, and nothing where it is not known")
    func viewers() {
        let known = viewer(roundTripTime: .microseconds(12_500), queueDelay: .milliseconds(3))
        #expect(known.roundTripMs == 12.5 && known.queueDelayMs == 3)
        let unknown = viewer(roundTripTime: nil, queueDelay: nil)
        #expect(unknown.roundTripMs == nil && unknown.queueDelayMs == nil)
    }

    @Test("the sound's in milliseconds")
    func sound() {
        let found = SoundStatistics(gaps: 0, losses: 0, delay: .microseconds(35_250), wait: .milliseconds(20), drift: 0)
        let sound = HostRecord.Sound(found)
        #expect(sound.delayMs == 35.25 && sound.waitMs == 20)
    }

    @Test("what is viewed in milliseconds, and how much sound there was in seconds")
    func viewing() {
        var statistics = ViewStatistics()
        statistics.audioDuration = .milliseconds(12_500)
        statistics.audioLost = .milliseconds(250)
        statistics.videoLag = .milliseconds(-8)
        statistics.videoLag95 = .microseconds(8_500)
        statistics.videoDelay = .milliseconds(120)
        statistics.roundTripTime = .milliseconds(40)
        statistics.firstPicture = .milliseconds(310)
        let record = ViewRecord(statistics, written: ViewRecord.Written(), time: 13)
        #expect(record.sound == 12.5 && record.soundLost == 0.25)
        #expect(record.videoLagMs == -8 && record.videoLag95Ms == 8.5 && record.videoDelayMs == 120)
        #expect(record.audioDelayMs == nil && record.roundTripMs == 40 && record.firstFrameMs == 310)
    }
}
