import RTP
import Testing

@Suite("Skip slices: pictures repeated by hand")
struct SkipSliceTests {
    private static let frameBytes = 160 * 120 * 3 / 2

    /// A way to encode, and what it must bring into the parameter sets for the case to be the one meant.
    struct Encoding: Sendable, CustomTestStringConvertible {
        let name: String
        let preset: String
        let profile: String
        let parameters: String
        var isCABAC = false
        var isWeighted = false
        var defaultReferences = 1
        var hasOrderType0 = false
        var testDescription: String { name }
    }

    static let encodings = [
        Encoding(name: "constrained baseline", preset: "ultrafast", profile: "baseline", parameters: "ref=1"),
        Encoding(
            name: "baseline, 3 references, deblocked", preset: "veryfast", profile: "baseline", parameters: "ref=3",
            defaultReferences: 3),
        Encoding(
            name: "main CAVLC, weighted prediction", preset: "veryfast", profile: "main",
            parameters: "cabac=0:ref=3:weightp=2", isWeighted: true, defaultReferences: 3),
        Encoding(
            name: "high CABAC, 3 references, 8x8", preset: "ultrafast", profile: "high",
            parameters: "cabac=1:ref=3:8x8dct=1", isCABAC: true, defaultReferences: 3),
        Encoding(
            name: "high CABAC, weighted, deblocked, slices", preset: "medium", profile: "high",
            parameters: "cabac=1:ref=4:weightp=2:slices=2", isCABAC: true, isWeighted: true, defaultReferences: 4),
        Encoding(
            name: "several IDRs", preset: "veryfast", profile: "baseline", parameters: "ref=1:keyint=7:scenecut=0"),
        Encoding(
            name: "picture order count type 0", preset: "veryfast", profile: "main",
            parameters: "bframes=1:b-adapt=1:b-bias=-100:cabac=0:ref=2:weightp=0", defaultReferences: 2,
            hasOrderType0: true),
    ]

    @Test("Inserted pictures equal the one before bit by bit, and those after are as they were", .needsFFmpeg,
        arguments: encodings)
    func inserted(_ encoding: Encoding) throws {
        let stream = try FFmpeg.encode(
            preset: encoding.preset, profile: encoding.profile, parameters: encoding.parameters)
        let units = TestStream(annexB: stream)
        var sets = ParameterSets()
        for nalUnit in units.units[0].nalUnits { try sets.read(units.units[0].bytes, nalUnit: nalUnit) }
        let active = try #require(sets.active(pictureParameterSet: 0))
        #expect(active.picture.isCABAC == encoding.isCABAC)
        #expect(active.picture.hasWeightedPrediction == encoding.isWeighted)
        #expect(active.picture.defaultReferencesL0 == encoding.defaultReferences)
        #expect((active.sequence.pictureOrderCount != .type2) == encoding.hasOrderType0)
        try check(units, frameBytes: Self.frameBytes)
    }

    @Test("Streams of other encoders take them as well", .needsFFmpeg, .needsCorpora, arguments: [
        // Picture order count type 0, then 2.
        "BA_MW_D.264", "BANM_MW_D.264", "BA1_Sony_D.jsv", "MIDR_MW_D.264", "NL1_Sony_D.jsv", "SVA_NL1_B.264",
        "SVA_BA1_B.264", "SVA_Base_B.264",
    ])
    func foreign(_ name: String) throws {
        let stream = TestStream(annexB: try Corpora.file("h264-streams/\(name)"))
        try check(stream, frameBytes: 176 * 144 * 3 / 2)
    }

    @Test("A stream of picture order count type 1 is refused", .needsCorpora)
    func orderType1() throws {
        let stream = TestStream(annexB: try Corpora.file("h264-streams/BAMQ1_JVC_C.264"))
        var repeater = PictureRepeater()
        for unit in stream.units { try repeater.observe(unit.bytes, nalUnits: unit.nalUnits) }
        #expect(throws: SkipSliceError.unsupportedStream) { try repeater.makeUnit() }
    }

