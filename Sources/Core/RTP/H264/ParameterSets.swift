/// The parameter sets a stream has sent, as a decoder keeps them: the newest of each id.
package struct ParameterSets: Sendable {
    /// Ids are checked when a set is parsed, so there are never more than `Limits` allows.
    private var sequence: [Int: SequenceParameterSet] = [:]
    private var picture: [Int: PictureParameterSet] = [:]

    package init() {}

    /// Takes a parameter set; NAL units of other types are passed over.
    package mutating func read(_ bytes: [UInt8], nalUnit: Range<Int>) throws(H264SyntaxError) {
        guard !nalUnit.isEmpty, bytes.indices.contains(nalUnit.lowerBound) else { throw .truncated }
        let type = NALUnitType(header: bytes[nalUnit.lowerBound])
        if type == .sequenceParameterSet {
            let set = try SequenceParameterSet(bytes, nalUnit: nalUnit)
            sequence[set.id] = set
        } else if type == .pictureParameterSet {
            let set = try PictureParameterSet(bytes, nalUnit: nalUnit)
            picture[set.id] = set
        }
    }

    func sequenceParameterSet(_ id: Int) -> SequenceParameterSet? { sequence[id] }
    func pictureParameterSet(_ id: Int) -> PictureParameterSet? { picture[id] }

    /// Both sets that a slice with this picture parameter set refers to.
    package func active(
        pictureParameterSet id: Int
    ) -> (sequence: SequenceParameterSet, picture: PictureParameterSet)? {
        guard let picture = picture[id], let sequence = sequence[picture.sequenceParameterSetID] else { return nil }
        return (sequence, picture)
    }

    /// The smallest id that no picture parameter set of the stream has.
    var freePictureParameterSetID: Int? {
        (0..<Limits.pictureParameterSets).first { picture[$0] == nil }
    }
}
