import Datagrams
import RTP
import TestSupport
import Timebase

/// A sender, a network and a viewer in virtual time: which sound was heard, and when.
struct PlayoutBench {
    struct Heard {
        var at: Instant
        var output: PlayoutOutput
    }

    private struct Flight {
        var at: Instant
        var packet: Int
        var sequence: Int64
    }

    var playout = AudioPlayout()
    private(set) var random: SeededGenerator
    /// One way, and what comes on top of it.
    var delay: Duration = .milliseconds(50)
    var jitter: (inout SeededGenerator, _ packet: Int) -> Duration = { _, _ in .zero }
    /// In percent, or by number.
    var lossPercent = 0
    var isLost: (_ packet: Int) -> Bool = { _ in false }
    var duplicatePercent = 0
    var redundancyLevels = 0
    var hasInbandFEC = false
    /// How long a packet sounds: 20 or 60 ms.
    var milliseconds = 20
    /// Of the sender's clock against the viewer's.
    var ppm = 0.0
    /// Packets that the sender leaves out because there is silence; they have no sequence number.
    var isPaused: (_ packet: Int) -> Bool = { _ in false }
    var firstTimestamp: Int64 = 4_000_000_000
    /// By how many ticks its timestamp is off what was sent before it.
    var timestampError: (_ packet: Int) -> Int64 = { _ in 0 }
    /// Called with each output, in place of keeping it.
    var onOutput: ((Heard, AudioPlayout) -> Void)?

    private(set) var heard: [Heard] = []
    private(set) var packetsLost = 0
    /// By arrival.
    private var flights: [Flight] = []
    private var sent = 0
    private var sequence: Int64 = 65_000
    private var sequences: [Int: Int64] = [:]
    private(set) var now: Instant = .zero

    init(seed: UInt64 = 1) {
        random = SeededGenerator(seed: seed)
    }

    /// Wideband speech with in-band FEC, or full-band music; the packet's number in its bytes.
    func bytes(_ packet: Int) -> [UInt8] {
        // 60 ms are three frames of two bytes.
        var bytes: [UInt8] = milliseconds == 60 ? [31 << 3 | 3, 3] : hasInbandFEC ? [9 << 3, 0x40] : [31 << 3, 0x80]
        bytes.append(u32: UInt32(truncatingIfNeeded: packet))
        if milliseconds == 60 { bytes += [0, 0] }
        return bytes
    }

    static func number(_ bytes: [UInt8]) -> Int? {
        bytes.read { $0.u32(at: 2) }.map(Int.init)
    }

    private func sendTime(_ packet: Int) -> Instant {
        Instant(nanoseconds: Int64(Double(packet * milliseconds) * 1e6 / (1 + ppm / 1e6)))
    }

    mutating func run(until end: Instant) {
        while true {
            let arrival = flights.first?.at ?? .distantFuture
            let due = playout.due.map { max(now, $0) } ?? .distantFuture
            let sending = sendTime(sent)
            let next = min(sending, arrival, due)
            guard next < end else { return }
            now = max(now, next)
            if next == due, due < arrival, due < sending {
                pull()
            } else if next == arrival {
                receive(flights.removeFirst())
            } else {
                send()
            }
        }
    }

    private mutating func pull() {
        while let output = playout.pull(at: now) {
            let event = Heard(at: now, output: output)
            if let onOutput { onOutput(event, playout) } else { heard.append(event) }
        }
    }

    private mutating func send() {
        defer { sent += 1 }
        guard !isPaused(sent) else { return }
        sequence += 1
        sequences[sent] = sequence
        sequences[sent - 64] = nil
        if random.chance(lossPercent) || isLost(sent) {
            packetsLost += 1
            return
        }
        for _ in 0..<(random.chance(duplicatePercent) ? 2 : 1) {
            launch(Flight(at: sendTime(sent) + delay + jitter(&random, sent), packet: sent, sequence: sequence))
        }
    }

    private mutating func launch(_ flight: Flight) {
        var place = flights.count
        while place > 0, flights[place - 1].at > flight.at { place -= 1 }
        flights.insert(flight, at: place)
    }

    /// Of the packets that were sent before, those that are still remembered; the oldest first.
    private func copies(_ packet: Int) -> [AudioPlayout.Copy] {
        guard redundancyLevels > 0 else { return [] }
        let earlier = (1...17).map { packet - $0 }.filter { sequences[$0] != nil }.prefix(redundancyLevels)
        return earlier.reversed().map {
            AudioPlayout.Copy(timestampOffset: timestamp(packet) - timestamp($0), bytes: bytes($0))
        }
    }

    private mutating func receive(_ flight: Flight) {
        playout.receive(
            bytes(flight.packet), copies: copies(flight.packet), sequenceNumber: flight.sequence,
            timestamp: timestamp(flight.packet),
            at: flight.at)
    }

    func timestamp(_ packet: Int) -> Int64 {
        firstTimestamp + Int64(packet * milliseconds) * 48 + timestampError(packet)
    }

    /// The packets that were decoded, in the order in which they were.
    var played: [Int] {
        heard.compactMap { event in
            if case .packet(let bytes) = event.output.sound { Self.number(bytes) } else { nil }
        }
    }
}