    /// One after every third unit, five in a row after every seventh.
    private func check(_ stream: TestStream, frameBytes: Int) throws {
        let original = try FFmpeg.decode(TestStream.annexB(stream.units), frameBytes: frameBytes)
        #expect(original.count == stream.units.count)
        var repeater = PictureRepeater()
        var units: [TestStream.Unit] = []
        var expected: [ArraySlice<UInt8>] = []
        var inserted = 0
        for (index, unit) in stream.units.enumerated() {
            units.append(unit)
            expected.append(original[index])
            try repeater.observe(unit.bytes, nalUnits: unit.nalUnits)
            guard let skip = try? repeater.makeUnit() else { continue }
            for _ in 0..<(index % 7 == 6 ? 5 : index % 3 == 0 ? 1 : 0) {
                units.append(TestStream.Unit(bytes: skip.bytes, nalUnits: skip.nalUnits))
                expected.append(original[index])
                inserted += 1
            }
        }
        #expect(inserted > stream.units.count / 2)
        let decoded = try FFmpeg.decode(TestStream.annexB(units), frameBytes: frameBytes)
        #expect(decoded.count == expected.count)
        let wrong = zip(decoded, expected).enumerated().filter { $0.element.0 != $0.element.1 }.map(\.offset)
        #expect(wrong.isEmpty, "pictures \(wrong.prefix(20)) of \(expected.count) differ")
    }

    @Test("A CAVLC stream needs its own parameter set only, and a few bytes", .needsFFmpeg)
    func size() throws {
        let unit = try skipUnit(size: "1920x1080", profile: "baseline", parameters: "ref=1")
        #expect(unit.nalUnits.count == 1)
        #expect(unit.bytes.count <= 8)
        #expect(unit.bytes[0] == 0x01)
    }

    @Test("A CABAC stream gets a CAVLC parameter set with a free id before each", .needsFFmpeg)
    func ownParameterSet() throws {
        let unit = try skipUnit(profile: "high", parameters: "cabac=1:ref=3")
        let types = unit.nalUnits.map { NALUnitType(header: unit.bytes[$0.lowerBound]) }
        #expect(types == [.pictureParameterSet, .nonIDRSlice])
        let own = try PictureParameterSet(unit.bytes, nalUnit: unit.nalUnits[0])
        #expect(own.id == 1 && !own.isCABAC && own.defaultReferencesL0 == 1)
    }

    @Test("A sharer's repetition can be repeated again by a viewer, another dispensable picture cannot", .needsFFmpeg)
    func repetitionOfRepetition() throws {
        for (profile, parameters) in [("baseline", "ref=1"), ("high", "cabac=1:ref=3")] {
            let stream = TestStream(annexB: try FFmpeg.encode(frames: 3, profile: profile, parameters: parameters))
            var sharer = PictureRepeater()
            var viewer = PictureRepeater()
            for unit in stream.units {
                try sharer.observe(unit.bytes, nalUnits: unit.nalUnits)
                try viewer.observe(unit.bytes, nalUnits: unit.nalUnits)
            }
            let skip = try sharer.makeUnit()
            for _ in 0..<3 {
                try viewer.observe(skip.bytes, nalUnits: skip.nalUnits)
                let again = try viewer.makeUnit()
                #expect(NALUnitType(header: try #require(again.bytes.first)).rawValue != 0)
                #expect(again.nalUnits.count == skip.nalUnits.count)
            }
            // The last picture again, as one that is no reference.
            var dispensable = try #require(stream.units.last)
            for nalUnit in dispensable.nalUnits { dispensable.bytes[nalUnit.lowerBound] &= 0x9f }
            try viewer.observe(dispensable.bytes, nalUnits: dispensable.nalUnits)
            #expect(throws: SkipSliceError.notAReference) { try viewer.makeUnit() }
            try viewer.observe(skip.bytes, nalUnits: skip.nalUnits)
            #expect(throws: SkipSliceError.notAReference) { try viewer.makeUnit() }
        }
    }

    @Test("The slice says it is no reference, follows the last one, and stands half a step behind it")
    func header() throws {
        var sequence = try SequenceParameterSet(Self.sequenceParameterSet)
        let picture = PictureParameterSet(id: 0, sequenceParameterSetID: 0)
        #expect(sequence.pictureOrderCount == .type0(log2MaxLsb: 16) && sequence.maxFrameNum == 1 << 15)
        for (frameNum, lsb, expected) in [(0, 0, (1, 1)), (32766, 65534, (32767, 65535)), (32767, 65535, (0, 0))] {
            let last = try reference(frameNum: frameNum, lsb: lsb)
            let skip = try SkipSlice(sequence: sequence, picture: picture, ownID: 1)
            let slice = skip.nalUnit(repeating: last)
            let header = try header(of: slice)
            #expect(!header.isReference && !header.isIDR && header.kind == .p)
            #expect(slice[1] & 0x80 != 0, "the first macroblock is 0")
            #expect(header.frameNum == expected.0)
            #expect(header.pictureOrderLsb == expected.1)
        }
        // Type 2 has no field of its own.
        let last = try reference(frameNum: 5, lsb: 9)
        let longer = try SkipSlice(sequence: sequence, picture: picture, ownID: 1).nalUnit(repeating: last)
        sequence.pictureOrderCount = .type2
        let shorter = try SkipSlice(sequence: sequence, picture: picture, ownID: 1).nalUnit(repeating: last)
        #expect(longer.count == shorter.count + 2)
    }

