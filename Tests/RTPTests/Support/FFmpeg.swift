import Foundation

/// The command line programs that judge whether what we write is H.264.
enum FFmpeg {
    static let isInstalled = ["ffmpeg", "ffprobe"].allSatisfy { find($0) != nil }
    static let missing = "ffmpeg and ffprobe are not installed: rewritten streams stay unchecked by a real decoder"

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private static func find(_ program: String) -> URL? {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin").split(separator: ":")
        return folders.lazy.map { URL(fileURLWithPath: String($0)).appendingPathComponent(program) }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }

    /// Runs a program to its end and returns its standard output.
    private static func run(_ program: String, _ arguments: [String]) throws -> [UInt8] {
        guard let executable = find(program) else { throw Failure(description: missing) }
        let process = Process()
        process.executableURL = executable
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let bytes = [UInt8](output.fileHandleForReading.readDataToEndOfFile())
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(description: "\(program) \(arguments.joined(separator: " ")): \(process.terminationStatus)")
        }
        return bytes
    }

    private static func withFile<Result>(_ bytes: [UInt8], _ body: (String) throws -> Result) throws -> Result {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).264")
        try Data(bytes).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        return try body(file.path)
    }

    /// A test pattern in motion, as x264 encodes it.
    static func encode(
        size: String = "160x120", rate: String = "30", frames: Int = 24, source: String = "testsrc2=",
        pixelFormat: String = "yuv420p", preset: String = "ultrafast", profile: String, parameters: String
    ) throws -> [UInt8] {
        try run(
            "ffmpeg",
            [
                "-v", "error", "-nostdin", "-f", "lavfi", "-i", "\(source)size=\(size):rate=\(rate)",
                "-frames:v", "\(frames)", "-pix_fmt", pixelFormat, "-c:v", "libx264", "-preset",
                preset, "-tune", "zerolatency", "-bf", "0", "-profile:v", profile, "-threads", "1",
                "-x264-params", parameters, "-f", "h264", "-",
            ])
    }

    /// Every decoded picture, as I420 bytes.
    static func decode(_ stream: [UInt8], frameBytes: Int) throws -> [ArraySlice<UInt8>] {
        let bytes = try withFile(stream) { path in
            try run(
                "ffmpeg",
                [
                    "-v", "error", "-nostdin", "-threads", "1", "-f", "h264", "-i", path, "-vsync", "passthrough",
                    "-f", "rawvideo", "-pix_fmt", "yuv420p", "-",
                ])
        }
        guard bytes.count % frameBytes == 0 else { throw Failure(description: "\(bytes.count) bytes decoded") }
        return stride(from: 0, to: bytes.count, by: frameBytes).map { bytes[$0..<($0 + frameBytes)] }
    }

    /// What ffprobe says of the first video stream, by key.
    static func probe(_ stream: [UInt8]) throws -> [String: String] {
        let text = try withFile(stream) { path in
            try run(
                "ffprobe",
                [
                    "-v", "error", "-f", "h264", "-i", path, "-select_streams", "v:0", "-show_streams",
                    "-of", "default=noprint_wrappers=1",
                ])
        }
        let lines = String(decoding: text, as: UTF8.self).split(separator: "\n")
        let pairs = lines.compactMap { line -> (String, String)? in
            let parts = line.split(separator: "=", maxSplits: 1)
            return parts.count == 2 ? (String(parts[0]), String(parts[1])) : nil
        }
        return Dictionary(pairs) { first, _ in first }
    }
}
