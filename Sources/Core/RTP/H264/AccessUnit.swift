/// One access unit as it was received: NAL units without start codes, in decoding order.
package struct AccessUnit: Hashable, Sendable {
    package var bytes: [UInt8]
    /// Where each NAL unit lies in `bytes`; never empty ranges.
    package var nalUnits: [Range<Int>]
    /// The RTP timestamp.
    package var timestamp: UInt32
    /// Holds an IDR picture.
    package var isKeyframe: Bool
    /// False where a part of it is known or likely to be missing: a decoder would show damage.
    package var isComplete: Bool
    /// Packets that went missing since the unit before: of this one, or whole units between the two.
    package var packetsLostBefore: Int

    package init(
        bytes: [UInt8], nalUnits: [Range<Int>], timestamp: UInt32, isKeyframe: Bool, isComplete: Bool,
        packetsLostBefore: Int = 0
    ) {
        self.bytes = bytes
        self.nalUnits = nalUnits
        self.timestamp = timestamp
        self.isKeyframe = isKeyframe
        self.isComplete = isComplete
        self.packetsLostBefore = packetsLostBefore
    }

    /// Parameter sets that came by another way than RTP, without a picture; nil where there are none.
    package init?(parameterSets sets: [[UInt8]]) {
        self.init(bytes: [], nalUnits: [], timestamp: 0, isKeyframe: false, isComplete: true)
        for set in sets {
            guard let header = set.first, NALUnitType(header: header).isParameterSet else { continue }
            nalUnits.append(bytes.count..<bytes.count + set.count)
            bytes += set
        }
        if nalUnits.isEmpty { return nil }
    }

    package func type(of nalUnit: Range<Int>) -> NALUnitType { NALUnitType(header: bytes[nalUnit.lowerBound]) }
}
