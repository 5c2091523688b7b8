import Congestion
import Datagrams
import DequeModule

/// Which of our packets a stream's sequence number means: reports by RFC 8888 know no other.
struct StreamNumbers {
    private struct Stream {
        let ssrc: UInt32
        /// The sequence number of the first of `numbers`.
        var first: UInt16
        var numbers: Deque<Int64> = []

        mutating func append(_ number: Int64, sequenceNumber: UInt16) {
            if sequenceNumber != first &+ UInt16(truncatingIfNeeded: numbers.count) {
                numbers.removeAll(keepingCapacity: true)
                first = sequenceNumber
            }
            numbers.append(number)
            // What the estimator has forgotten needs no name either.
            while let oldest = numbers.first, number - oldest >= Congestion.Limits.sentPackets {
                numbers.removeFirst()
                first &+= 1
            }
        }
    }

    /// One for each stream that a peer is sent: four at most.
    private var streams: [Stream] = []

    /// A packet leaves, protected or not: SRTP leaves the header as it is (RFC 3711 § 3.1).
    mutating func record(_ packet: [UInt8], as number: Int64) {
        let names = packet.read { span in (span.u32(at: 8), span.u16(at: 2)) }
        guard let ssrc = names.0, let sequenceNumber = names.1 else { return }
        if let index = streams.firstIndex(where: { $0.ssrc == ssrc }) {
            streams[index].append(number, sequenceNumber: sequenceNumber)
        } else {
            streams.append(Stream(ssrc: ssrc, first: sequenceNumber, numbers: [number]))
        }
    }

    /// The numbers of a stream's packets from `first` on; nil for those that never left, or are forgotten.
    func numbers(ssrc: UInt32, from first: UInt16, count: Int) -> [Int64?] {
        guard let stream = streams.first(where: { $0.ssrc == ssrc }) else { return [] }
        return (0..<count).map { offset in
            let index = Int(first &+ UInt16(truncatingIfNeeded: offset) &- stream.first)
            return stream.numbers.indices.contains(index) ? stream.numbers[index] : nil
        }
    }
}
