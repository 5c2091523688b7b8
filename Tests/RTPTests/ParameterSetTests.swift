import RTP
import TestSupport
import Testing
import Timebase

@Suite("H.264 parameter sets (ITU-T H.264 § 7.3.2)")
struct ParameterSetTests {
    /// Constrained baseline 3.1, 640x480, with a VUI that restricts the bit stream and says no timing.
    private static let plain: [UInt8] = [
        0x67, 0x42, 0xc0, 0x1f, 0x8c, 0x8d, 0x40, 0x50, 0x1e, 0x90, 0x0f, 0x08, 0x84, 0x6a,
    ]

    /// The flag that says the VUI stands within the tenth, the one that says its timing within the eleventh.
    private static let (bytesBeforeVUI, bytesWithTiming) = (10, 11)

    @Test("A sequence parameter set is read field by field")
    func plain() throws {
        let set = try SequenceParameterSet(Self.plain)
        #expect(set.profileIDC == 66 && set.id == 0)
        #expect(set.width == 640 && set.height == 480)
        #expect(set.log2MaxFrameNum == 15 && set.pictureOrderCount == .type0(log2MaxLsb: 16))
        #expect(set.maxReferenceFrames == 1 && set.chromaFormatIDC == 1 && set.cropping == nil)
        #expect(set.timing == nil)
    }

    @Test("What x264 writes is what ffprobe reads", .needsFFmpeg)
    func encoderStream() throws {
        let stream = try FFmpeg.encode(
            size: "322x242", rate: "24000/1001", frames: 2, source: "testsrc2=sar=12/11:", profile: "high",
            parameters: "ref=3:8x8dct=1:fullrange=on:colorprim=bt709:transfer=bt709:colormatrix=bt709")
        let set = try sequenceParameterSet(of: stream)
        let probed = try FFmpeg.probe(stream)
        #expect(probed["width"] == "\(set.width)" && set.width == 322)
        #expect(probed["height"] == "\(set.height)" && set.height == 242)
        #expect(probed["profile"] == "High" && set.profileIDC == 100)
        #expect(set.maxReferenceFrames == 3)
        #expect(probed["r_frame_rate"] == "24000/1001")
        #expect(set.timing?.frameRate?.framesPerSecond == 24000.0 / 1001)
        #expect(set.pictureOrderCount == .type2 && set.frameMacroblocksOnly)
    }

    @Test("With another chroma format and a sample size of its own the timing is found", .needsFFmpeg)
    func highProfiles() throws {
        let stream = try FFmpeg.encode(
            size: "98x66", frames: 2, source: "testsrc2=sar=37/41:", pixelFormat: "yuv444p", preset: "medium",
            profile: "high444", parameters: "cqm=jvt")
        let set = try sequenceParameterSet(of: stream)
        #expect(set.profileIDC == 244 && set.chromaFormatIDC == 3)
        #expect(set.width == 98 && set.height == 66)
        #expect(set.timing?.frameRate?.framesPerSecond == 30)
        for nalUnit in AnnexB.split(stream)
        where NALUnitType(header: stream[nalUnit.lowerBound]) == .pictureParameterSet {
            #expect(try PictureParameterSet(stream, nalUnit: nalUnit).isCABAC)
        }
    }

    @Test("Scaling lists are passed over: whole ones, shortened ones, default ones, and those that are not there")
    func scalingLists() throws {
        let high = "01100100" + "00000000" + "00011111" + ue(0) + ue(1) + ue(0) + ue(0) + "0"
        let size = ue(0) + "011" + ue(1) + "0" + ue(8) + ue(6) + "1" + "1" + "0" + "0"
        let short = "1" + se(4) + se(-12)
        let lists = "1" + ("1" + se(-8)) + ("1" + String(repeating: se(0), count: 16)) + short + "000"
            + ("1" + String(repeating: se(1), count: 64)) + "0"
        for lists in ["0", lists] {
            let set = try SequenceParameterSet(Self.set(bits: high + lists + size))
            #expect(set.width == 144 && set.height == 112 && set.pictureOrderCount == .type2)
        }
    }

