import Datagrams
import Timebase

/// `packetization-mode` (RFC 6184 § 6).
package enum PacketizationMode: UInt8, Hashable, Sendable {
    /// Mode 0: every NAL unit in a packet of its own.
    case singleNALUnit = 0
    /// Mode 1: also STAP-A and FU-A.
    case nonInterleaved = 1
}

/// Why an access unit cannot be packetized.
package enum H264PacketizerError: Error, Hashable, Sendable {
    /// Mode 0 cannot carry a NAL unit larger than a payload.
    case nalUnitTooLarge(bytes: Int)
    /// Empty, outside the bytes, or of a type that RFC 6184 uses for its own structures.
    case notANALUnit
}

/// Cuts access units into RTP payloads (RFC 6184 § 5.6 to § 5.8).
package struct H264Packetizer: Sendable {
    package let mode: PacketizationMode
    package let maximumPayloadSize: Int

    /// - Parameter maximumPayloadSize: raised to `Limits.smallestPayloadSize` where it is less.
    package init(mode: PacketizationMode, maximumPayloadSize: Int = Limits.defaultPayloadSize) {
        self.mode = mode
        self.maximumPayloadSize = max(Limits.smallestPayloadSize, maximumPayloadSize)
    }

    /// - Parameter nalUnits: where the NAL units lie in `bytes`, without start codes, in decoding order.
    package func packetize(
        _ bytes: [UInt8], nalUnits: [Range<Int>], mediaTime: MediaTime, capturedAt: Instant, isKeyframe: Bool,
        isReference: Bool, isRefinement: Bool = false, keyframeInterval: Duration = .seconds(1)
    ) throws(H264PacketizerError) -> PacketizedUnit {
        var output = Output()
        output.bytes.reserveCapacity(bytes.count + bytes.count / 64 + 64)
        var index = 0
        while index < nalUnits.count {
            index += try packetize(bytes, nalUnits[index...], into: &output)
        }
        return PacketizedUnit(
            bytes: output.bytes, payloads: output.payloads, mediaTime: mediaTime, capturedAt: capturedAt,
            isKeyframe: isKeyframe, isReference: isReference, isRefinement: isRefinement,
            keyframeInterval: keyframeInterval)
    }

    private struct Output {
        var bytes: [UInt8] = []
        var payloads: [Range<Int>] = []
        private var start = 0

        mutating func endPayload() {
            payloads.append(start..<bytes.count)
            start = bytes.count
        }
    }

    /// Packetizes the first NAL unit, with those after it where they fit one packet; says how many.
    private func packetize(
        _ bytes: [UInt8], _ nalUnits: ArraySlice<Range<Int>>, into output: inout Output
    ) throws(H264PacketizerError) -> Int {
        for nalUnit in nalUnits.prefix(1) { try Self.check(bytes, nalUnit) }
        guard let first = nalUnits.first else { return 0 }
        if first.count > maximumPayloadSize {
            guard mode == .nonInterleaved else { throw .nalUnitTooLarge(bytes: first.count) }
            appendFragments(bytes, first, to: &output)
            return 1
        }
        let aggregated = mode == .nonInterleaved ? aggregateCount(nalUnits) : 1
        if aggregated < 2 {
            output.bytes.append(contentsOf: bytes[first])
        } else {
            for nalUnit in nalUnits.prefix(aggregated) { try Self.check(bytes, nalUnit) }
            Self.appendAggregate(bytes, nalUnits.prefix(aggregated), to: &output)
        }
        output.endPayload()
        return aggregated
    }

    private static func check(_ bytes: [UInt8], _ nalUnit: Range<Int>) throws(H264PacketizerError) {
        guard nalUnit.lowerBound >= 0, nalUnit.upperBound <= bytes.count, !nalUnit.isEmpty,
            NALUnitType(header: bytes[nalUnit.lowerBound]).isSingleNALUnit
        else { throw .notANALUnit }
    }

    /// How many NAL units fit one STAP-A: one byte of header, two of size before each (§ 5.7.1); at least 1.
    private func aggregateCount(_ nalUnits: ArraySlice<Range<Int>>) -> Int {
        var size = 1
        var count = 0
        for nalUnit in nalUnits.prefix(Limits.nalUnitsPerAggregate) {
            size += 2 + nalUnit.count
            guard size <= maximumPayloadSize, nalUnit.count <= Int(UInt16.max) else { break }
            count += 1
        }
        return max(1, count)
    }

    /// § 5.7.1. F is the OR, NRI the maximum of what is aggregated (§ 5.7).
    private static func appendAggregate(
        _ bytes: [UInt8], _ nalUnits: ArraySlice<Range<Int>>, to output: inout Output
    ) {
        let header = output.bytes.count
        output.bytes.append(NALUnitType.stapA.rawValue)
        var reference: UInt8 = 0
        for nalUnit in nalUnits {
            let first = bytes[nalUnit.lowerBound]
            output.bytes[header] |= first & NALUnitHeader.forbiddenBit
            reference = max(reference, first & NALUnitHeader.referenceBits)
            output.bytes.append(u16: UInt16(nalUnit.count))
            output.bytes.append(contentsOf: bytes[nalUnit])
        }
        output.bytes[header] |= reference
    }

    /// § 5.8: two bytes before each fragment; the NAL unit's own header is not among the fragments. All fragments have
    /// the same size, but for the last one, which may be smaller by a few bytes: kernel segmentation wants it so.
    private func appendFragments(_ bytes: [UInt8], _ nalUnit: Range<Int>, to output: inout Output) {
        let header = bytes[nalUnit.lowerBound]
        let largest = maximumPayloadSize - 2
        let total = nalUnit.count - 1
        let count = (total + largest - 1) / largest
        let size = (total + count - 1) / count
        var start = nalUnit.lowerBound + 1
        while start < nalUnit.upperBound {
            let end = min(start + size, nalUnit.upperBound)
            output.bytes.append(header & ~NALUnitHeader.typeBits | NALUnitType.fuA.rawValue)
            output.bytes.append(
                (start == nalUnit.lowerBound + 1 ? FragmentHeader.startBit : 0)
                    | (end == nalUnit.upperBound ? FragmentHeader.endBit : 0) | header & NALUnitHeader.typeBits)
            output.bytes.append(contentsOf: bytes[start..<end])
            output.endPayload()
            start = end
        }
    }
}

/// The second byte of a FU-A (RFC 6184 § 5.8).
enum FragmentHeader {
    static let startBit: UInt8 = 0x80
    static let endBit: UInt8 = 0x40
}
