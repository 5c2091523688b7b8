import Foundation
import Glibc
import Testing

@testable import ScreenShare
@testable import ScreenShareCLI

/// A file in memory that takes no more from a moment on.
private final class Disk {
    let descriptor: Int32

    init() throws {
        let create = try #require(dlsym(dlopen(nil, RTLD_NOW), "memfd_create"))
        let function = unsafeBitCast(create, to: (@convention(c) (UnsafePointer<CChar>, UInt32) -> Int32).self)
        // MFD_ALLOW_SEALING
        descriptor = function("disk", 2)
        try #require(descriptor >= 0)
    }

    deinit { close(descriptor) }

    var path: String { "/proc/self/fd/\(descriptor)" }

    /// F_ADD_SEALS, F_SEAL_GROW
    func fill() throws { try #require(fcntl(descriptor, 1033, 4) == 0) }

    func content() throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path)) }
}

@Suite("Where a disk is full")
struct FullDiskTests {
    @Test("A WAV file says how long it is, and nothing stands behind what could not be written")
    func wav() async throws {
        let disk = try Disk()
        let link = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).wav").path
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: disk.path)
        defer { try? FileManager.default.removeItem(atPath: link) }
        let file = try AudioFile(path: link)
        let begin = ContinuousClock.now
        func write(_ index: Int64) async throws {
            try await file.write(
                AudioPiece(
                    // 20 ms of silence in stereo (RFC 6716 § 3.1).
                    opus: [0xFC, 0xFF, 0xFE], samples: [Float](repeating: 0.1, count: 1920), timestamp: index * 960,
                    position: index * 960, frames: 960, playAt: begin + .milliseconds(index * 20), isInserted: false))
        }
        for index in 0..<50 as Range<Int64> { try await write(index) }
        let written = try disk.content()
        try disk.fill()
        await #expect(throws: OutputFile.WriteError.self) { try await write(50) }
        try await file.finish()
        let content = try disk.content()
        #expect(content.count == written.count && content.dropFirst(44) == written.dropFirst(44))
        let length = content[40..<44].reversed().reduce(0) { $0 << 8 | Int($1) }
        #expect(length == content.count - 44)
    }

    @Test("A Matroska file says how long it is")
    func matroska() async throws {
        let disk = try Disk()
        let file = try MatroskaFile(output: OutputFile(descriptor: disk.descriptor))
        // Constrained baseline 3.1, 640x480, and slices that nobody decodes.
        let parameters: [UInt8] = [
            0, 0, 0, 1, 0x67, 0x42, 0xc0, 0x1f, 0x8c, 0x8d, 0x40, 0x50, 0x1e, 0x90, 0x0f, 0x08, 0x84, 0x6a,
            0, 0, 0, 1, 0x68, 0xce, 0x3c, 0x80,
        ]
        func write(_ index: Int64) async throws {
            let unit = VideoUnit(
                annexB: index == 0 ? parameters + [0, 0, 0, 1, 0x65, 0x88, 1] : [0, 0, 0, 1, 0x41, 0x9a, 1],
                timestamp: index * 3000, isKeyframe: index == 0, pictures: 1, repeated: 0, showAt: .now)
            _ = try await file.write(unit, hasSound: false)
        }
        for index in 0..<30 as Range<Int64> { try await write(index) }
        try disk.fill()
        await #expect(throws: OutputFile.WriteError.self) { try await write(30) }
        // Duration, a number of eight bytes.
        let duration = Data([0x44, 0x89, 0x88])
        #expect(try disk.content().firstRange(of: duration) == nil)
        await #expect(throws: OutputFile.WriteError.self) { try await file.finish() }
        #expect(try disk.content().firstRange(of: duration) != nil)
    }
}
