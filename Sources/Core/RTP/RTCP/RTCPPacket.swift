import Datagrams

/// One RTCP packet of a datagram.
package enum RTCPPacket: Hashable, Sendable {
    case senderReport(SenderReport)
    case receiverReport(ReceiverReport)
    case sourceDescription(SourceDescription)
    case goodbye(Goodbye)
    case genericNACK(GenericNACK)
    case transportFeedback(TransportFeedback)
    case congestionFeedback(CongestionFeedback)
    case ecnFeedback(ECNFeedback)
    case pictureLossIndication(PictureLossIndication)
    case fullIntraRequest(FullIntraRequest)
    case bitrateEstimate(BitrateEstimate)
    /// APP, XR and whatever else is legal but not used here; `format` is the 5-bit count field.
    case unknown(type: UInt8, format: UInt8)
}

extension RTCPPacket {
    /// All packets of a datagram, in any sequence (RFC 5506). One malformed packet condemns the whole datagram.
    ///
    /// Any of them may be padded: § 6.4.1 allows it to the last alone, but str0m and Pion fill up transport-wide feedback
    /// wherever it stands, and each packet's length says where the next begins.
    package static func packets(_ span: RawSpan) throws(RTCPError) -> [RTCPPacket] {
        var packets: [RTCPPacket] = []
        var cursor = Cursor(span)
        repeat {
            guard packets.count < Limits.packetsPerCompound else { throw .tooMany }
            let header = try RTCPHeader(span, &cursor)
            packets.append(try packet(span, header))
        } while cursor.remaining > 0
        return packets
    }

    /// Whether a datagram may stand by itself wherever RTCP does.
    package static func beginsWithReport(_ bytes: [UInt8]) -> Bool {
        bytes.count > 1 && [RTCPType.senderReport, .receiverReport].contains { $0.rawValue == bytes[1] }
    }

    private static func packet(_ span: RawSpan, _ header: RTCPHeader) throws(RTCPError) -> RTCPPacket {
        guard let type = RTCPType(rawValue: header.type) else {
            return .unknown(type: header.type, format: header.count)
        }
        let parsed: RTCPPacket?
        switch type {
        case .senderReport: parsed = SenderReport(span, header).map { .senderReport($0) }
        case .receiverReport: parsed = ReceiverReport(span, header).map { .receiverReport($0) }
        case .sourceDescription: parsed = SourceDescription(span, header).map { .sourceDescription($0) }
        case .goodbye: parsed = Goodbye(span, header).map { .goodbye($0) }
        case .transportFeedback: parsed = try transportLayer(span, header)
        case .payloadFeedback: parsed = try payloadSpecific(span, header)
        }
        guard let parsed else { throw .malformed(type) }
        return parsed
    }

    private static func transportLayer(_ span: RawSpan, _ header: RTCPHeader) throws(RTCPError) -> RTCPPacket? {
        switch header.count {
        case FeedbackFormat.genericNACK:
            return try GenericNACK(span, header).map { .genericNACK($0) }
        case FeedbackFormat.ecn:
            return ECNFeedback(span, header).map { .ecnFeedback($0) }
        case FeedbackFormat.congestionControl:
            return try CongestionFeedback(span, header).map { .congestionFeedback($0) }
        case FeedbackFormat.transportWide:
            return TransportFeedback(span, header).map { .transportFeedback($0) }
        default:
            return .unknown(type: header.type, format: header.count)
        }
    }

    private static func payloadSpecific(_ span: RawSpan, _ header: RTCPHeader) throws(RTCPError) -> RTCPPacket? {
        switch header.count {
        case FeedbackFormat.pictureLossIndication:
            return PictureLossIndication(span, header).map { .pictureLossIndication($0) }
        case FeedbackFormat.fullIntraRequest:
            return try FullIntraRequest(span, header).map { .fullIntraRequest($0) }
        case FeedbackFormat.applicationLayer where BitrateEstimate.matches(span, header):
            return BitrateEstimate(span, header).map { .bitrateEstimate($0) }
        default:
            return .unknown(type: header.type, format: header.count)
        }
    }
}
