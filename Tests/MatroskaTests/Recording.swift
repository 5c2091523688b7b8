import Foundation
import Matroska
import Testing

/// A file that is being written, and what real programs make of it.
struct Recording {
    let writer: MatroskaWriter
    private(set) var file: [UInt8]
    /// What the latest call gave.
    private(set) var chunk: [UInt8] = []

    init(_ first: Footage.Picture, hasSound: Bool = true) throws {
        writer = try MatroskaWriter(firstKeyframe: first.annexB, hasSound: hasSound, library: .load())
        file = writer.header
    }

    mutating func show(_ picture: Footage.Picture, _ timestamp: Int64) throws {
        take(try writer.appendVideo(
            annexB: picture.annexB, timestamp: timestamp, isKeyframe: picture.isKeyframe))
    }

    mutating func hear(_ packet: [UInt8], _ timestamp: Int64) throws {
        take(try writer.appendSound(packet, timestamp: timestamp))
    }

    mutating func flush() throws { take(try writer.flush()) }
    mutating func finish() throws { take(try writer.finish()) }

    /// As one does with a file that isn't a pipe.
    mutating func correct() throws {
        for correction in writer.corrections {
            let start = Int(correction.offset)
            try #require(start >= 0 && start + correction.bytes.count <= file.count)
            file.replaceSubrange(start..<start + correction.bytes.count, with: correction.bytes)
        }
    }

    /// As if the process had been killed when so much was written.
    mutating func cut(to count: Int) { file = Array(file.prefix(count)) }

    private mutating func take(_ chunk: [UInt8]) {
        file += chunk
        self.chunk = chunk
    }

    func contains(_ bytes: [UInt8]) -> Bool { Data(file).firstRange(of: Data(bytes)) != nil }

    // MARK: Real programs

    struct Packet: Equatable {
        var isVideo: Bool
        /// In milliseconds.
        var time: Int
        var isKeyframe: Bool
    }

    /// In the order of the file, by ffprobe.
    func packets() throws -> [Packet] {
        let entries = "packet=codec_type,pts,flags"
        let text = try run(["ffprobe", "-v", "error", "-show_entries", entries, "-of", "compact=p=0:nk=1", "IN"])
        return try text.output.split(separator: "\n").map { line in
            let fields = line.split(separator: "|")
            try #require(fields.count >= 3)
            return Packet(
                isVideo: fields[0] == "video", time: try #require(Int(fields[1])),
                isKeyframe: fields[2].contains("K"))
        }
    }

    /// In milliseconds.
    func videoTimes() throws -> [Int] { try packets().filter(\.isVideo).map(\.time) }

    /// In milliseconds, of what the encoder was given: decoded sound trails it by 6.5 ms, for which ffprobe takes 7.
    func soundTimes() throws -> [Int] { try packets().filter { !$0.isVideo }.map { $0.time + 7 } }

    /// What ffprobe says, by name.
    func probed(_ entries: String) throws -> [String: String] {
        let text = try run(["ffprobe", "-v", "error", "-show_entries", entries, "-of", "default=nw=1", "IN"]).output
        var fields: [String: String] = [:]
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: "=", maxSplits: 1)
            if parts.count == 2 { fields[String(parts[0])] = String(parts[1]) }
        }
        return fields
    }

    /// The size of every decoded picture.
    func pictureSizes() throws -> [String] {
        let arguments = ["-select_streams", "v", "-show_entries", "frame=width,height", "-of", "csv=p=0:s=x", "IN"]
        return try run(["ffprobe", "-v", "error"] + arguments).output.split(separator: "\n").map(String.init)
    }

    /// What ffmpeg finds fault with when it decodes all.
    func complaints() throws -> String {
        let asTheyAre = ["-fps_mode", "passthrough", "-enc_time_base", "-1"]
        return try run(["ffmpeg", "-v", "warning", "-nostdin", "-i", "IN"] + asTheyAre + ["-f", "null", "-"]).errors
    }

    /// The decoded sound, stereo at 48 kHz.
    func sound() throws -> [Float] {
        let raw = ["-f", "f32le", "-ac", "2", "-ar", "48000", "-"]
        let bytes = try run(["ffmpeg", "-v", "error", "-nostdin", "-i", "IN", "-map", "a"] + raw).bytes
        return bytes.withUnsafeBytes { raw in
            (0..<raw.count / 4).map { raw.loadUnaligned(fromByteOffset: 4 * $0, as: Float.self) }
        }
    }

    private struct Result {
        var bytes: [UInt8]
        var errors: String
        var output: String { String(decoding: bytes, as: UTF8.self) }
    }

    /// Runs a program over the file, in place of the argument "IN".
    private func run(_ arguments: [String]) throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (input, output, errors) = (
            folder.appending(path: "in.mkv"), folder.appending(path: "out"), folder.appending(path: "errors")
        )
        try Data(file).write(to: input)
        for file in [output, errors] { try Data().write(to: file) }
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = arguments.map { $0 == "IN" ? input.path : $0 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = try FileHandle(forWritingTo: errors)
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        return Result(
            bytes: Array(try Data(contentsOf: output)), errors: try String(contentsOf: errors, encoding: .utf8))
    }
}
