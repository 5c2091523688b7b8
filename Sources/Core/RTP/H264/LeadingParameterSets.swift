/// Parameter sets that came without a picture wait for the next one, the newest of each id.
///
/// Some senders give them a unit of their own, by a marker or by a timestamp. It shows nothing, and takes no time; and what
/// is joined or written at a keyframe needs them with it.
package struct LeadingParameterSets: Sendable {
    private struct Key: Hashable, Sendable {
        let type: NALUnitType
        let id: Int
    }

    /// In the order in which their ids came.
    private var sets: [(key: Key, bytes: [UInt8])] = []

    package init() {}

    /// - Returns: the unit with what waited for it, and its own parameter sets, in front of its slices; nil where it has no
    ///   picture. What else such a unit holds belongs to no picture, and is left out.
    package mutating func lead(_ unit: AccessUnit) -> AccessUnit? {
        guard unit.nalUnits.contains(where: { unit.type(of: $0).isPicture }) else {
            for nalUnit in unit.nalUnits where unit.type(of: nalUnit).isParameterSet { hold(Array(unit.bytes[nalUnit])) }
            return nil
        }
        let nalUnits = Self.setsFirst(in: unit)
        if sets.isEmpty, nalUnits == unit.nalUnits { return unit }
        var whole = unit
        (whole.bytes, whole.nalUnits) = ([], [])
        for content in sets.map({ $0.bytes[...] }) + nalUnits.map({ unit.bytes[$0] }) {
            whole.nalUnits.append(whole.bytes.count..<whole.bytes.count + content.count)
            whole.bytes += content
        }
        sets = []
        return whole
    }

    /// One behind a slice would begin another access unit (ITU-T H.264 § 7.4.1.2.3), and the picture fall in two: GStreamer's
    /// payloader puts them before each slice of a keyframe.
    private static func setsFirst(in unit: AccessUnit) -> [Range<Int>] {
        let slices = unit.nalUnits.firstIndex { unit.type(of: $0).isPicture } ?? unit.nalUnits.endIndex
        let late = unit.nalUnits[slices...].filter { unit.type(of: $0).isParameterSet }
        if late.isEmpty { return unit.nalUnits }
        return unit.nalUnits[..<slices] + late + unit.nalUnits[slices...].filter { !unit.type(of: $0).isParameterSet }
    }

    /// In the place of the one before it: a picture parameter set stays behind the sequence parameter set that it names.
    private mutating func hold(_ set: [UInt8]) {
        guard let key = Self.key(of: set), set.count <= Limits.leadingParameterSetBytes else { return }
        if let index = sets.firstIndex(where: { $0.key == key }) {
            sets[index].bytes = set
        } else {
            sets.append((key, set))
        }
        if sets.reduce(0, { $0 + $1.bytes.count }) > Limits.leadingParameterSetBytes { sets = [(key, set)] }
    }

    /// What a decoder tells it from others by; nil where that can't be read.
    private static func key(of set: [UInt8]) -> Key? {
        guard let header = set.first else { return nil }
        let type = NALUnitType(header: header)
        var reader = BitReader(EmulationPrevention.rbsp(set, set.indices, limit: idBytes))
        do throws(H264SyntaxError) {
            if type == .sequenceParameterSet { try reader.skip(24) }
            return try Key(type: type, id: reader.unsigned(upTo: UInt32(Limits.pictureParameterSets - 1)))
        } catch {
            return nil
        }
    }

    /// Profile, constraints and level, and an id of 17 bits (ITU-T H.264 § 7.3.2.1.1), with what prevents emulation.
    private static let idBytes = 8
}
