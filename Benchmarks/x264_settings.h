/* The settings that `screenshare` encodes with: X264Configuration+Parameters.swift, and X264Encoder.swift's wide search of
 * a run. */
#include <stdlib.h>
#include <x264.h>

static x264_t *open_encoder(const char *preset, int width, int height, int references) {
    x264_param_t settings;
    if (x264_param_default_preset(&settings, preset, "zerolatency") < 0) exit(64);
    settings.i_width = width;
    settings.i_height = height;
    settings.i_csp = X264_CSP_I420;
    settings.b_vfr_input = 0;
    settings.i_fps_num = 30;
    settings.i_threads = settings.i_lookahead_threads = 1;
    settings.b_sliced_threads = 0;
    settings.i_sync_lookahead = 0;
    settings.i_keyint_max = X264_KEYINT_MAX_INFINITE;
    settings.i_scenecut_threshold = 0;
    settings.i_bframe = 0;
    settings.i_frame_reference = references;
    settings.b_annexb = 0;
    settings.analyse.intra |= X264_ANALYSE_I4x4;
    settings.analyse.inter = X264_ANALYSE_I4x4;
    settings.analyse.i_me_method = X264_ME_UMH;
    settings.analyse.i_me_range = 64;
    settings.rc.i_rc_method = X264_RC_CQP;
    settings.rc.i_qp_constant = 32;
    settings.rc.f_ip_factor = settings.rc.f_pb_factor = 16;
    settings.rc.i_aq_mode = X264_AQ_NONE;
    settings.rc.i_lookahead = 0;
    settings.rc.b_mb_tree = 0;
    settings.i_log_level = X264_LOG_NONE;
    x264_param_apply_profile(&settings, "baseline");
    return x264_encoder_open(&settings);
}