    private static let sequenceParameterSet: [UInt8] = [
        0x67, 0x42, 0xc0, 0x1f, 0x8c, 0x8d, 0x40, 0x50, 0x1e, 0x90, 0x0f, 0x08, 0x84, 0x6a,
    ]

    private func header(of slice: [UInt8]) throws -> SliceHeader {
        var sets = ParameterSets()
        let picture = PictureParameterSet(id: 0, sequenceParameterSetID: 0).nalUnit()
        try sets.read(Self.sequenceParameterSet, nalUnit: Self.sequenceParameterSet.indices)
        try sets.read(picture, nalUnit: picture.indices)
        return try SliceHeader(slice, nalUnit: slice.indices, sets: sets)
    }

    /// A P slice of these numbers, bit by bit.
    private func reference(frameNum: Int, lsb: Int) throws -> SliceHeader {
        func bits(_ value: Int, _ width: Int) -> String {
            let digits = String(value, radix: 2)
            return String(repeating: "0", count: width - digits.count) + digits
        }
        // first_mb 0, P, PPS 0, frame_num, lsb; no override, no reordering, no marking operations; padding.
        let text = Array("111" + bits(frameNum, 15) + bits(lsb, 16) + "000" + "111")
        var slice: [UInt8] = [0x61]
        var zeros = 0
        for start in stride(from: 0, to: text.count, by: 8) {
            let byte = text[start..<(start + 8)].reduce(UInt8(0)) { $0 << 1 | ($1 == "1" ? 1 : 0) }
            if zeros >= 2, byte <= 3 {
                slice.append(3)
                zeros = 0
            }
            zeros = byte == 0 ? zeros + 1 : 0
            slice.append(byte)
        }
        let header = try header(of: slice)
        #expect(header.frameNum == frameNum && header.pictureOrderLsb == lsb)
        return header
    }

    @Test("frame_num goes round with the stream's", .needsFFmpeg)
    func frameNumWraps() throws {
        let stream = TestStream(annexB: try FFmpeg.encode(
            frames: 40, profile: "baseline", parameters: "ref=1:keyint=infinite:scenecut=0"))
        let first = stream.units[0]
        let sets = first.nalUnits.lazy.compactMap { try? SequenceParameterSet(first.bytes, nalUnit: $0) }
        let rounds = try #require(sets.first).maxFrameNum
        #expect(rounds < stream.units.count && !stream.units.dropFirst().contains(where: \.isKeyframe))
        try check(stream, frameBytes: Self.frameBytes)
    }

    @Test("Before the first picture there is nothing to repeat")
    func nothing() {
        #expect(throws: SkipSliceError.noPicture) { try PictureRepeater().makeUnit() }
    }

    @Test("Streams whose pictures cannot be repeated so are refused")
    func unsupported() throws {
        var sequence = try SequenceParameterSet(Self.sequenceParameterSet)
        let picture = PictureParameterSet(id: 0, sequenceParameterSetID: 0)
        #expect(throws: Never.self) { try SkipSlice(sequence: sequence, picture: picture, ownID: 1) }
        let changes: [(inout SequenceParameterSet) -> Void] = [
            { $0.frameMacroblocksOnly = false },
            { $0.maxReferenceFrames = 0 },
            { $0.hasSeparateColourPlanes = true },
            { $0.pictureOrderCount = .type1(deltaAlwaysZero: true) },
        ]
        let valid = sequence
        for change in changes {
            sequence = valid
            change(&sequence)
            #expect(throws: SkipSliceError.unsupportedStream) {
                try SkipSlice(sequence: sequence, picture: picture, ownID: 1)
            }
        }
    }

    private func skipUnit(
        size: String = "160x120", profile: String, parameters: String
    ) throws -> PictureRepeater.Unit {
        let stream = try FFmpeg.encode(size: size, frames: 2, profile: profile, parameters: parameters)
        var repeater = PictureRepeater()
        for unit in TestStream(annexB: stream).units { try repeater.observe(unit.bytes, nalUnits: unit.nalUnits) }
        return try repeater.makeUnit()
    }
}
