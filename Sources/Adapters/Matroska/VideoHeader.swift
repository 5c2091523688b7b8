import RTP

/// What a video track says of itself, from the stream's first keyframe.
struct VideoHeader {
    /// The keyframe's parameter sets behind start codes.
    let parameterSets: [UInt8]
    let width: Int
    let height: Int

    init(keyframe annexB: [UInt8]) throws(ContainerError) {
        let nalUnits = AnnexB.split(annexB)
        func all(_ type: NALUnitType) -> [Range<Int>] {
            nalUnits.filter { NALUnitType(header: annexB[$0.lowerBound]) == type }
        }
        let sequence = all(.sequenceParameterSet)
        let picture = all(.pictureParameterSet)
        guard let first = sequence.first, 1...Limits.sequenceParameterSets ~= sequence.count,
            1...Limits.pictureParameterSets ~= picture.count
        else { throw .noParameterSets }
        do throws(H264SyntaxError) {
            let set = try SequenceParameterSet(annexB, nalUnit: first)
            (width, height) = (set.width, set.height)
        } catch {
            throw .unreadableParameterSets(error)
        }
        var bytes: [UInt8] = []
        AnnexB.append(annexB, nalUnits: sequence + picture, to: &bytes)
        parameterSets = bytes
    }
}
