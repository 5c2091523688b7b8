import RTP
import TestSupport
import Testing
import Timebase

@Suite("Reference chain: what a viewer may pass on")
struct ReferenceChainTests {
    struct Run: Sendable, CustomTestStringConvertible {
        let name: String
        let profile: String
        let parameters: String
        let lossPercent: Int
        let seed: UInt64
        var testDescription: String { "\(name), \(lossPercent) % lost, seed \(seed)" }
    }

    static let runs = [2, 8].flatMap { percent in
        [UInt64(1), 2, 3].flatMap { seed in
            [
                Run(
                    name: "baseline", profile: "baseline", parameters: "ref=1:keyint=12:min-keyint=12:scenecut=0",
                    lossPercent: percent, seed: seed),
                Run(
                    name: "high, 3 references", profile: "high",
                    parameters: "cabac=1:ref=3:8x8dct=1:keyint=15:min-keyint=15:scenecut=0:slices=3",
                    lossPercent: percent, seed: seed),
            ]
        }
    }

    @Test("After random loss, everything passed on decodes to the very pictures that were sent", .needsFFmpeg,
        arguments: runs)
    func onlyDecodable(_ run: Run) throws {
        let stream = TestStream(
            annexB: try FFmpeg.encode(frames: 60, profile: run.profile, parameters: run.parameters))
        let frameBytes = 160 * 120 * 3 / 2
        let original = try FFmpeg.decode(TestStream.annexB(stream.units), frameBytes: frameBytes)
        var random = SeededGenerator(seed: run.seed)
        var depacketizer = H264Depacketizer()
        var chain = ReferenceChain()
        var passed: [TestStream.Unit] = []
        var expected: [ArraySlice<UInt8>] = []
        var judged = 0
        let packetizer = H264Packetizer(mode: .nonInterleaved, maximumPayloadSize: 1200)
        for (index, packet) in try stream.packets(packetizer).enumerated() where !random.chance(run.lossPercent) {
            for unit in try depacketizer.receive(packet, Int64(index)) {
                judged += 1
                guard chain.judge(unit) == .decodable else { continue }
                passed.append(TestStream.Unit(bytes: unit.bytes, nalUnits: unit.nalUnits))
                expected.append(original[Int(unit.timestamp / 3000)])
            }
        }
        #expect(passed.count > 4 && passed.count < judged)
        let decoded = try FFmpeg.decode(TestStream.annexB(passed), frameBytes: frameBytes)
        #expect(decoded == expected)
    }

    @Test("Whole lost units are noticed by frame_num alone", .needsFFmpeg)
    func lostUnits() throws {
        let stream = try self.stream(parameters: "ref=1:keyint=10:min-keyint=10:scenecut=0")
        var chain = ReferenceChain()
        var verdicts: [ReferenceChain.Verdict] = []
        for (index, unit) in stream.units.enumerated() where index != 3 { verdicts.append(chain.judge(received(unit))) }
        #expect(verdicts[..<3].allSatisfy { $0 == .decodable })
        #expect(verdicts[3..<9].allSatisfy { $0 == .skip(.missingReference) })
        #expect(verdicts[9] == .decodable)
    }

    @Test("A stream joined in its middle is skipped up to the next keyframe", .needsFFmpeg)
    func joined() throws {
        let stream = try self.stream(parameters: "ref=1:keyint=10:min-keyint=10:scenecut=0")
        var chain = ReferenceChain()
        #expect(chain.needsKeyframe)
        for unit in stream.units[5..<10] {
            let verdict = chain.judge(received(unit))
            #expect(verdict == .skip(.unreadable) || verdict == .skip(.missingReference))
        }
        let verdict = chain.judge(received(stream.units[10]))
        #expect(verdict == .decodable && !chain.needsKeyframe)
    }

    @Test("Losing a repetition that is no reference breaks nothing, whole or in part", .needsFFmpeg)
    func dispensable() throws {
        let stream = try self.stream(parameters: "ref=1")
        var chain = ReferenceChain()
        var repeater = PictureRepeater()
        for unit in stream.units {
            let verdict = chain.judge(received(unit))
            #expect(verdict == .decodable)
            try repeater.observe(unit.bytes, nalUnits: unit.nalUnits)
            let skip = try repeater.makeUnit()
            // One is lost without trace, one comes whole, of one a part comes.
            let whole = TestStream.Unit(bytes: skip.bytes, nalUnits: skip.nalUnits)
            let answers = [chain.judge(received(whole)), chain.judge(received(whole, isComplete: false))]
            #expect(answers == [.decodable, .skip(.incomplete)])
        }
        #expect(!chain.needsKeyframe)
    }

