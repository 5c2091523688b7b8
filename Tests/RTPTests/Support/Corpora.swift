import Foundation

/// Inputs written by others, outside the project: `SCREENSHARE_CORPORA`, or a folder beside the checkout.
enum Corpora {
    static let folder: URL = {
        if let path = ProcessInfo.processInfo.environment["SCREENSHARE_CORPORA"] {
            return URL(fileURLWithPath: path)
        }
        let root = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return root.deletingLastPathComponent().appendingPathComponent("shared/corpora")
    }()

    static let isThere = FileManager.default.fileExists(atPath: folder.path)
    static let missing = "no corpora at SCREENSHARE_CORPORA or beside the checkout: inputs of others stay untested"

    struct File: Sendable, CustomStringConvertible {
        let name: String
        let bytes: [UInt8]
        var description: String { name }
    }

    /// All files of a folder, by name.
    static func files(_ name: String) -> [File] {
        let folder = folder.appendingPathComponent(name)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.sorted().compactMap { name in
            (try? Data(contentsOf: folder.appendingPathComponent(name))).map { File(name: name, bytes: [UInt8]($0)) }
        }
    }

    static func file(_ path: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: folder.appendingPathComponent(path)))
    }
}
