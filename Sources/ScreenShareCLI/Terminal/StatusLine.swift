import Glibc
import ScreenShare
import SystemClock
import Timebase

/// Rates between two looks at the counters, for the status line and the statistics file.
struct HostRates {
    var framesPerSecond: Double
    var bitsPerSecond: Double
    /// Of one core.
    var cpu: Double
    var residentBytes: Int

    private struct Mark {
        var time: Double
        var frames: Int
        var bytes: Int
        var cpu: Double
    }

    /// Remembers the last look.
    struct Meter {
        private var last: Mark?

        mutating func rates(_ statistics: ShareStatistics, at time: Double) -> HostRates {
            let mark = Mark(
                time: time, frames: statistics.pictures, bytes: statistics.encodedBytes,
                cpu: ProcessUsage.processorSeconds())
            let before = last ?? mark
            last = mark
            let elapsed = max(mark.time - before.time, 0.001)
            return HostRates(
                framesPerSecond: Double(mark.frames - before.frames) / elapsed,
                bitsPerSecond: Double(mark.bytes - before.bytes) * 8 / elapsed, cpu: (mark.cpu - before.cpu) / elapsed,
                residentBytes: ProcessUsage.residentBytes())
        }
    }
}

/// What this process uses.
enum ProcessUsage {
    static func processorSeconds() -> Double {
        SystemClock.processTime().inSeconds
    }

    /// Resident pages, from /proc/self/statm.
    static func residentBytes() -> Int {
        let descriptor = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return 0 }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 128)
        let count = read(descriptor, &bytes, bytes.count)
        let fields = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).split(separator: " ")
        return fields.count > 1 ? (Int(fields[1]) ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE))) : 0
    }
}

extension ShareStatistics {
    /// In milliseconds.
    var meanRoundTrip: Double? {
        let known = viewers.compactMap { $0.roundTripTime?.inMilliseconds }
        return known.isEmpty ? nil : known.reduce(0, +) / Double(known.count)
    }

    var worstLoss: Double { viewers.map(\.lossFraction).max() ?? 0 }

    /// `live · 3 viewers · 1280x720 · 30.0 fps · 2.10 Mbit/s · CPU 9 % · RTT 12 ms · loss 0.0 %`; where nobody watches
    /// nothing is sent, and there are no rates.
    func statusLine(_ rates: HostRates) -> String {
        let connected = viewers.filter(\.isConnected).count
        var parts = ["\(state.word)", "\(connected) viewer\(connected == 1 ? "" : "s")"]
        if connected == 0 { return parts.joined(separator: " · ") }
        if width > 0 { parts.append("\(width)x\(height)") }
        parts.append("\(rates.framesPerSecond.text(1)) fps")
        parts.append("\((rates.bitsPerSecond / 1e6).text(2)) Mbit/s")
        parts.append("CPU \((rates.cpu * 100).text(0)) %")
        if let meanRoundTrip { parts.append("RTT \(meanRoundTrip.text(0)) ms") }
        parts.append("loss \((worstLoss * 100).text(1)) %")
        return parts.joined(separator: " · ")
    }
}

extension ShareState {
    var word: String {
        switch self {
        case .idle: "idle"
        case .live: "live"
        case .paused: "paused"
        case .stopped: "stopped"
        }
    }
}

extension Double {
    /// With a fixed number of decimals.
    func text(_ decimals: Int) -> String {
        guard isFinite else { return "-" }
        let factor = decimals == 0 ? 1.0 : (decimals == 1 ? 10.0 : 100.0)
        let rounded = (self * factor).rounded() / factor
        return decimals == 0 ? "\(Int(rounded))" : Self.padded(rounded, decimals)
    }

    private static func padded(_ value: Double, _ decimals: Int) -> String {
        let text = "\(value)"
        let fraction = text.split(separator: ".").dropFirst().first.map(String.init) ?? ""
        return text.contains("e") ? text : "\(text.split(separator: ".")[0])." + (fraction + "00").prefix(decimals)
    }
}