    @Test("New timing changes the frame rate and nothing else, with and without a VUI before", .needsFFmpeg)
    func timing() throws {
        let parameters = [
            "force-cfr=1", "nal-hrd=vbr:vbv-maxrate=500:vbv-bufsize=500:pic-struct=1", "colorprim=bt709:fullrange=on",
        ]
        for parameters in parameters {
            let stream = try FFmpeg.encode(profile: "high", parameters: parameters)
            try check(stream, FrameRate(15))
            try check(stream, FrameRate(24000, per: 1001))
        }
    }

    @Test("A stream of another encoder without VUI gets the timing", .needsFFmpeg, .needsCorpora)
    func timingAdded() throws {
        let stream = try Corpora.file("h264-streams/BA_MW_D.264")
        #expect(try sequenceParameterSet(of: stream).timing == nil)
        try check(stream, FrameRate(24), size: (176, 144))
        try check(stream, FrameRate(30000, per: 1001), size: (176, 144))
    }

    @Test("Timing that ends a set in zeros still ends in its trailing bit")
    func emulationPrevention() throws {
        let timing = VideoTiming(unitsInTick: 0, timeScale: 1 << 24, isFixedFrameRate: false)
        let rewritten = try SequenceParameterSet.settingTiming(timing, in: Self.plain)
        #expect(try SequenceParameterSet(rewritten).timing == timing)
        #expect(timing.frameRate == nil)
        // No three bytes 0, 0, 0…2 in a row.
        for index in rewritten.indices.dropLast(2) {
            #expect(!(rewritten[index] == 0 && rewritten[index + 1] == 0 && rewritten[index + 2] < 3))
        }
        let again = try SequenceParameterSet.settingTiming(timing, in: rewritten)
        #expect(again == rewritten)
    }

