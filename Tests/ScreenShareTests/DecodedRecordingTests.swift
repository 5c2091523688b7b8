import AudioCodec
import RTP
import Testing
import Timebase

@testable import PeerCore
@testable import ScreenShare

@Suite("Sound of a recording that is decoded")
struct DecodedRecordingTests {
    /// A tone of 440 Hz in packets of 20 ms.
    private static func packets(_ count: Int) throws -> [[UInt8]] {
        let encoder = try OpusEncoder(OpusConfiguration(), target: OpusTarget(bitsPerSecond: 96_000))
        return try (0..<count).map { packet in
            let samples = (0..<960).flatMap { frame -> [Float] in
                let turns = Double(packet * 960 + frame) * 440 / 48_000
                let sample = Float(abs(turns - turns.rounded()) - 0.25)
                return [sample, sample]
            }
            return try encoder.encode(samples).bytes
        }
    }

    @Test("It is what its packets hold, one behind the other, also where the network makes the delay grow")
    func grows() throws {
        let packets = try Self.packets(100)
        var sound = ViewAudio(decoder: try OpusDecoder(), waitsForMissing: true)
        var pieces: [AudioPiece] = []
        for (index, packet) in packets.enumerated() {
            // After half a second the way takes 60 ms more.
            let now = Instant.zero + .milliseconds(index * 20 + (index < 25 ? 0 : 60))
            sound.receive(
                ReceivedAudio(
                    bytes: packet, copies: [], sequenceNumber: Int64(index), timestamp: Int64(index) * 960,
                    capturedAt: nil, receivedAt: now))
            while let next = sound.next(at: now) { pieces.append(next.piece) }
        }
        pieces += sound.rest()
        let decoder = try OpusDecoder()
        let expected = try packets.flatMap { packet in try decoder.decode(packet) }
        #expect(pieces.contains { $0.isInserted })
        #expect(pieces.filter { !$0.isInserted }.compactMap(\.opus) == packets)
        #expect(pieces.filter { !$0.isInserted }.flatMap(\.samples) == expected)
    }
}
