/// Watches that every picture a viewer passes on can be decoded: its references were all there.
///
///     broken ──complete IDR──► intact
///     intact ──incomplete reference, gap in frame_num, losses that may hide a keyframe, unreadable slice──► broken
///
/// While broken, everything up to the next IDR is skipped.
package struct ReferenceChain: Sendable {
    package enum Verdict: Hashable, Sendable {
        case decodable
        case skip(Reason)
    }

    package enum Reason: Hashable, Sendable {
        /// A part of the unit is missing.
        case incomplete
        /// A reference is missing that came before it, or the stream was joined in its middle.
        case missingReference
        /// Its parameter sets never came, or its slice header makes no sense.
        case unreadable
    }

    private enum State: Hashable, Sendable {
        case broken
        /// With `frame_num` of the last reference picture (`PrevRefFrameNum`, § 7.4.3).
        case intact(previousReferenceFrameNum: Int)
    }

    private var sets = ParameterSets()
    private var state = State.broken
    /// Packets that were lost before what was skipped and breaks nothing.
    private var lost = 0

    package init() {}

    /// Nothing can be decoded before the next IDR picture.
    package var needsKeyframe: Bool { state == .broken }

    /// Judges the next unit, in decoding order. Every unit that arrives goes through here.
    package mutating func judge(_ unit: AccessUnit) -> Verdict {
        for nalUnit in unit.nalUnits {
            // A set that cannot be read is one that is missing: its slices will tell.
            try? sets.read(unit.bytes, nalUnit: nalUnit)
        }
        guard unit.isComplete else { return damaged(unit) }
        guard let slice = unit.nalUnits.first(where: { unit.type(of: $0).isPicture }) else {
            // Parameter sets or supplemental information alone need no reference.
            return .decodable
        }
        do {
            let header = try SliceHeader(unit.bytes, nalUnit: slice, sets: sets)
            defer { lost = 0 }
            return judge(header, lost: lost + unit.packetsLostBefore)
        } catch {
            state = .broken
            return .skip(.unreadable)
        }
    }

    /// An incomplete unit is never passed on; it breaks the chain unless it is known to be no reference.
    private mutating func damaged(_ unit: AccessUnit) -> Verdict {
        let slice = unit.nalUnits.first { unit.type(of: $0).isPicture }
        let isDispensable = slice.map { unit.bytes[$0.lowerBound] & NALUnitHeader.referenceBits == 0 } ?? false
        if isDispensable { lost += unit.packetsLostBefore } else { state = .broken }
        return .skip(.incomplete)
    }

    private mutating func judge(_ header: SliceHeader, lost: Int) -> Verdict {
        if header.isIDR {
            state = .intact(previousReferenceFrameNum: header.frameNum)
            return .decodable
        }
        guard case .intact(let previous) = state else { return .skip(.missingReference) }
        guard continues(header, after: previous, lost: lost) else {
            state = .broken
            return .skip(.missingReference)
        }
        if header.isReference {
            // "… memory_management_control_operation equal to 5: PrevRefFrameNum is set equal to 0" (§ 7.4.3).
            state = .intact(previousReferenceFrameNum: header.marking.resetsFrameNum ? 0 : header.frameNum)
        }
        return .decodable
    }

    /// Whether no reference picture is missing between the one numbered `previous` and this one (§ 7.4.3).
    private func continues(_ header: SliceHeader, after previous: Int, lost: Int) -> Bool {
        guard let sequence = sets.active(pictureParameterSet: header.pictureParameterSetID)?.sequence else {
            return false
        }
        // More packets may have been a keyframe, which fits one, and what brought frame_num back to here; or a whole round.
        guard lost <= previous else { return false }
        if header.frameNum == (previous + 1) % sequence.maxFrameNum { return true }
        // The second field of a frame has the first one's number.
        if header.isField, header.frameNum == previous { return true }
        // Where gaps are allowed, one without loss was made on purpose (dropped temporal layers).
        return sequence.gapsInFrameNumAllowed && lost == 0
    }
}
