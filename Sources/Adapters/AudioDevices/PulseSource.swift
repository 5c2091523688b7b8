import CPulse
import Media

/// A source of a sound server: a microphone, or the monitor of a sink, which is what is to be heard there.
struct PulseSource: Hashable {
    /// Its name, which stays; the index changes each time it comes back.
    var name: String
    var index: UInt32
    var description: String
    var format: AudioFormat
    /// The sink that it is the monitor of.
    var monitoredSink: String?

    var isMonitor: Bool { monitoredSink != nil }
}

extension PulseSource {
    init(_ info: pa_source_info) {
        let name = text(info.name)
        let description = text(info.description)
        let isMonitor = info.monitor_of_sink != UInt32.max
        self.init(
            name: name, index: info.index, description: description.isEmpty ? name : description,
            format: AudioFormat(
                sampleRate: Int(info.sample_spec.rate), channels: Int(info.sample_spec.channels)),
            monitoredSink: isMonitor ? text(info.monitor_of_sink_name) : nil)
    }
}

/// A C string, at most as long as names may be; empty where there is none.
func text(_ string: UnsafePointer<CChar>?) -> String {
    string.map { String(String(cString: $0).prefix(Limits.nameLength)) } ?? ""
}
