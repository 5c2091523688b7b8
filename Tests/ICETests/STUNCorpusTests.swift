import Foundation
import Testing

@testable import ICE

/// Inputs written by others; they are not part of the project. `SCREENSHARE_CORPORA` names their folder, otherwise it
/// is looked for beside the checkout. Where it is missing the test is reported as skipped.
private enum Corpora {
    static let stun: URL = {
        if let path = ProcessInfo.processInfo.environment["SCREENSHARE_CORPORA"] {
            return URL(fileURLWithPath: path).appendingPathComponent("stun")
        }
        let root = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        return root.appendingPathComponent("../shared/corpora/stun").standardizedFileURL
    }()

    static var files: [URL] {
        (try? FileManager.default.contentsOfDirectory(at: stun, includingPropertiesForKeys: nil))?
            .sorted { $0.path < $1.path } ?? []
    }
}

@Suite("STUN corpus")
struct STUNCorpusTests {
    @Test(
        "every file gives a message or a typed error",
        .enabled(if: !Corpora.files.isEmpty, "no corpus: set SCREENSHARE_CORPORA to its folder"))
    func everyFile() throws {
        var read = 0
        for file in Corpora.files {
            let bytes = [UInt8](try Data(contentsOf: file))
            do throws(STUNError) {
                let message = try STUNMessage(bytes)
                #expect(!message.attributes.isEmpty, "\(file.lastPathComponent)")
                read += 1
            } catch {
                let isHeaderError = [.notSTUN, .wrongLength, .wrongFingerprint].contains(error)
                #expect(isHeaderError || isAttributeError(error), "\(file.lastPathComponent)")
            }
        }
        // The four messages of RFC 5769 and a dozen well-formed ones are among them.
        #expect(read >= 12)
    }

    private func isAttributeError(_ error: STUNError) -> Bool {
        switch error {
        case .truncatedAttribute, .malformedAttribute: true
        case .truncated, .notSTUN, .wrongLength, .tooLong, .tooManyAttributes, .wrongFingerprint, .misplacedFingerprint:
            false
        }
    }
}
