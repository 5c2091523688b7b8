import CX264
import Media
import Timebase

extension X264Configuration {
    /// x264's parameters for a live screen: no delay, no B-frames, keyframes only on demand, quantisers from outside.
    func parameters(level: H264Level) throws(CodecError) -> x264_param_t {
        var parameters = x264_param_t()
        guard x264_param_default_preset(&parameters, preset.name, "zerolatency") == 0 else {
            throw .unsupportedParameters("x264 has no preset \(preset.name).")
        }
        setPicture(&parameters, level)
        setStream(&parameters)
        setSearch(&parameters)
        setQuantisers(&parameters)
        guard x264_param_apply_profile(&parameters, profile == .high ? "high" : "baseline") == 0 else {
            throw .unsupportedParameters("x264 has no such profile.")
        }
        return parameters
    }

    private func setPicture(_ parameters: inout x264_param_t, _ level: H264Level) {
        parameters.i_width = Int32(size.width)
        parameters.i_height = Int32(size.height)
        parameters.i_csp = X264_CSP_I420
        parameters.i_bitdepth = 8
        parameters.i_level_idc = Int32(level.identifier)
        // A fixed frame rate: num_units_in_tick and time_scale come from these (ITU-T H.264 § E.2.1).
        parameters.b_vfr_input = 0
        parameters.i_fps_num = UInt32(clamping: frameRate.numerator)
        parameters.i_fps_den = UInt32(clamping: frameRate.denominator)
        parameters.i_timebase_num = parameters.i_fps_den
        parameters.i_timebase_den = parameters.i_fps_num
        // BT.709, limited range (tables E-3 to E-5: 1 each), chroma in the centre of its pixels (figure E-1: 1).
        parameters.vui.b_fullrange = 0
        parameters.vui.i_colorprim = 1
        parameters.vui.i_transfer = 1
        parameters.vui.i_colmatrix = 1
        parameters.vui.i_chroma_loc = 1
    }

    private func setStream(_ parameters: inout x264_param_t) {
        parameters.i_threads = Int32(threads)
        parameters.i_lookahead_threads = 1
        parameters.b_sliced_threads = threads > 1 ? 1 : 0
        parameters.i_sync_lookahead = 0
        parameters.i_keyint_max = 1 << 30
        // An I picture stays one: after so many pictures x264 makes it an IDR, and all references are gone.
        parameters.i_keyint_min = parameters.i_keyint_max / 2
        parameters.i_scenecut_threshold = 0
        parameters.b_intra_refresh = 0
        parameters.i_bframe = 0
        parameters.i_frame_reference = Int32(references)
        parameters.b_repeat_headers = 1
        parameters.b_aud = 0
        // Lengths of four bytes in place of start codes.
        parameters.b_annexb = 0
        if case .fitting(let payload) = slices {
            // Counted with the four bytes of length.
            parameters.i_slice_max_size = Int32(payload + 4)
        }
    }

    private func setSearch(_ parameters: inout x264_param_t) {
        // Keyframes with predictions of 4 by 4 pixels: a seventh fewer bits for text, and nothing dearer.
        parameters.analyse.intra |= UInt32(X264_ANALYSE_I4x4)
        parameters.analyse.b_mb_info = 1
        preset.apply(to: &parameters, isWide: preset > .minimal)
        // Screens don't fade.
        parameters.analyse.i_weighted_pred = Int32(X264_WEIGHTP_NONE)
        // What looks like grain is a letter's edge.
        parameters.analyse.f_psy_rd = 0
        if profile == .high {
            parameters.b_cabac = 1
            parameters.analyse.b_transform_8x8 = 1
        }
    }

    /// Constant quantisers, which `QuantiserControl` sets for each picture: x264's own rate control looks at each
    /// picture beforehand, and that costs two fifths of the work. The factors only open the range from 8 to 51.
    private func setQuantisers(_ parameters: inout x264_param_t) {
        parameters.rc.i_rc_method = X264_RC_CQP
        parameters.rc.i_qp_constant = 32
        parameters.rc.f_ip_factor = 16
        parameters.rc.f_pb_factor = 16
        parameters.rc.i_aq_mode = X264_AQ_NONE
        parameters.rc.i_lookahead = 0
        parameters.rc.b_mb_tree = 0
    }
}

extension X264Configuration.Preset {
    /// What can be changed between pictures.
    ///
    /// - Parameter isWide: searches for what has moved far, and for text: a page that was scrolled by some lines is
    ///   found again, and a picture of it costs a tenth then; a new page costs a quarter less.
    func apply(to parameters: inout x264_param_t, isWide: Bool) {
        let standard = self.standard
        parameters.analyse.i_me_method = isWide ? X264_ME_UMH : standard.analyse.i_me_method
        parameters.analyse.i_me_range = isWide ? 64 : standard.analyse.i_me_range
        parameters.analyse.inter = standard.analyse.inter | (isWide ? UInt32(X264_ANALYSE_I4x4) : 0)
        // An encoder that has been without can't be told to look between pixels later.
        let least = min(1, parameters.analyse.i_subpel_refine)
        parameters.analyse.i_subpel_refine = max(least, standard.analyse.i_subpel_refine)
        parameters.analyse.i_trellis = standard.analyse.i_trellis
        parameters.analyse.b_mixed_references = standard.analyse.b_mixed_references
    }

    /// How many references x264 looks at.
    var references: Int { Self.references[self] ?? 1 }

    /// Looked up once: for a preset x264 asks each time what the processor can do.
    private static let references = Dictionary(
        uniqueKeysWithValues: allCases.map { ($0, Int($0.standard.i_frame_reference)) })

    private var standard: x264_param_t {
        var standard = x264_param_t()
        x264_param_default_preset(&standard, name, "zerolatency")
        return standard
    }
}
