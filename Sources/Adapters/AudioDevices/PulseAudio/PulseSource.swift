import CPulse
import Media

/// A source of a sound server: a microphone, or the monitor of a sink, which is what is to be heard there.
struct PulseSource {
    /// Its name, which stays; the index changes each time it comes back.
    var name: String
    var index: UInt32
    var description: String
    /// The sink that it is the monitor of.
    var monitoredSink: String?
    /// What its frames are.
    var specification: pa_sample_spec
    /// Which speaker or microphone each channel is.
    var channelMap: pa_channel_map

    var isMonitor: Bool { monitoredSink != nil }
}

extension PulseSource {
    init(_ info: pa_source_info) {
        let name = text(info.name)
        let description = text(info.description)
        let isMonitor = info.monitor_of_sink != UInt32.max
        self.init(
            name: name, index: info.index, description: description.isEmpty ? name : description,
            monitoredSink: isMonitor ? text(info.monitor_of_sink_name) : nil,
            specification: info.sample_spec, channelMap: info.channel_map)
    }
}

extension ChannelMap {
    /// Nil where the server does not say which speaker each channel is for.
    init?(_ map: pa_channel_map) {
        // The only one is all there is to hear, also where it is a loudspeaker's or one side's.
        if map.channels == 1 {
            self.init([.mono])
            return
        }
        let positions = withUnsafeBytes(of: map.map) { bytes in
            bytes.bindMemory(to: pa_channel_position_t.self).prefix(Int(map.channels)).map { ChannelPosition($0) }
        }
        guard !positions.isEmpty, !positions.contains(nil) else { return nil }
        self.init(positions.compactMap { $0 })
    }
}

extension ChannelPosition {
    /// Nil for none, and for an auxiliary one.
    fileprivate init?(_ code: pa_channel_position_t) {
        switch code {
        case PA_CHANNEL_POSITION_MONO: self = .mono
        case PA_CHANNEL_POSITION_FRONT_LEFT, PA_CHANNEL_POSITION_FRONT_LEFT_OF_CENTER: self = .frontLeft
        case PA_CHANNEL_POSITION_FRONT_RIGHT, PA_CHANNEL_POSITION_FRONT_RIGHT_OF_CENTER: self = .frontRight
        case PA_CHANNEL_POSITION_FRONT_CENTER: self = .frontCentre
        case PA_CHANNEL_POSITION_REAR_LEFT: self = .rearLeft
        case PA_CHANNEL_POSITION_REAR_RIGHT: self = .rearRight
        case PA_CHANNEL_POSITION_REAR_CENTER: self = .rearCentre
        case PA_CHANNEL_POSITION_SIDE_LEFT: self = .sideLeft
        case PA_CHANNEL_POSITION_SIDE_RIGHT: self = .sideRight
        case PA_CHANNEL_POSITION_LFE: self = .lowFrequency
        case PA_CHANNEL_POSITION_INVALID: return nil
        case let other where other.rawValue < PA_CHANNEL_POSITION_TOP_CENTER.rawValue: return nil
        default: self = .other
        }
    }
}

extension SampleFormat {
    /// Nil for what is not linear: A-law and µ-law.
    init?(_ code: pa_sample_format_t) {
        switch code {
        case PA_SAMPLE_U8: self.init(.unsigned8)
        case PA_SAMPLE_S16LE: self.init(.signed16)
        case PA_SAMPLE_S16BE: self.init(.signed16, .big)
        case PA_SAMPLE_S24LE: self.init(.signed24)
        case PA_SAMPLE_S24BE: self.init(.signed24, .big)
        case PA_SAMPLE_S24_32LE: self.init(.signed24In32)
        case PA_SAMPLE_S24_32BE: self.init(.signed24In32, .big)
        case PA_SAMPLE_S32LE: self.init(.signed32)
        case PA_SAMPLE_S32BE: self.init(.signed32, .big)
        case PA_SAMPLE_FLOAT32LE: self.init(.float32)
        case PA_SAMPLE_FLOAT32BE: self.init(.float32, .big)
        default: return nil
        }
    }
}

/// A C string, at most as long as names may be; empty where there is none.
func text(_ string: UnsafePointer<CChar>?) -> String {
    string.map { String(String(cString: $0).prefix(Limits.nameLength)) } ?? ""
}
