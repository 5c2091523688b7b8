import ScreenShare
import Timebase

/// One line of `--stats-json`.
struct HostRecord: Encodable {
    struct Viewer: Encodable {
        var id: String
        var connected: Bool
        var roundTripMs: Double?
        var lossFraction: Double
        var packetsSent: Int
        var bytesSent: Int
        var retransmissions: Int
        var keyframeRequests: Int
        var bytesRepaired: Int
        var availableBitrate: Int?
        var queueDelayMs: Double?
        var markable: Bool
        var congestionMarks: Int
    }

    var time: Double
    var state: String
    var viewers: Int
    var fps: Double
    var bitrate: Double
    var width: Int
    var height: Int
    var framesEncoded: Int
    var keepalives: Int
    var framesDropped: Int
    var keyframes: Int
    var quantiser: Double
    var preset: String
    var content: String?
    var cadence: Double?
    var cadenceConfidence: Double?
    var cpu: Double
    var rssBytes: Int
    var roundTripMs: Double?
    var lossFraction: Double
    var lanes: Int
    var datagramsRefused: Int
    var sound: [String: Sound]
    var peers: [Viewer]

    /// Of `system` or `microphone`.
    struct Sound: Encodable {
        var gaps: Int
        var losses: Int
        var delayMs: Double
        var waitMs: Double
        var driftPpm: Double
    }

    init(_ statistics: ShareStatistics, _ rates: HostRates, _ time: Double) {
        self.time = time
        state = statistics.state.word
        viewers = statistics.viewers.filter(\.isConnected).count
        fps = rates.framesPerSecond
        bitrate = rates.bitsPerSecond
        width = statistics.width
        height = statistics.height
        framesEncoded = statistics.framesEncoded
        keepalives = statistics.keepalives
        framesDropped = statistics.framesDropped
        keyframes = statistics.keyframes
        quantiser = statistics.quantiser
        preset = statistics.preset.rawValue
        content = statistics.content?.rawValue
        cadence = statistics.cadence?.picturesPerSecond
        cadenceConfidence = statistics.cadence?.confidence
        cpu = rates.cpu
        rssBytes = rates.residentBytes
        roundTripMs = statistics.meanRoundTrip
        lossFraction = statistics.worstLoss
        lanes = statistics.lanes
        datagramsRefused = statistics.datagramsRefused
        sound = Dictionary(uniqueKeysWithValues: statistics.sound.map { ($0.rawValue, Sound($1)) })
        peers = statistics.viewers.map(Viewer.init)
    }
}

extension HostRecord.Sound {
    init(_ found: SoundStatistics) {
        gaps = found.gaps
        losses = found.losses
        delayMs = found.delay.inMilliseconds
        waitMs = found.wait.inMilliseconds
        driftPpm = found.drift * 1e6
    }
}

extension HostRecord.Viewer {
    init(_ found: ViewerStatistics) {
        id = found.viewer
        connected = found.isConnected
        roundTripMs = found.roundTripTime?.inMilliseconds
        lossFraction = found.lossFraction
        packetsSent = found.packetsSent
        bytesSent = found.bytesSent
        retransmissions = found.retransmissions
        keyframeRequests = found.keyframeRequests
        bytesRepaired = found.bytesRepaired
        availableBitrate = found.availableBitrate
        queueDelayMs = found.queueDelay?.inMilliseconds
        markable = found.isMarkable
        congestionMarks = found.congestionMarks
    }
}
