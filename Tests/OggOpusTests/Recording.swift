import AudioCodec
import Foundation
import Media
import OggOpus
import RTP
import TestSupport
import Testing

/// A file that is being written, and what real programs make of it.
struct Recording {
    let writer: OggOpusWriter
    private(set) var file: [UInt8]
    private(set) var chunks: [[UInt8]] = []

    init(origin: Int64? = nil, preSkip: UInt16 = 312) {
        writer = OggOpusWriter(serial: 0x5EED, preSkip: preSkip, origin: origin)
        file = writer.header
    }

    mutating func append(_ packet: [UInt8], _ timestamp: Int64) throws {
        take(try writer.append(packet, timestamp: timestamp))
    }

    mutating func fill(to timestamp: Int64) { take(writer.fill(to: timestamp)) }
    mutating func flush() { take(writer.flush()) }
    mutating func finish() { take(writer.finish()) }

    private mutating func take(_ chunk: [UInt8]) {
        file += chunk
        chunks.append(chunk)
    }

    /// Packets of 20 ms of a tone, as an encoder makes them.
    static func packets(_ tone: Tone = Tone(1000, level: -6), count: Int, mono: Bool = false) throws -> [[UInt8]] {
        var target = OpusTarget(bitsPerSecond: 96_000)
        if mono { target.channels = .mono }
        let encoder = try OpusEncoder(OpusConfiguration(), target: target)
        var tone = tone
        return try (0..<count).map { _ in try encoder.encode(tone.next(960)).bytes }
    }

    // MARK: Real programs

    /// The programs that judge the file, each in words of its own.
    enum Decoder: String, CaseIterable {
        case opusdec
        /// FFmpeg's own decoder.
        case ffmpeg
        /// libopus in FFmpeg.
        case ffmpegLibopus

        fileprivate var arguments: [String] {
            let raw = ["-f", "f32le", "-ac", "2", "-ar", "48000", "-"]
            return switch self {
            case .opusdec: ["opusdec", "--quiet", "--float", "--rate", "48000", "--no-dither", "IN", "OUT"]
            case .ffmpeg: ["ffmpeg", "-v", "error", "-nostdin", "-i", "IN"] + raw
            case .ffmpegLibopus: ["ffmpeg", "-v", "error", "-nostdin", "-c:a", "libopus", "-i", "IN"] + raw
            }
        }
    }

    /// The sound, stereo at 48 kHz.
    func decoded(by decoder: Decoder) throws -> [Float] {
        let bytes = try run(decoder.arguments)
        return bytes.withUnsafeBytes { raw in
            (0..<raw.count / 4).map { raw.loadUnaligned(fromByteOffset: 4 * $0, as: Float.self) }
        }
    }

    /// What ffprobe says, by name.
    func probed(_ entries: String) throws -> [String: String] {
        let text = try run(["ffprobe", "-v", "error", "-show_entries", entries, "-of", "default=nw=1", "IN"])
        var fields: [String: String] = [:]
        for line in String(decoding: text, as: UTF8.self).split(separator: "\n") {
            let parts = line.split(separator: "=", maxSplits: 1)
            if parts.count == 2 { fields[String(parts[0])] = String(parts[1]) }
        }
        return fields
    }

    /// When each packet is to be heard, in seconds.
    func packetTimes() throws -> [Double] {
        let arguments = ["ffprobe", "-v", "error", "-show_entries", "packet=pts_time", "-of", "csv=p=0", "IN"]
        return String(decoding: try run(arguments), as: UTF8.self)
            .split(whereSeparator: { ",\n".contains($0) }).compactMap { Double($0) }
    }

    /// What opusinfo finds fault with.
    func complaints() throws -> [String] {
        String(decoding: try run(["opusinfo", "IN"], isJudging: true), as: UTF8.self).split(separator: "\n")
            .map(String.init).filter { $0.contains("WARNING") || $0.contains("ERROR") || $0.contains("illegal") }
    }

    /// Runs a program over the file, in place of the argument "IN", and reads what it writes to "OUT" or prints.
    ///
    /// - Parameter isJudging: it may fail, and what it says of errors counts.
    private func run(_ arguments: [String], isJudging: Bool = false) throws -> [UInt8] {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (input, output) = (folder.appending(path: "in.opus"), folder.appending(path: "out.raw"))
        try Data(file).write(to: input)
        try Data().write(to: output)
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = arguments.map { $0 == "IN" ? input.path : $0 == "OUT" ? output.path : $0 }
        process.standardInput = FileHandle.nullDevice
        if !arguments.contains("OUT") { process.standardOutput = try FileHandle(forWritingTo: output) }
        if isJudging { process.standardError = process.standardOutput }
        try process.run()
        process.waitUntilExit()
        try #require(isJudging || process.terminationStatus == 0)
        return Array(try Data(contentsOf: output))
    }
}
