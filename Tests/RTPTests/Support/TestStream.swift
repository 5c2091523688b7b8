import Datagrams
import RTP
import Timebase

/// A byte stream cut into access units, for tests.
struct TestStream: Sendable {
    struct Unit: Sendable {
        var bytes: [UInt8] = []
        var nalUnits: [Range<Int>] = []

        var content: [[UInt8]] { nalUnits.map { Array(bytes[$0]) } }

        func types() -> [NALUnitType] { nalUnits.map { NALUnitType(header: bytes[$0.lowerBound]) } }
        var isKeyframe: Bool { types().contains(.idrSlice) }

        mutating func append(_ nalUnit: some Collection<UInt8>) {
            let start = bytes.count
            bytes += nalUnit
            nalUnits.append(start..<bytes.count)
        }
    }

    let units: [Unit]

    /// A unit begins with what stands before a first slice: parameter sets, delimiters, supplemental information, or
    /// the slice whose first macroblock is 0.
    init(annexB stream: [UInt8]) {
        var units: [Unit] = []
        var unit = Unit()
        var hasPicture = false
        for nalUnit in AnnexB.split(stream) {
            let type = NALUnitType(header: stream[nalUnit.lowerBound])
            let startsPicture =
                type.hasSliceHeader && nalUnit.count > 1 && stream[nalUnit.lowerBound + 1] & 0x80 != 0
            if hasPicture, startsPicture || (6...9).contains(type.rawValue) {
                units.append(unit)
                (unit, hasPicture) = (Unit(), false)
            }
            unit.append(stream[nalUnit])
            hasPicture = hasPicture || type.isPicture
        }
        if !unit.nalUnits.isEmpty { units.append(unit) }
        self.units = units
    }

    static func annexB(_ units: some Sequence<Unit>) -> [UInt8] {
        var stream: [UInt8] = []
        for unit in units { AnnexB.append(unit.bytes, nalUnits: unit.nalUnits, to: &stream) }
        return stream
    }

    /// A payload with what its RTP header says.
    struct Packet: Sendable {
        var payload: [UInt8]
        var sequenceNumber: UInt16
        var timestamp: UInt32
        var marker: Bool
    }

    /// All units as packets, 3000 ticks apart.
    func packets(
        _ packetizer: H264Packetizer, firstSequenceNumber: UInt16 = 0, firstTimestamp: UInt32 = 0
    ) throws -> [Packet] {
        var packets: [Packet] = []
        for (index, unit) in units.enumerated() {
            let packetized = try packetizer.packetize(unit)
            for (position, payload) in packetized.payloads.enumerated() {
                packets.append(
                    Packet(
                        payload: Array(packetized.bytes[payload]),
                        sequenceNumber: firstSequenceNumber &+ UInt16(truncatingIfNeeded: packets.count),
                        timestamp: firstTimestamp &+ UInt32(index) &* 3000, marker: packetized.isMarked(position)))
            }
        }
        return packets
    }
}

extension H264Packetizer {
    func packetize(_ unit: TestStream.Unit) throws(H264PacketizerError) -> PacketizedUnit {
        try packetize(
            unit.bytes, nalUnits: unit.nalUnits, mediaTime: MediaTime(ticks: 0), capturedAt: .zero,
            isKeyframe: unit.isKeyframe, isReference: true)
    }
}

extension H264Depacketizer {
    /// Takes a packet, in order, and returns the units it finishes.
    mutating func receive(
        _ packet: TestStream.Packet, _ sequenceNumber: Int64
    ) throws(H264DepacketizerError) -> [AccessUnit] {
        try packet.payload.read { (span) throws(H264DepacketizerError) in
            try receive(
                span, payload: packet.payload.indices, sequenceNumber: sequenceNumber, timestamp: packet.timestamp,
                marker: packet.marker)
        }
        return drain()
    }

    mutating func drain() -> [AccessUnit] {
        var units: [AccessUnit] = []
        while let unit = nextAccessUnit() { units.append(unit) }
        return units
    }
}

extension AccessUnit {
    var content: [[UInt8]] { nalUnits.map { Array(bytes[$0]) } }
}
