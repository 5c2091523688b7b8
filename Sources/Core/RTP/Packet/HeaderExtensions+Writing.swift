import Datagrams
import Timebase

extension HeaderExtensions {
    /// Appends the block in the one-byte form (RFC 8285 § 4.2), nothing where no value has an id.
    func append(to packet: inout [UInt8], map: ExtensionMap) {
        let start = packet.count
        packet.append(u16: Self.oneByteProfile)
        packet.append(u16: 0)
        appendTiming(to: &packet, map)
        appendDescription(to: &packet, map)
        appendIdentifiers(to: &packet, map)
        let length = packet.count - start - 4
        if length == 0 {
            packet.removeLast(4)
            return
        }
        let words = (length + 3) / 4
        packet.append(contentsOf: repeatElement(0, count: words * 4 - length))
        packet.set(u16: UInt16(words), at: start + 2)
    }

    private func appendTiming(to packet: inout [UInt8], _ map: ExtensionMap) {
        if let value = absoluteSendTime, let id = map.id(of: .absoluteSendTime) {
            packet.append(Self.element(id, 3))
            packet.append(u24: value.bits)
        }
        if let value = transportSequenceNumber, let id = map.id(of: .transportSequenceNumber) {
            packet.append(Self.element(id, 2))
            packet.append(u16: value)
        }
        if let value = transmissionOffset, let id = map.id(of: .transmissionOffset) {
            packet.append(Self.element(id, 3))
            packet.append(u24: UInt32(bitPattern: value) & 0xff_ffff)
        }
        if let value = absoluteCaptureTime, let id = map.id(of: .absoluteCaptureTime) {
            packet.append(Self.element(id, value.estimatedClockOffset == nil ? 8 : 16))
            packet.append(u64: value.captured.bits)
            if let offset = value.estimatedClockOffset { packet.append(u64: UInt64(bitPattern: offset)) }
        }
    }

    private func appendDescription(to packet: inout [UInt8], _ map: ExtensionMap) {
        if let value = playoutDelay, let id = map.id(of: .playoutDelay) {
            packet.append(Self.element(id, 3))
            packet.append(u24: value.bits)
        }
        Self.append(videoContentType?.rawValue, .videoContentType, to: &packet, map)
        Self.append(videoOrientation?.byte, .videoOrientation, to: &packet, map)
        Self.append(audioLevel?.byte, .audioLevel, to: &packet, map)
    }

    private func appendIdentifiers(to packet: inout [UInt8], _ map: ExtensionMap) {
        Self.append(mid, .mid, to: &packet, map)
        Self.append(rtpStreamID, .rtpStreamID, to: &packet, map)
        Self.append(repairedRTPStreamID, .repairedRTPStreamID, to: &packet, map)
    }

    private static func append(
        _ value: UInt8?, _ kind: HeaderExtension, to packet: inout [UInt8], _ map: ExtensionMap
    ) {
        guard let value, let id = map.id(of: kind) else { return }
        packet.append(element(id, 1))
        packet.append(value)
    }

    private static func append(
        _ text: String?, _ kind: HeaderExtension, to packet: inout [UInt8], _ map: ExtensionMap
    ) {
        guard let utf8 = text?.utf8, (1...16).contains(utf8.count), let id = map.id(of: kind) else { return }
        packet.append(element(id, utf8.count))
        packet.append(contentsOf: utf8)
    }

    /// "The 4-bit length is the number, minus one, of data bytes."
    private static func element(_ id: UInt8, _ length: Int) -> UInt8 {
        id << 4 | UInt8(truncatingIfNeeded: length - 1)
    }
}
