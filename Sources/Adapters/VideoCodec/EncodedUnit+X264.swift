import CX264
import Media

extension EncodedUnit {
    /// Copies what is to be sent: parameter sets and slices, not x264's note about itself.
    init(
        _ units: UnsafeBufferPointer<x264_nal_t>, capacity: Int, _ request: X264Encoder.Request, isKeyframe: Bool,
        quantiser: Int
    ) {
        self.init(
            bytes: [], nalUnits: [], mediaTime: request.mediaTime, capturedAt: request.capturedAt,
            isKeyframe: isKeyframe, isReference: false, quantiser: Double(quantiser))
        bytes.reserveCapacity(capacity)
        let sent = [NAL_SLICE, NAL_SLICE_IDR, NAL_SPS, NAL_PPS].map { Int32($0.rawValue) }
        for nal in units where sent.contains(nal.i_type) {
            // Four bytes of length come first.
            guard let payload = nal.p_payload, nal.i_payload > Self.lengthBytes else { continue }
            let start = bytes.count
            bytes += UnsafeBufferPointer(
                start: payload + Self.lengthBytes, count: Int(nal.i_payload) - Self.lengthBytes)
            nalUnits.append(start..<bytes.count)
            if nal.i_ref_idc != 0 { isReference = true }
        }
    }

    private static let lengthBytes = 4
}
