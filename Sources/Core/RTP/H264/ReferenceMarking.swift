/// What a slice header says about the reference its picture becomes (`dec_ref_pic_marking()`, ITU-T H.264 § 7.3.3.3),
/// as far as it bears on the pictures that follow.
package struct ReferenceMarking: Hashable, Sendable {
    /// Memory management control operation 5: all references go, and the picture counts as `frame_num` 0.
    var resetsFrameNum = false
    /// Operation 6: the picture becomes a long-term reference, which is not the first entry of list 0.
    var isLongTerm = false

    init() {}

    /// Reads from behind the picture order to the marking.
    init(
        _ reader: inout BitReader, _ header: SliceHeader, _ sequence: SequenceParameterSet,
        _ picture: PictureParameterSet
    ) throws(H264SyntaxError) {
        if picture.hasRedundantPictureCount { _ = try reader.unsigned(upTo: 127) }
        var lists = ReferenceLists(header.kind, picture)
        if header.kind == .b { try reader.skip(1) }  // direct_spatial_mv_pred_flag
        try lists.readCounts(&reader)
        try lists.skipModifications(&reader)
        if lists.areWeighted { try lists.skipWeights(&reader, hasChroma: sequence.chromaArrayType != 0) }
        if header.isIDR {
            try reader.skip(2)  // no_output_of_prior_pics_flag, long_term_reference_flag
        } else if try reader.flag() {
            try readOperations(&reader)
        }
    }

    /// Table 7-9.
    private mutating func readOperations(_ reader: inout BitReader) throws(H264SyntaxError) {
        // No more than there are references, and two fields of each.
        for _ in 0...Limits.referenceOperations {
            switch try reader.unsigned(upTo: 6) {
            case 0: return
            case 3:
                _ = try reader.unsigned()
                _ = try reader.unsigned()
            case 5: resetsFrameNum = true
            case 6:
                isLongTerm = true
                _ = try reader.unsigned()
            default: _ = try reader.unsigned()
            }
        }
        throw .outOfRange
    }
}

/// The reference lists a slice uses: none (I, SI), list 0 (P, SP) or both (B).
private struct ReferenceLists {
    private var counts: [Int]
    let areWeighted: Bool

    init(_ kind: SliceHeader.Kind, _ picture: PictureParameterSet) {
        switch kind {
        case .i, .si:
            (counts, areWeighted) = ([], false)
        case .p, .sp:
            (counts, areWeighted) = ([picture.defaultReferencesL0], picture.hasWeightedPrediction)
        case .b:
            counts = [picture.defaultReferencesL0, picture.defaultReferencesL1]
            areWeighted = picture.weightedBipredictionIDC == 1
        }
    }

    /// `num_ref_idx_active_override_flag` and what follows it.
    mutating func readCounts(_ reader: inout BitReader) throws(H264SyntaxError) {
        guard !counts.isEmpty, try reader.flag() else { return }
        for list in counts.indices { counts[list] = try reader.unsigned(upTo: 31) + 1 }
    }

    /// `ref_pic_list_modification()` (§ 7.3.3.1).
    func skipModifications(_ reader: inout BitReader) throws(H264SyntaxError) {
        for _ in counts where try reader.flag() {
            var operations = 0
            while try reader.unsigned(upTo: 3) != 3 {
                _ = try reader.unsigned()
                operations += 1
                guard operations <= Limits.referenceOperations else { throw .outOfRange }
            }
        }
    }

    /// `pred_weight_table()` (§ 7.3.3.2).
    func skipWeights(_ reader: inout BitReader, hasChroma: Bool) throws(H264SyntaxError) {
        _ = try reader.unsigned(upTo: 7)
        if hasChroma { _ = try reader.unsigned(upTo: 7) }
        for count in counts {
            for _ in 0..<count {
                let luma = try reader.flag() ? 2 : 0
                for _ in 0..<luma { _ = try reader.signed() }
                let chroma = hasChroma ? (try reader.flag() ? 4 : 0) : 0
                for _ in 0..<chroma { _ = try reader.signed() }
            }
        }
    }
}
