import Foundation

/// Texts for the tests: real offers kept beside them, and the corpora outside of the project.
enum Fixture {
    static let names = ["chromium", "firefox", "gstreamer", "aiortc"]

    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()

    static func text(_ name: String) throws -> String {
        try String(contentsOf: folder.appendingPathComponent("Fixtures/\(name).sdp"), encoding: .utf8)
    }

    /// `SCREENSHARE_CORPORA`, or the folder beside the checkout.
    static let corpus: URL = {
        let root = ProcessInfo.processInfo.environment["SCREENSHARE_CORPORA"].map { URL(fileURLWithPath: $0) }
        let beside = folder.deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("../shared/corpora").standardizedFileURL
        return (root ?? beside).appendingPathComponent("sdp")
    }()

    static func corpusFiles() throws -> [URL] {
        try FileManager.default.contentsOfDirectory(at: corpus, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "sdp" }.sorted { $0.path < $1.path }
    }
}

extension String {
    /// The text with `old` replaced everywhere; the tests' way to spoil an offer.
    func with(_ old: String, _ new: String) -> String { replacingOccurrences(of: old, with: new) }

    /// Without the lines that begin so.
    func without(_ prefix: String) -> String {
        components(separatedBy: "\n").filter { !$0.hasPrefix(prefix) }.joined(separator: "\n")
    }
}
