import Datagrams
import DequeModule
import RTP

/// One viewer's repair packets (RFC 8627): made of each picture's source packets as they leave, sent behind them.
struct FlexFECSender {
    private let parameters: RepairStreamParameters
    private let sourceSSRC: UInt32
    private var encoder = FlexFECEncoder()
    private var payloads: Deque<[UInt8]> = []
    private var sequenceNumber: UInt16
    /// Repair packets that are due, and not whole yet.
    private var credit = 0.0

    init(
        _ parameters: RepairStreamParameters, protects ssrc: UInt32,
        random: inout any RandomNumberGenerator & Sendable
    ) {
        self.parameters = parameters
        sourceSSRC = ssrc
        sequenceNumber = UInt16.random(in: 0..<0x8000, using: &random)
    }

    var isWaiting: Bool { !payloads.isEmpty }

    /// A source packet leaves.
    ///
    /// - Parameters:
    ///   - isLast: of its picture.
    mutating func sent(_ packet: [UInt8], sequenceNumber: UInt16, _ isLast: Bool, _ path: PathControl) {
        let share = path.repairPacketShare
        guard share > 0 else { return encoder = FlexFECEncoder() }
        encoder.add(packet, sequenceNumber: sequenceNumber)
        guard isLast || encoder.count >= RTP.Limits.sourcePacketsOfGroup else { return }
        credit = min(credit + Double(encoder.count) * share, Double(FlexFECPattern.mostRepairPackets))
        let repairPackets = Int(credit)
        credit -= Double(repairPackets)
        payloads += encoder.finish(repairPackets: repairPackets, isFar: path.repairsComeFirst)
    }

    mutating func nextPacket(
        timestamp: UInt32, _ extensions: HeaderExtensions, _ map: ExtensionMap
    ) -> [UInt8]? {
        guard let payload = payloads.popFirst() else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(payload.count + Limits.packetOverhead)
        var header = RTPHeader(
            marker: false, payloadType: parameters.payloadType, sequenceNumber: sequenceNumber, timestamp: timestamp,
            ssrc: parameters.ssrc)
        header.csrcs = [sourceSSRC]
        header.append(to: &bytes, extensions: extensions, map: map)
        bytes.append(contentsOf: payload)
        sequenceNumber &+= 1
        return bytes
    }

    mutating func forget() {
        payloads.removeAll()
        encoder = FlexFECEncoder()
    }
}