    @Test("An incomplete reference, or an incomplete unit without any slice, breaks the chain", .needsFFmpeg)
    func incomplete() throws {
        let stream = try self.stream(parameters: "ref=1")
        let empty = AccessUnit(bytes: [], nalUnits: [], timestamp: 0, isKeyframe: false, isComplete: false)
        for damaged in [received(stream.units[1], isComplete: false), empty] {
            var chain = ReferenceChain()
            let verdicts = [
                chain.judge(received(stream.units[0])), chain.judge(damaged), chain.judge(received(stream.units[2])),
            ]
            #expect(verdicts == [.decodable, .skip(.incomplete), .skip(.missingReference)])
        }
    }

    @Test("As many lost packets as frame_num can count are never trusted", .needsFFmpeg)
    func wholeRound() throws {
        let stream = try self.stream(parameters: "ref=1")
        let set = try #require(stream.units[0].nalUnits.lazy.compactMap {
            try? SequenceParameterSet(stream.units[0].bytes, nalUnit: $0)
        }.first)
        let last = set.maxFrameNum - 1
        try #require(stream.units.count > last + 1)
        for (lost, verdict) in [(last, ReferenceChain.Verdict.decodable), (last + 1, .skip(.missingReference))] {
            var chain = ReferenceChain()
            for unit in stream.units[...last] { _ = chain.judge(received(unit)) }
            var unit = received(stream.units[last + 1])
            unit.packetsLostBefore = lost
            let answer = chain.judge(unit)
            #expect(answer == verdict)
        }
    }

    @Test("Losses that may hide a keyframe, and what followed it, are not trusted", .needsFFmpeg, arguments: [0, 1, 4])
    func hiddenKeyframe(previous: Int) throws {
        let stream = try self.stream(parameters: "ref=1")
        for (lost, verdict) in [(previous, ReferenceChain.Verdict.decodable), (previous + 1, .skip(.missingReference))] {
            var chain = ReferenceChain()
            var repeater = PictureRepeater()
            for unit in stream.units[...previous] {
                _ = chain.judge(received(unit))
                try repeater.observe(unit.bytes, nalUnits: unit.nalUnits)
            }
            var damaged = chain
            var unit = received(stream.units[previous + 1])
            unit.packetsLostBefore = lost
            let answer = chain.judge(unit)
            #expect(answer == verdict)

            // The same where a part of a repetition comes behind the losses.
            let skip = try repeater.makeUnit()
            var part = received(TestStream.Unit(bytes: skip.bytes, nalUnits: skip.nalUnits), isComplete: false)
            part.packetsLostBefore = lost
            _ = damaged.judge(part)
            let later = damaged.judge(received(stream.units[previous + 1]))
            #expect(later == verdict)
        }
    }

    @Test("A slice whose parameter sets never came is unreadable; parameter sets alone need nothing", .needsFFmpeg)
    func unreadable() throws {
        let stream = try self.stream(parameters: "ref=1")
        var slices = TestStream.Unit()
        var sets = TestStream.Unit()
        for (content, type) in zip(stream.units[0].content, stream.units[0].types()) {
            if type.isPicture { slices.append(content) } else { sets.append(content) }
        }
        var chain = ReferenceChain()
        let verdicts = [received(slices), received(sets), received(slices)].map { chain.judge($0) }
        #expect(verdicts == [.skip(.unreadable), .decodable, .decodable])
    }

    @Test("Damaged bytes never trap (seed 31)", .needsFFmpeg)
    func damagedBytes() throws {
        var random = SeededGenerator(seed: 31)
        for parameters in ["ref=1", "ref=3:cabac=1:weightp=2:8x8dct=1"] {
            let stream = try self.stream(profile: "high", parameters: parameters)
            var chain = ReferenceChain()
            var skipped = 0
            for _ in 0..<2000 {
                var unit = received(stream.units[Int.random(in: 0..<stream.units.count, using: &random)])
                for _ in 0..<8 {
                    let index = Int.random(in: 0..<min(60, unit.bytes.count), using: &random)
                    unit.bytes[index] = UInt8.random(in: 0...255, using: &random)
                }
                if chain.judge(unit) != .decodable { skipped += 1 }
            }
            #expect(skipped > 0)
        }
    }

    private func stream(profile: String = "baseline", parameters: String) throws -> TestStream {
        TestStream(annexB: try FFmpeg.encode(profile: profile, parameters: parameters))
    }

    private func received(_ unit: TestStream.Unit, isComplete: Bool = true) -> AccessUnit {
        AccessUnit(
            bytes: unit.bytes, nalUnits: unit.nalUnits, timestamp: 0, isKeyframe: unit.isKeyframe,
            isComplete: isComplete)
    }
}
