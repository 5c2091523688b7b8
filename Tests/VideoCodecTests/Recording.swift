import Foundation
import Glibc
import Media
import Testing
import Timebase
import VideoCodec

/// Units of one encoder in a row, and what ffmpeg makes of them.
struct Recording {
    let encoder: X264Encoder
    private(set) var units: [EncodedUnit] = []
    private var time = MediaTime(ticks: 0)

    init(_ configuration: X264Configuration) throws {
        encoder = try X264Encoder(configuration)
    }

    /// Encodes a picture one period after the last.
    @discardableResult
    mutating func encode(
        _ picture: I420Picture, damage: PixelRect? = nil, bitsPerSecond: Int, needsKeyframe: Bool = false,
        favoursSharpness: Bool = false, after ticks: Int64 = 3000
    ) throws -> EncodedUnit? {
        defer { time.ticks += ticks }
        let unit = try encoder.encode(
            picture, damage: damage ?? PixelRect(picture.size), mediaTime: time, capturedAt: .zero,
            target: SendTarget(
                bitsPerSecond: bitsPerSecond, frameRate: encoder.configuration.frameRate,
                needsKeyframe: needsKeyframe, favoursSharpness: favoursSharpness))
        if let unit { units.append(unit) }
        return unit
    }

    var annexB: [UInt8] {
        units.flatMap { unit in unit.nalUnits.flatMap { [0, 0, 0, 1] + unit.bytes[$0] } }
    }

    /// The luma of every decoded picture.
    func decoded() throws -> [[UInt8]] {
        let size = encoder.configuration.size
        let raw = try run("ffmpeg", ["-v", "error", "-i", "IN", "-f", "rawvideo", "-pix_fmt", "yuv420p", "-"])
        let bytes = size.width * size.height * 3 / 2
        return stride(from: 0, to: raw.count - bytes + 1, by: bytes).map {
            Array(raw[$0..<$0 + size.width * size.height])
        }
    }

    /// What ffprobe says of the stream, by name.
    func probed() throws -> [String: String] {
        let entries =
            "profile,level,has_b_frames,color_range,color_space,color_primaries,color_transfer,chroma_location,"
            + "r_frame_rate,width,height"
        let text = try run(
            "ffprobe", ["-v", "error", "-show_entries", "stream=\(entries)", "-of", "default=nw=1", "IN"])
        var fields: [String: String] = [:]
        for line in String(decoding: text, as: UTF8.self).split(separator: "\n") {
            let parts = line.split(separator: "=", maxSplits: 1)
            if parts.count == 2 { fields[String(parts[0])] = String(parts[1]) }
        }
        return fields
    }

    /// Runs a program over the stream in a file of its own, in place of the argument "IN".
    private func run(_ program: String, _ arguments: [String]) throws -> [UInt8] {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let input = folder.appending(path: "in.h264")
        let output = folder.appending(path: "out")
        try Data(annexB).write(to: input)
        try Data().write(to: output)
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [program] + arguments.map { $0 == "IN" ? input.path : $0 }
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardInput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        return Array(try Data(contentsOf: output))
    }
}

/// Peak signal-to-noise ratio of two planes, in decibels.
func similarity(_ a: [UInt8], _ b: [UInt8]) -> Double {
    let squares = zip(a, b).reduce(0) { $0 + (Int($1.0) - Int($1.1)) * (Int($1.0) - Int($1.1)) }
    return squares == 0 ? 99 : 10 * log10(255 * 255 * Double(a.count) / Double(squares))
}

/// Structural similarity of two planes: the mean over windows of 8 by 8 pixels (Wang et al., 2004).
func structuralSimilarity(_ a: [UInt8], _ b: [UInt8], width: Int) -> Double {
    var sum = 0.0
    var windows = 0
    for y in stride(from: 0, to: a.count / width - 7, by: 8) {
        for x in stride(from: 0, to: width - 7, by: 8) {
            sum += windowSimilarity(a, b, at: y * width + x, width: width)
            windows += 1
        }
    }
    return sum / Double(windows)
}

private func windowSimilarity(_ a: [UInt8], _ b: [UInt8], at start: Int, width: Int) -> Double {
    var (sumA, sumB, squaresA, squaresB, products) = (0, 0, 0, 0, 0)
    for row in 0..<8 {
        for index in start + row * width..<start + row * width + 8 {
            let (p, q) = (Int(a[index]), Int(b[index]))
            sumA += p
            sumB += q
            squaresA += p * p
            squaresB += q * q
            products += p * q
        }
    }
    let (meanA, meanB) = (Double(sumA) / 64, Double(sumB) / 64)
    let (varianceA, varianceB) = (Double(squaresA) / 64 - meanA * meanA, Double(squaresB) / 64 - meanB * meanB)
    let covariance = Double(products) / 64 - meanA * meanB
    let (c1, c2) = (6.5025, 58.5225)
    return (2 * meanA * meanB + c1) * (2 * covariance + c2)
        / ((meanA * meanA + meanB * meanB + c1) * (varianceA + varianceB + c2))
}

extension EncodedUnit {
    /// The nal_unit_type of each unit (ITU-T H.264 § 7.3.1).
    var types: [UInt8] { nalUnits.map { bytes[$0.lowerBound] & 31 } }
}

extension X264Configuration {
    static func small(_ width: Int = 320, _ height: Int = 180, maximum: Int = 4_000_000) -> X264Configuration {
        X264Configuration(
            size: PixelSize(width: width, height: height), frameRate: .fps30, maximumBitsPerSecond: maximum)
    }
}
