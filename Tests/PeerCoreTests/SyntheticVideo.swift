import RTP
import Timebase

/// H.264 units that a depacketizer and a reference chain take seriously, without an encoder: true parameter sets and
/// slice headers, then filler.
struct SyntheticVideo {
    private let packetizer = H264Packetizer(mode: .nonInterleaved)
    private var frameNum = 0
    private var index: Int64 = 0
    /// The NAL units of the newest, one behind the other.
    private(set) var newest: [UInt8] = []

    /// Constrained baseline, 64×64, log2_max_frame_num 8, POC type 2; made by hand (ITU-T H.264 § 7.3.2.1).
    private static let sps: [UInt8] = {
        var bits = Bits()
        bits.put(66, 8)
        bits.put(0xC0, 8)
        bits.put(30, 8)
        bits.ue(0)
        bits.ue(4)  // log2_max_frame_num_minus4
        bits.ue(2)  // pic_order_cnt_type
        bits.ue(1)  // max_num_ref_frames
        bits.put(0, 1)
        bits.ue(3)
        bits.ue(3)
        bits.put(1, 1)  // frame_mbs_only_flag
        bits.put(1, 1)
        bits.put(0, 1)
        bits.put(0, 1)
        return bits.nalUnit(0x67)
    }()

    private static let pps: [UInt8] = {
        var bits = Bits()
        bits.ue(0)
        bits.ue(0)
        bits.put(0, 1)  // CAVLC
        bits.put(0, 1)
        bits.ue(0)
        bits.ue(0)
        bits.ue(0)
        bits.put(0, 1)
        bits.put(0, 2)
        bits.ue(0)
        bits.ue(0)
        bits.ue(0)
        bits.put(0, 1)
        bits.put(0, 1)
        bits.put(0, 1)
        return bits.nalUnit(0x68)
    }()

    /// The next unit of about `size` bytes, at 30 fps where no time is named.
    mutating func next(
        keyframe: Bool, size: Int, capturedAt: Instant, ticks: Int64? = nil, isRefinement: Bool = false,
        isReference: Bool = true
    ) -> PacketizedUnit {
        if keyframe { frameNum = 0 } else { frameNum = (frameNum + 1) % 256 }
        var bits = Bits()
        bits.ue(0)
        bits.ue(keyframe ? 7 : 5)
        bits.ue(0)
        bits.put(UInt32(frameNum), 8)
        if keyframe {
            bits.ue(0)  // idr_pic_id
            bits.put(0, 2)  // no_output_of_prior_pics_flag, long_term_reference_flag
        } else {
            bits.put(0, 1)  // num_ref_idx_active_override_flag
            bits.put(0, 1)  // ref_pic_list_modification_flag_l0
            bits.put(0, 1)  // adaptive_ref_pic_marking_mode_flag
        }
        bits.ue(0)  // slice_qp_delta
        var nalUnits = keyframe ? [Self.sps, Self.pps] : []
        let filler = (0..<size).map { UInt8(truncatingIfNeeded: Int64($0) &* 7 &+ index) | 0x11 }
        nalUnits.append(bits.nalUnit(keyframe ? 0x65 : 0x61) + filler)
        var bytes: [UInt8] = []
        var ranges: [Range<Int>] = []
        for nalUnit in nalUnits {
            ranges.append(bytes.count..<(bytes.count + nalUnit.count))
            bytes += nalUnit
        }
        newest = bytes
        defer { index += 1 }
        guard
            let unit = try? packetizer.packetize(
                bytes, nalUnits: ranges, mediaTime: MediaTime(ticks: ticks ?? index * 3000), capturedAt: capturedAt,
                isKeyframe: keyframe, isReference: isReference, isRefinement: isRefinement)
        else { preconditionFailure("these NAL units are well formed") }
        return unit
    }
}

/// Bits and Exp-Golomb codes (§ 9.1), written once more so that the tests do not lean on what they test.
private struct Bits {
    private var bits: [Bool] = []

    mutating func put(_ value: UInt32, _ count: Int) {
        for shift in (0..<count).reversed() { bits.append(value >> UInt32(shift) & 1 == 1) }
    }

    mutating func ue(_ value: UInt32) {
        let code = value + 1
        let length = 32 - code.leadingZeroBitCount
        put(0, length - 1)
        put(code, length)
    }

    func nalUnit(_ header: UInt8) -> [UInt8] {
        var padded = bits + [true]
        while padded.count % 8 != 0 { padded.append(false) }
        return [header]
            + stride(from: 0, to: padded.count, by: 8).map { start in
                padded[start..<(start + 8)].reduce(UInt8(0)) { $0 << 1 | ($1 ? 1 : 0) }
            }
    }
}
