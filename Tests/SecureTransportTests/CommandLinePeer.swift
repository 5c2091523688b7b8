import Foundation
import PeerCore
import Testing

/// The `openssl` command as the peer: its own certificate, and the keying material it prints.
final class CommandLinePeer {
    static let path = "/usr/bin/openssl"
    static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: path) }

    let fingerprint: Fingerprint
    private let folder: URL
    private var process: Process?
    private let input = Pipe()
    private let output = Pipe()

    /// - Parameter key: what `openssl req -newkey` takes.
    init(key: [String]) throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("dtls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let paths = ["-keyout", folder.path + "/key.pem", "-out", folder.path + "/certificate.pem"]
        _ = try Self.run(["req", "-x509", "-newkey"] + key + ["-nodes", "-days", "2", "-subj", "/CN=peer"] + paths)
        let printed = try Self.run(
            ["x509", "-in", folder.path + "/certificate.pem", "-noout", "-fingerprint", "-sha256"])
        let digest = try #require(printed.split(separator: "=").last)
        fingerprint = Fingerprint(sha256: hex(String(digest)))
    }

    deinit {
        if let process, process.isRunning { process.terminate() }
        try? FileManager.default.removeItem(at: folder)
    }

    private static func run(_ arguments: [String]) throws -> String {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return text
    }

    /// Starts `s_server` or `s_client`.
    func start(_ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Self.path)
        process.arguments =
            arguments + [
                "-dtls1_2", "-cert", folder.path + "/certificate.pem", "-key", folder.path + "/key.pem",
                "-use_srtp", "SRTP_AEAD_AES_128_GCM", "-mtu", "1200",
                "-keymatexport", "EXTRACTOR-dtls_srtp", "-keymatexportlen", "56",
            ]
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        self.process = process
    }

    /// The line with the exported bytes, once the handshake is done.
    func keyingMaterial() throws -> [UInt8] {
        var text = ""
        while true {
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { break }
            text += String(decoding: more, as: UTF8.self)
            guard let label = text.range(of: "Keying material: ") else { continue }
            guard let end = text[label.upperBound...].firstIndex(of: "\n") else { continue }
            return hex(String(text[label.upperBound..<end]))
        }
        throw CocoaError(.fileReadUnknown)
    }

    /// `Q` on a line of its own ends `s_client` with a close_notify.
    func quit() { try? input.fileHandleForWriting.write(contentsOf: Data("Q\n".utf8)) }
}
