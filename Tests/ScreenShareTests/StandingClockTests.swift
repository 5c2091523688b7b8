import RTP
import Testing
import Timebase

@testable import PeerCore
@testable import ScreenShare

/// A recording's sound beside pictures, in steps of 20 ms.
private struct SoundRecording {
    private var sound = ViewAudio(decoder: nil, waitsForMissing: true)
    private(set) var pieces: [AudioPiece] = []
    private var step = 0
    private var sequenceNumber: Int64 = 0
    private static let begin = NTPTimestamp(bits: 1 << 60)

    /// - Parameters: by how many steps each clock is behind what has passed since the beginning; nil: nothing comes.
    ///   - picture: of the pictures' timestamps and reports.
    ///   - sound: of the sound's timestamps.
    ///   - told: of the reports on the sound; nil: there are none.
    mutating func run(_ steps: Int, picture: Int? = nil, sound behind: Int? = nil, told: Int? = nil) {
        for _ in 0..<steps {
            let now = Instant.zero + .milliseconds(step * 20)
            if let picture {
                sound.see(captured: Self.moment(step - picture), timestamp: Int64(step - picture) * 1800, shownAt: now)
            }
            if let behind {
                let captured = told.map { Self.moment(step - $0) }
                sound.receive(
                    ReceivedAudio(
                        // 20 ms of silence in stereo (RFC 6716 § 3.1).
                        bytes: [0xFC, 0xFF, 0xFE], copies: [], sequenceNumber: sequenceNumber,
                        timestamp: Int64(step - behind) * 960, capturedAt: captured, receivedAt: now))
                sequenceNumber += 1
            }
            while let next = sound.next(at: now) { pieces.append(next.piece) }
            step += 1
        }
    }

    mutating func finish() { pieces += sound.rest() }

    private static func moment(_ step: Int) -> NTPTimestamp { begin.advanced(by: .milliseconds(step * 20)) }

    var packets: [AudioPiece] { pieces.filter { $0.opus != nil } }
    /// Where the silence ends.
    var silenceEnd: Int64 { pieces.filter { $0.opus == nil }.map { $0.position + Int64($0.frames) }.max() ?? 0 }
}

@Suite("Recorded sound while nothing comes")
struct StandingClockTests {
    @Test("Silence goes on as long as pictures do, and no further")
    func pictures() {
        var recording = SoundRecording()
        recording.run(50, picture: 0, sound: 0, told: 0)
        recording.run(200, picture: 0)
        recording.run(500)
        #expect(249 * 960..<252 * 960 ~= recording.silenceEnd)
    }

    @Test("A sharer that is away, and whose clocks stand still meanwhile, leaves no gap: sound stays beside the pictures")
    func away() {
        var recording = SoundRecording()
        recording.run(50, picture: 0, sound: 0, told: 0)
        recording.run(1000)
        recording.run(5, sound: 1000, told: 1000)
        recording.run(45, picture: 1000, sound: 1000, told: 1000)
        recording.finish()
        #expect(recording.silenceEnd <= 60 * 960)
        let back = recording.packets.suffix(40)
        #expect(back.allSatisfy { $0.timestamp == $0.position } && back.last?.position == 99 * 960)
    }

    @Test("One whose clocks go on meanwhile leaves a gap as long as it was away, told by what comes next")
    func pause() {
        var recording = SoundRecording()
        recording.run(50, picture: 0, sound: 0, told: 0)
        recording.run(1000)
        recording.run(50, picture: 0, sound: 0, told: 0)
        recording.finish()
        #expect(recording.silenceEnd <= 60 * 960)
        let back = recording.packets.suffix(50)
        #expect(back.map(\.position) == (1050..<1100).map { $0 * 960 })
        #expect(back.allSatisfy { $0.timestamp == $0.position })
    }

    @Test("Sound whose clock alone stood still waits for a report of since then, which places it beside the pictures")
    func mute() {
        var recording = SoundRecording()
        recording.run(50, picture: 0, sound: 0, told: 0)
        recording.run(150, picture: 0)
        recording.run(50, picture: 0, sound: 150, told: 150)
        recording.run(50, picture: 0, sound: 150, told: 0)
        recording.finish()
        let early = recording.packets.dropFirst(50).prefix(40)
        #expect(early.allSatisfy { $0.timestamp == nil })
        let known = recording.packets.suffix(20)
        #expect(known.allSatisfy { $0.timestamp == $0.position + 150 * 960 } && known.last?.position == 149 * 960)
    }

    @Test("Reports that go on telling the old place are believed once the next one must have come: the way became longer")
    func longerWay() {
        var recording = SoundRecording()
        recording.run(50, picture: 0, sound: 0, told: 0)
        recording.run(65)
        // Pictures wait longer than sound waits for a place.
        recording.run(350, sound: 65, told: 65)
        let assumed = recording.packets.suffix(20)
        #expect(assumed.allSatisfy { ($0.timestamp ?? 0) - $0.position > 48_000 })
        recording.run(150, picture: 65, sound: 65, told: 65)
        let told = recording.packets.suffix(20)
        #expect(told.allSatisfy { $0.timestamp == $0.position })
    }

    @Test("Without reports it belongs to the pictures that are shown while it is heard, as at first")
    func untold() {
        var recording = SoundRecording()
        recording.run(350, picture: 0, sound: 0)
        recording.run(150, picture: 0)
        recording.run(350, picture: 0, sound: 150)
        let off = recording.packets.suffix(20).map { piece in
            piece.timestamp.map { $0 - piece.position - 150 * 960 } ?? .max
        }
        #expect(off.allSatisfy { (0..<1200).contains($0) }, "\(off)")
    }

    @Test("Another stream in place of a lone packet has a clock of its own: nothing of it is late by the other's")
    func otherStream() {
        var sound = ViewAudio(decoder: nil, waitsForMissing: true)
        var pieces: [AudioPiece] = []
        for packet in Int64(0)..<50 {
            let now = Instant.zero + .milliseconds(packet * 20)
            sound.receive(
                ReceivedAudio(
                    bytes: [0xFC, 0xFF, 0xFE], copies: [], sequenceNumber: packet, timestamp: packet == 0 ? 43_200 : packet * 960,
                    capturedAt: nil, receivedAt: now, beginsAnew: packet == 1))
            while let next = sound.next(at: now) { pieces.append(next.piece) }
        }
        pieces += sound.rest()
        #expect(pieces.filter { $0.opus != nil }.map(\.position) == (1..<50).map { $0 * 960 })
    }
}
