/* The settings that `screenshare` encodes with: X264Configuration+Parameters.swift, and X264Encoder.swift's wide search of
 * a run. */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <x264.h>

static inline x264_param_t preset_settings(const char *preset) {
    x264_param_t settings;
    if (x264_param_default_preset(&settings, preset, "zerolatency") < 0) exit(64);
    return settings;
}

static inline x264_param_t share_settings(const char *preset, int width, int height, int references) {
    x264_param_t settings = preset_settings(preset);
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
    settings.analyse.inter |= X264_ANALYSE_I4x4;
    settings.analyse.i_me_method = X264_ME_UMH;
    settings.analyse.i_me_range = 64;
    settings.analyse.i_weighted_pred = X264_WEIGHTP_NONE;
    settings.analyse.f_psy_rd = 0;
    settings.rc.i_rc_method = X264_RC_CQP;
    settings.rc.i_qp_constant = 32;
    settings.rc.f_ip_factor = settings.rc.f_pb_factor = 16;
    settings.rc.i_aq_mode = X264_AQ_NONE;
    settings.rc.i_lookahead = 0;
    settings.rc.b_mb_tree = 0;
    settings.i_log_level = X264_LOG_NONE;
    return settings;
}

/* "baseline", or "high" as the share has it for browsers. */
static inline x264_t *open_with(x264_param_t *settings, const char *profile) {
    if (strcmp(profile, "high") == 0) settings->b_cabac = settings->analyse.b_transform_8x8 = 1;
    if (x264_param_apply_profile(settings, profile) < 0) exit(64);
    return x264_encoder_open(settings);
}

static inline x264_t *open_encoder(const char *preset, int width, int height, int references) {
    x264_param_t settings = share_settings(preset, width, height, references);
    return open_with(&settings, "baseline");
}

/* How many are kept for pages to come back. */
static inline int references_of(int width, int height) { return width * height > 1280 * 720 ? 5 : 1; }

/* All of them take memory, but only as many are searched as the preset has: where nothing comes back, that is the share's way. */
static inline int search_as_preset(x264_t *encoder, const char *preset) {
    x264_param_t settings;
    x264_encoder_parameters(encoder, &settings);
    int searched = preset_settings(preset).i_frame_reference;
    if (searched < settings.i_frame_reference) settings.i_frame_reference = searched;
    return x264_encoder_reconfig(encoder, &settings);
}

static inline double processor(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return now.tv_sec + now.tv_nsec / 1e9;
}
