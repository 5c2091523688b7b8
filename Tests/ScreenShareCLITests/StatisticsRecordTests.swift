import Foundation
import Testing
@testable import ScreenShare
@testable import ScreenShareCLI

@Suite("What --stats-json writes")
struct StatisticsRecordTests {
    private func viewer(roundTripTime: Duration?, queueDelay: Duration?) -> HostRecord.Viewer {
        HostRecord.Viewer(
            ViewerStatistics(
                viewer: "viewer-1", isConnected: true, roundTripTime: roundTripTime, lossFraction: 0, packetsSent: 0,
                bytesSent: 0, retransmissions: 0, keyframeRequests: 0, bytesRepaired: 0, availableBitrate: nil,
                queueDelay: queueDelay, isMarkable: false, congestionMarks: 0))
    }

    /// No two figures alike.
    private var statistics: ShareStatistics {
        let viewer = ViewerStatistics(
            viewer: "viewer-1", isConnected: true, roundTripTime: .microseconds(12_500), lossFraction: 0.25,
            packetsSent: 61, bytesSent: 67, retransmissions: 71, keyframeRequests: 73, bytesRepaired: 79,
            availableBitrate: 83, queueDelay: .microseconds(3500), isMarkable: true, congestionMarks: 89)
        let sound = SoundStatistics(
            gaps: 43, losses: 47, delay: .microseconds(35_250), wait: .microseconds(20_500), drift: 30.5e-6)
        return ShareStatistics(
            state: .live, width: 640, height: 360, pictures: 53, framesEncoded: 11, keepalives: 13, framesDropped: 17,
            keyframes: 19, encodedBytes: 59, lanes: 3, quantiser: 21.5, preset: .veryfast, content: .video,
            cadence: CadenceStatistics(picturesPerSecond: 24.5, confidence: 0.75), datagramsRefused: 41,
            sound: [.microphone: sound], viewers: [viewer])
    }

    @Test("each figure stands under its own name")
    func names() throws {
        let rates = HostRates(framesPerSecond: 23.5, bitsPerSecond: 3001.5, cpu: 0.125, residentBytes: 37)
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let written = try encoder.encode(HostRecord(statistics, rates, 2.5))
        let peer = [
            #""availableBitrate":83,"bytesRepaired":79,"bytesSent":67,"congestionMarks":89,"connected":true,"id":"viewer-1","#,
            #""keyframeRequests":73,"lossFraction":0.25,"markable":true,"packetsSent":61,"queueDelayMs":3.5,"#,
            #""retransmissions":71,"roundTripMs":12.5"#,
        ].joined()
        let expected = [
            #"{"bitrate":3001.5,"cadence":24.5,"cadenceConfidence":0.75,"content":"video","cpu":0.125,"#,
            #""datagramsRefused":41,"fps":23.5,"framesDropped":17,"framesEncoded":11,"height":360,"keepalives":13,"#,
            #""keyframes":19,"lanes":3,"lossFraction":0.25,"peers":[{\#(peer)}],"preset":"veryfast","quantiser":21.5,"#,
            #""roundTripMs":12.5,"rssBytes":37,"#,
            #""sound":{"microphone":{"delayMs":35.25,"driftPpm":30.5,"gaps":43,"losses":47,"waitMs":20.5}},"#,
            #""state":"live","time":2.5,"viewers":1,"width":640}"#,
        ].joined()
        #expect(String(decoding: written, as: UTF8.self) == expected)
    }

    @Test("a viewer's times are in milliseconds, and nothing where it is not known")
    func viewers() {
        let known = viewer(roundTripTime: .microseconds(12_500), queueDelay: .milliseconds(3))
        #expect(known.roundTripMs == 12.5 && known.queueDelayMs == 3)
        let unknown = viewer(roundTripTime: nil, queueDelay: nil)
        #expect(unknown.roundTripMs == nil && unknown.queueDelayMs == nil)
    }

    @Test("the sound's times are in milliseconds")
    func sound() {
        let found = SoundStatistics(gaps: 0, losses: 0, delay: .microseconds(35_250), wait: .milliseconds(20), drift: 0)
        let sound = HostRecord.Sound(found)
        #expect(sound.delayMs == 35.25 && sound.waitMs == 20)
    }

    @Test("times of what is viewed are in milliseconds, and how much sound there was in seconds")
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
