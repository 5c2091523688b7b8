/// The byte stream format (ITU-T H.264 annex B): NAL units behind start codes.
package enum AnnexB {
    /// Where the NAL units lie, without start codes and the zero bytes around them. What precedes the first start code
    /// belongs to none.
    package static func split(_ bytes: [UInt8]) -> [Range<Int>] {
        var nalUnits: [Range<Int>] = []
        var start: Int?
        var index = 0
        while index + 2 < bytes.count {
            // The third byte decides how far no start code can begin.
            if bytes[index + 2] > 1 {
                index += 3
            } else if bytes[index] == 0, bytes[index + 1] == 0, bytes[index + 2] == 1 {
                add(bytes, start, index, to: &nalUnits)
                index += 3
                start = index
            } else {
                index += 1
            }
        }
        add(bytes, start, bytes.count, to: &nalUnits)
        return nalUnits
    }

    /// A NAL unit never ends in a zero byte (§ 7.4.1): zeros at its end belong to the next start code or are
    /// `trailing_zero_8bits`.
    private static func add(_ bytes: [UInt8], _ start: Int?, _ limit: Int, to nalUnits: inout [Range<Int>]) {
        guard let start else { return }
        var end = limit
        while end > start, bytes[end - 1] == 0 { end -= 1 }
        if end > start { nalUnits.append(start..<end) }
    }

    /// Appends NAL units behind start codes of four bytes, which every reader takes (§ B.1.2 demands them at least for
    /// parameter sets and the first NAL unit of an access unit).
    package static func append(_ bytes: [UInt8], nalUnits: [Range<Int>], to stream: inout [UInt8]) {
        for nalUnit in nalUnits where nalUnit.lowerBound >= 0 && nalUnit.upperBound <= bytes.count {
            stream.append(contentsOf: [0, 0, 0, 1])
            stream.append(contentsOf: bytes[nalUnit])
        }
    }
}
