import Datagrams
import FuzzDriver
import RTP

/// Repair packets of anybody's making (RFC 8627), and our own, which must bring back what is missing.
///
/// The input is a row of packets: a byte of flags, a step in sequence numbers, a length, and so many bytes. Flags: 1: it is
/// a repair packet's payload.
private func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = [UInt8](UnsafeBufferPointer(start: start, count: count))
    var decoder = FlexFECDecoder(ssrc: 7)
    var packets: [[UInt8]] = []
    var sequence: UInt16 = 65_530
    var rest = bytes[...]
    while rest.count > 3 {
        let head = Array(rest.prefix(3))
        let body = Array(rest.dropFirst(3).prefix(Int(head[2])))
        rest = rest.dropFirst(3 + body.count)
        sequence &+= UInt16(head[1])
        let found =
            head[0] & 1 == 1
            ? decoder.receiveRepairPacket(body, payload: 0..<body.count) : decoder.receive(body, sequenceNumber: sequence)
        precondition(found.allSatisfy { $0.count >= 12 && $0[0] >> 6 == 2 })
        if packets.count < 16 { packets.append(packet(body, UInt16(truncatingIfNeeded: packets.count))) }
    }
    if let missing = packets.indices.last { check(packets, without: bytes.count % (missing + 1)) }
    return 0
}

/// With one packet missing and one repair packet there, it comes back as it was.
private func check(_ packets: [[UInt8]], without missing: Int) {
    var encoder = FlexFECEncoder()
    for (number, packet) in packets.enumerated() {
        encoder.add(packet, sequenceNumber: UInt16(truncatingIfNeeded: number))
    }
    var decoder = FlexFECDecoder(ssrc: 7)
    var found: [[UInt8]] = []
    for (number, packet) in packets.enumerated() where number != missing {
        found += decoder.receive(packet, sequenceNumber: UInt16(truncatingIfNeeded: number))
    }
    for packet in encoder.finish(repairPackets: 1, isFar: true) { found += decoder.receiveRepairPacket(packet, payload: 0..<packet.count) }
    precondition(found == [packets[missing]])
}

private func packet(_ body: [UInt8], _ sequenceNumber: UInt16) -> [UInt8] {
    [0x80, 98, UInt8(sequenceNumber >> 8), UInt8(truncatingIfNeeded: sequenceNumber), 0, 0, 0, 1, 0, 0, 0, 7] + body
}

@main
enum FuzzFlexFEC {
    static func main() { FuzzDriver.run(fuzz) }
}
