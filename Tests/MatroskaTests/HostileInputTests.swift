import Matroska
import RTP
import TestSupport
import Testing

@Suite("Matroska files of what should not be")
struct HostileInputTests {
    @Test("a machine without the library is told what to install")
    func missing() {
        let error = #expect(throws: ContainerError.self) { try ContainerLibrary.load("libavformat.so.1") }
        guard case .noLibrary("libavformat.so.1", _)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(error?.description.contains("install libavformat") == true)
    }

    @Test("a library of another kind is told from the right one")
    func another() {
        #expect(throws: ContainerError.unsuitableLibrary(name: "libm.so.6")) { try ContainerLibrary.load("libm.so.6") }
    }

    @Test("a first picture that opens no file is an error, not a file")
    func firstPicture() throws {
        let keyframe = try Footage.pictures(count: 1)[0].annexB
        func open(_ bytes: [UInt8]) throws -> MatroskaWriter {
            try MatroskaWriter(firstKeyframe: bytes, hasSound: true, library: .load())
        }
        #expect(throws: ContainerError.noParameterSets) { try open([]) }
        #expect(throws: ContainerError.noParameterSets) { try open([1, 2, 3, 4, 5]) }
        #expect(throws: ContainerError.noParameterSets) { try open([0, 0, 0, 1, 0x65, 1, 2, 3]) }
        #expect(throws: ContainerError.unreadableParameterSets(.truncated)) {
            try open([0, 0, 0, 1, 0x67, 66, 0, 0, 0, 1, 0x68, 0xCE])
        }
        let many = (0..<32).flatMap { _ in Array(keyframe.prefix(20)) } + keyframe
        #expect(throws: ContainerError.noParameterSets) { try open(many) }
        for count in 0..<60 { _ = try? open(Array(keyframe.prefix(count))) }
    }

    @Test("bytes that are no picture, or no Opus, are an error, and the file goes on")
    func garbage() throws {
        let pictures = try Footage.pictures(count: 3)
        var recording = try Recording(pictures[0])
        try recording.show(pictures[0], 0)
        for bytes: [UInt8] in [[], [0], [0, 0, 1], [0, 0, 0, 0, 0, 0], [0xFF, 0xFE, 0xFD]] {
            #expect(throws: ContainerError.noPicture) {
                try recording.writer.appendVideo(annexB: bytes, timestamp: 3000, isKeyframe: true)
            }
        }
        #expect(throws: ContainerError.unreadableSound(.truncated)) {
            try recording.writer.appendSound([], timestamp: 0)
        }
        #expect(throws: ContainerError.unreadableSound(.frameCount)) {
            try recording.writer.appendSound([0xFF, 0], timestamp: 0)
        }
        try recording.show(pictures[1], 3000)
        try recording.finish()
        #expect(try recording.videoTimes() == [0, 33])
        let complaints = try recording.complaints()
        #expect(complaints == "")
    }

    @Test("a picture larger than any is an error")
    func huge() throws {
        let pictures = try Footage.pictures(count: 1)
        let recording = try Recording(pictures[0])
        let bytes = [0, 0, 0, 1] + [UInt8](repeating: 0x65, count: 1 << 26)
        #expect(throws: ContainerError.noPicture) {
            try recording.writer.appendVideo(annexB: bytes, timestamp: 0, isKeyframe: true)
        }
    }

    @Test("pictures before the first keyframe are left out")
    func noKeyframe() throws {
        let pictures = try Footage.pictures(count: 4, keyframes: [2])
        var recording = try Recording(pictures[0])
        for (index, picture) in pictures.enumerated().dropFirst() { try recording.show(picture, Int64(index) * 3000) }
        try recording.finish()
        #expect(try recording.videoTimes() == [67, 100])
        let complaints = try recording.complaints()
        #expect(complaints == "")
    }

    @Test("any bytes behind start codes are written or refused, never a trap, and good pictures follow")
    func fuzz() throws {
        var generator = SeededGenerator(seed: 0xBAD)
        let pictures = try Footage.pictures(count: 2, keyframes: [1])
        var recording = try Recording(pictures[0])
        for index in 0..<2000 {
            // Zeros and ones often, so that there are start codes.
            let bytes = (0..<Int.random(in: 0...80, using: &generator)).map { _ in
                UInt8.random(in: 0...(Bool.random(using: &generator) ? 1 : 255), using: &generator)
            }
            _ = try? recording.writer.appendVideo(
                annexB: bytes, timestamp: Int64(index) * 3000, isKeyframe: Bool.random(using: &generator))
            _ = try? recording.writer.appendSound(bytes, timestamp: Int64(index) * 1600)
            _ = try? MatroskaWriter(
                firstKeyframe: [0, 0, 1, 0x67] + bytes + [0, 0, 1, 0x68] + bytes, hasSound: false, library: .load())
        }
        try recording.show(pictures[1], 7_000_000)
        try recording.finish()
        let isThere = pictures[1].nalUnits.allSatisfy { recording.contains($0) }
        #expect(isThere)
    }
}
