import Datagrams
import DequeModule
import Timebase

/// Recovers lost source packets of one stream from repair packets (RFC 8627 § 6.3): each is an equation over GF(2), and as
/// many lost packets come back as there are independent equations.
package struct FlexFECDecoder: Sendable {
    /// Source packets that add up to `sum`, of which the first stands in no other equation.
    private struct Equation: Sendable {
        var unknown: [Int64]
        var sum: FlexFECBitString
    }

    private let ssrc: UInt32
    private var unwrapper = Unwrapper<UInt16>()
    private var known: Deque<(number: Int64, packet: [UInt8])> = []
    private var equations: [Equation] = []
    package private(set) var packetsRecovered = 0

    package init(ssrc: UInt32) { self.ssrc = ssrc }

    /// An unprotected source packet, as it came.
    /// - Returns: packets that this recovers.
    package mutating func receive(_ packet: [UInt8], sequenceNumber: UInt16) -> [[UInt8]] {
        let number = unwrapper.unwrap(sequenceNumber)
        guard !known.contains(where: { $0.number == number }) else { return [] }
        return learn(number, packet)
    }

    /// A repair packet's payload.
    package mutating func receiveRepairPacket(_ bytes: [UInt8], payload: Range<Int>) -> [[UInt8]] {
        let read = bytes.read { FlexFECHeader.read($0, payload: payload) }
        guard let (header, start) = read else { return [] }
        let base = unwrapper.peek(header.baseSequenceNumber)
        // What is far from all that is known joins others to equations that nobody solves.
        let newest = known.last?.number ?? base
        guard (base - newest).magnitude <= UInt64(Limits.sourcePackets) else { return [] }
        let members = header.offsets.map { base + Int64($0) }
        // Most are of packets that have all come.
        let numbers = Set(known.map(\.number))
        guard members.contains(where: { !numbers.contains($0) }) else { return [] }
        let recovery = bytes[payload.lowerBound..<(payload.lowerBound + FlexFECHeader.recoveryBytes)]
        var equation = Equation(
            unknown: members,
            sum: FlexFECBitString(recovery: recovery, payload: bytes[start..<payload.upperBound]))
        for (number, packet) in known { remove(number, packet, from: &equation) }
        insert(equation)
        return solve()
    }

    // MARK: Equations

    private mutating func insert(_ equation: Equation) {
        var equation = equation
        for other in equations {
            if let pivot = other.unknown.first, equation.unknown.contains(pivot) { add(other, to: &equation) }
        }
        guard let pivot = equation.unknown.first else { return }
        for index in equations.indices where equations[index].unknown.contains(pivot) {
            add(equation, to: &equations[index])
        }
        equations.append(equation)
        if equations.count > Limits.unsolvedRepairPackets { equations.removeFirst() }
    }

    /// Sets of unknowns add up likewise: what stands in both falls out.
    private func add(_ other: Equation, to equation: inout Equation) {
        let both = Set(equation.unknown).intersection(other.unknown)
        equation.unknown = equation.unknown.filter { !both.contains($0) } + other.unknown.filter { !both.contains($0) }
        equation.sum.add(other.sum)
    }

    private func remove(_ number: Int64, _ packet: [UInt8], from equation: inout Equation) {
        guard let index = equation.unknown.firstIndex(of: number), let string = FlexFECBitString(packet: packet) else {
            return
        }
        equation.unknown.remove(at: index)
        equation.sum.add(string)
    }

    private mutating func learn(_ number: Int64, _ packet: [UInt8]) -> [[UInt8]] {
        known.append((number, packet))
        if known.count > Limits.sourcePackets { known.removeFirst() }
        guard equations.contains(where: { $0.unknown.contains(number) }) else { return solve() }
        var open = equations
        equations.removeAll()
        for index in open.indices { remove(number, packet, from: &open[index]) }
        // Whose pivot was just learnt needs another, which then must stand nowhere else.
        for equation in open { insert(equation) }
        return solve()
    }

    /// What is left with one unknown is that packet.
    private mutating func solve() -> [[UInt8]] {
        guard let index = equations.firstIndex(where: { $0.unknown.count == 1 }),
            let number = equations[index].unknown.first
        else { return [] }
        let equation = equations.remove(at: index)
        guard let packet = equation.sum.packet(sequenceNumber: UInt16(truncatingIfNeeded: number), ssrc: ssrc) else {
            return solve()
        }
        packetsRecovered += 1
        return [packet] + learn(number, packet)
    }
}
