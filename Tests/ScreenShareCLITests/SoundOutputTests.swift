import Glibc
import Testing

@testable import ScreenShareCLI

@Suite("Where a viewer's sound goes")
struct SoundOutputTests {
    @Test("A file keeps it, and has time; at the other end of a pipe it is heard now")
    func keepsSound() throws {
        var ends: [Int32] = [0, 0]
        let made = pipe(&ends)
        #expect(made == 0)
        defer { for end in ends { close(end) } }
        let video = OutputFile(descriptor: STDOUT_FILENO)
        for (path, keeps) in [("/dev/null", true), ("/dev/fd/\(ends[1])", false)] {
            let output = ViewOutput.annexB(video, sound: try AudioFile(path: path))
            #expect(output.keepsSound == keeps, "\(path)")
        }
        #expect(!ViewOutput.annexB(video, sound: nil).keepsSound)
    }
}