    @Test("A set that ends before its VUI is refused")
    func truncated() {
        for length in 0..<Self.bytesBeforeVUI {
            #expect(throws: H264SyntaxError.self) { try SequenceParameterSet(Array(Self.plain[..<length])) }
        }
        #expect(throws: H264SyntaxError.wrongType) { try SequenceParameterSet([0x68, 1, 2, 3]) }
        #expect(throws: H264SyntaxError.outOfRange) {
            try SequenceParameterSet([0x67] + [UInt8](repeating: 0x80, count: 5000))
        }
    }

    @Test("A VUI that ends too early or has a value out of range leaves its set readable, but gets no timing")
    func unreadableVUI() throws {
        let whole = try SequenceParameterSet(Self.plain)
        let small = try SequenceParameterSet(Self.set(bits: Self.small + "0"))
        let farChroma = Self.set(bits: Self.small + "1" + "0001" + ue(6) + ue(0) + "00000")
        let halfTiming = Self.set(bits: Self.small + "1" + "0000" + "1" + String(repeating: "01", count: 20))
        var cases = [(farChroma, small), (halfTiming, small)]
        cases += (Self.bytesBeforeVUI..<Self.bytesWithTiming).map { (Array(Self.plain[..<$0]), whole) }
        let timing = VideoTiming(unitsInTick: 1, timeScale: 60, isFixedFrameRate: true)
        for (bytes, expected) in cases {
            #expect(try SequenceParameterSet(bytes) == expected)
            #expect(throws: H264SyntaxError.self) { try SequenceParameterSet.settingTiming(timing, in: bytes) }
        }
    }

    @Test("A VUI that is cut off behind its timing gets the new one, and ends as it did, or where nothing is left is whole")
    func cutOffVUI() throws {
        let timing = VideoTiming(unitsInTick: 0x5555_5555, timeScale: 0x5555_5555, isFixedFrameRate: true)
        let whole = try SequenceParameterSet.settingTiming(timing, in: Self.plain)
        for length in Self.bytesWithTiming..<Self.plain.count {
            let rewritten = try SequenceParameterSet.settingTiming(timing, in: Array(Self.plain[..<length]))
            #expect(try SequenceParameterSet(rewritten).timing == timing)
            #expect(whole.starts(with: rewritten.dropLast()))
        }
        let told = "1" + String(repeating: "01", count: 32) + "1"
        let rewritten = try SequenceParameterSet.settingTiming(
            timing, in: Self.set(bits: Self.small + "1" + "0000" + "0"))
        #expect(rewritten == Self.set(bits: Self.small + "1" + "0000" + told + "0000"))
    }

    @Test("Random bits are refused or read, and never trap (seed 12)")
    func random() throws {
        var random = SeededGenerator(seed: 12)
        var readable = 0
        for _ in 0..<4000 {
            var bytes = Self.plain
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                bytes[Int.random(in: 1..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            if bytes[1] & 1 == 0 { bytes += (0..<40).map { _ in UInt8.random(in: 0...255, using: &random) } }
            guard let set = try? SequenceParameterSet(bytes) else { continue }
            readable += 1
            #expect(set.width > 0 && set.height > 0 && set.widthInMacroblocks * set.heightInMacroblocks <= 139_264)
            _ = try? SequenceParameterSet.settingTiming(
                VideoTiming(unitsInTick: 1, timeScale: 60, isFixedFrameRate: true), in: bytes)
            bytes[0] = 0x68
            _ = try? PictureParameterSet(bytes, nalUnit: bytes.indices)
        }
        #expect(readable > 100)
    }

    @Test("Pictures of more macroblocks than any level allows, and sizes cropped to nothing, are refused")
    func absurdSizes() throws {
        // 1055 × 1055 macroblocks: each side is allowed, the area is not.
        #expect(throws: H264SyntaxError.outOfRange) {
            try SequenceParameterSet(Self.set(bits: Self.head + "1" + ue(1054) + ue(1054) + "1" + "0" + "0" + "0"))
        }
        #expect(throws: H264SyntaxError.outOfRange) {
            try SequenceParameterSet(Self.set(bits: Self.head + "1" + ue(1055) + ue(1) + "1" + "0" + "0" + "0"))
        }
        let cropped = Self.head + "1" + ue(0) + ue(0) + "1" + "0" + "1" + ue(4) + ue(4) + ue(0) + ue(0) + "0"
        #expect(throws: H264SyntaxError.outOfRange) { try SequenceParameterSet(Self.set(bits: cropped)) }
        let right = Self.head + "1" + ue(0) + ue(0) + "1" + "0" + "1" + ue(0) + ue(7) + ue(0) + ue(1) + "0"
        let set = try SequenceParameterSet(Self.set(bits: right))
        #expect(set.width == 2 && set.height == 14)
    }

    @Test("A picture parameter set with every field is read back as it was written")
    func pictureRoundTrip() throws {
        var set = PictureParameterSet(id: 255, sequenceParameterSetID: 31)
        for isCABAC in [false, true] {
            set.isCABAC = isCABAC
            (set.hasBottomFieldPictureOrder, set.hasWeightedPrediction) = (true, true)
            (set.defaultReferencesL0, set.defaultReferencesL1, set.weightedBipredictionIDC) = (32, 5, 2)
            (set.hasDeblockingControl, set.hasRedundantPictureCount) = (true, true)
            let bytes = set.nalUnit()
            #expect(try PictureParameterSet(bytes, nalUnit: bytes.indices) == set)
        }
    }

    @Test("What follows the slice groups and the quantisers of a picture parameter set is read")
    func sliceGroups() throws {
        let groups = [
            (1, ""), (3, ue(0) + ue(3) + ue(4) + ue(5)), (8, ue(1)), (2, ue(2) + ue(1) + ue(99)),
            (2, ue(5) + "1" + ue(7)), (5, ue(6) + ue(6) + "000001010011100100000"),
        ]
        var expected = PictureParameterSet(id: 255, sequenceParameterSetID: 31)
        (expected.hasBottomFieldPictureOrder, expected.hasWeightedPrediction) = (true, true)
        (expected.defaultReferencesL0, expected.defaultReferencesL1, expected.weightedBipredictionIDC) = (32, 5, 2)
        (expected.hasDeblockingControl, expected.hasRedundantPictureCount) = (true, true)
        for (count, map) in groups {
            let beginning = ue(255) + ue(31) + "0" + "1" + ue(count - 1) + map
            let quantisers = se(-26) + se(25) + se(-12)
            let bytes = Self.set(
                header: 0x68, bits: beginning + ue(31) + ue(4) + "1" + "10" + quantisers + "1" + "0" + "1")
            expected.hasSliceGroups = count > 1
            #expect(try PictureParameterSet(bytes, nalUnit: bytes.indices) == expected)
        }
    }

    /// Bits by hand, for sets that no encoder makes: profile 66, flags, level 31, id 0, frame_num of 4 bits, picture
    /// order type 2, one reference.
    private static let head = "01000010" + "11000000" + "00011111" + "1" + "1" + "011" + "010"
    /// One macroblock, up to the flag that says the VUI.
    private static let small = head + "1" + "1" + "1" + "1" + "0" + "0"

    private func ue(_ value: Int) -> String {
        let digits = String(value + 1, radix: 2)
        return String(repeating: "0", count: digits.count - 1) + digits
    }

    private func se(_ value: Int) -> String { ue(value > 0 ? 2 * value - 1 : -2 * value) }

    private static func set(header: UInt8 = 0x67, bits: String) -> [UInt8] {
        var text = bits + "1"
        text += String(repeating: "0", count: (8 - text.count % 8) % 8)
        let digits = Array(text)
        return [header] + stride(from: 0, to: digits.count, by: 8).map { start in
            digits[start..<(start + 8)].reduce(0) { $0 << 1 | ($1 == "1" ? 1 : 0) }
        }
    }

    private func sequenceParameterSet(of stream: [UInt8]) throws -> SequenceParameterSet {
        let nalUnit = try #require(
            AnnexB.split(stream).first { NALUnitType(header: stream[$0.lowerBound]) == .sequenceParameterSet })
        return try SequenceParameterSet(stream, nalUnit: nalUnit)
    }

    /// Rewrites every sequence parameter set of a stream: only the timing changes, and the pictures stay as they are.
    private func check(_ stream: [UInt8], _ rate: FrameRate, size: (Int, Int) = (160, 120)) throws {
        let timing = try #require(VideoTiming(rate))
        var rewritten: [UInt8] = []
        for range in AnnexB.split(stream) {
            var nalUnit = Array(stream[range])
            if NALUnitType(header: nalUnit[0]) == .sequenceParameterSet {
                let original = nalUnit
                var expected = try SequenceParameterSet(original)
                nalUnit = try SequenceParameterSet.settingTiming(timing, in: original)
                if let own = expected.timing {
                    #expect(try SequenceParameterSet.settingTiming(own, in: nalUnit) == original)
                }
                let changed = try SequenceParameterSet(nalUnit)
                #expect(changed.timing == timing)
                expected.timing = timing
                #expect(changed == expected)
            }
            AnnexB.append(nalUnit, nalUnits: [nalUnit.indices], to: &rewritten)
        }
        #expect(try FFmpeg.probe(rewritten)["r_frame_rate"] == "\(rate.numerator)/\(rate.denominator)")
        let bytes = size.0 * size.1 * 3 / 2
        #expect(try FFmpeg.decode(rewritten, frameBytes: bytes) == FFmpeg.decode(stream, frameBytes: bytes))
    }
}
