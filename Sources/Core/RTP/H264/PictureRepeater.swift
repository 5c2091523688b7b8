/// Follows a stream and makes units that repeat its last picture, for a sharer whose screen is still and for a writer
/// that keeps a constant frame rate.
package struct PictureRepeater: Sendable {
    /// A unit made here: NAL units without start codes.
    package struct Unit: Hashable, Sendable {
        package var bytes: [UInt8]
        package var nalUnits: [Range<Int>]
    }

    private var sets = ParameterSets()
    /// A slice of the last reference picture, and whether it is what a decoder shows now.
    private var lastReference: SliceHeader?
    private var isShown = false

    package init() {}

    /// Takes note of a unit of the stream (not of one made here), with every NAL unit in decoding order.
    package mutating func observe(_ bytes: [UInt8], nalUnits: [Range<Int>]) throws(H264SyntaxError) {
        var isFirstSlice = true
        for nalUnit in nalUnits where !nalUnit.isEmpty && nalUnit.lowerBound >= 0 && nalUnit.upperBound <= bytes.count {
            try sets.read(bytes, nalUnit: nalUnit)
            if isFirstSlice, NALUnitType(header: bytes[nalUnit.lowerBound]).hasSliceHeader {
                isFirstSlice = false
                try observe(slice: nalUnit, of: bytes)
            }
        }
    }

    private mutating func observe(slice: Range<Int>, of bytes: [UInt8]) throws(H264SyntaxError) {
        let wasShown = isShown
        isShown = false  // What cannot be read cannot be repeated either.
        let header = try SliceHeader(bytes, nalUnit: slice, sets: sets)
        if header.isReference {
            lastReference = header
            // List 0 begins with the newest short-term reference.
            isShown = !header.marking.resetsFrameNum && !header.marking.isLongTerm
        } else {
            // A sharer's own repetition shows the reference still.
            isShown = wasShown && isRepetition(bytes[slice], header)
        }
    }

    /// Whether a slice is the one that would be made here.
    private func isRepetition(_ slice: ArraySlice<UInt8>, _ header: SliceHeader) -> Bool {
        guard let lastReference, let active = sets.active(pictureParameterSet: header.pictureParameterSetID),
            let skip = try? SkipSlice(sequence: active.sequence, picture: active.picture, ownID: 0),
            skip.pictureParameterSet == nil
        else { return false }
        return slice.elementsEqual(skip.nalUnit(repeating: lastReference))
    }

    /// A unit that shows the last picture once more and leaves no trace in the decoder.
    package func makeUnit() throws(SkipSliceError) -> Unit {
        guard let last = lastReference, let active = sets.active(pictureParameterSet: last.pictureParameterSetID),
            let ownID = sets.freePictureParameterSetID
        else { throw .noPicture }
        guard isShown else { throw .notAReference }
        let slice = try SkipSlice(sequence: active.sequence, picture: active.picture, ownID: ownID)
        var unit = Unit(bytes: [], nalUnits: [])
        for nalUnit in [slice.pictureParameterSet ?? [], slice.nalUnit(repeating: last)] where !nalUnit.isEmpty {
            let start = unit.bytes.count
            unit.bytes += nalUnit
            unit.nalUnits.append(start..<unit.bytes.count)
        }
        return unit
    }

    /// Forgets everything: what follows is another stream.
    package mutating func reset() {
        self = PictureRepeater()
    }
}
