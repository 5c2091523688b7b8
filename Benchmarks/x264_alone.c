/* What x264 alone takes for the frames of a screen, with the settings that `screenshare` encodes with: CPU seconds a
 * frame, behind the keyframe. Frames are raw I420, one after another; they are encoded RATE a second, as a sharer does,
 * because a core that rests in between is slower than one that does not. Reading them is not counted.
 *
 *   x264_alone FILE WIDTH HEIGHT RATE QUANTISER */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <x264.h>

static double processor(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return now.tv_sec + now.tv_nsec / 1e9;
}

static void sleep_until(struct timespec start, double seconds) {
    long long nanoseconds = start.tv_nsec + (long long)(seconds * 1e9);
    start.tv_sec += nanoseconds / 1000000000;
    start.tv_nsec = nanoseconds % 1000000000;
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &start, NULL) == EINTR) {}
}

/* X264Configuration+Parameters.swift, and X264Encoder.swift's wide search of a run. */
static x264_t *open_encoder(int width, int height) {
    x264_param_t settings;
    if (x264_param_default_preset(&settings, "ultrafast", "zerolatency") < 0) exit(64);
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
    settings.i_frame_reference = 1;
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

int main(int count, char **arguments) {
    if (count != 6) return 64;
    int width = atoi(arguments[2]), height = atoi(arguments[3]);
    double rate = atof(arguments[4]), spent = 0;
    FILE *file = fopen(arguments[1], "rb");
    x264_picture_t in, out;
    x264_t *encoder = open_encoder(width, height);
    if (!file || !encoder || x264_picture_alloc(&in, X264_CSP_I420, width, height) < 0) return 70;
    in.i_qpplus1 = atoi(arguments[5]) + 1;
    struct timespec start;
    clock_gettime(CLOCK_MONOTONIC, &start);
    long long frames = 0, bytes = 0;
    /* The planes lie one behind the other. */
    while (fread(in.img.plane[0], 1, width * height * 3 / 2, file) == (size_t)width * height * 3 / 2) {
        sleep_until(start, frames / rate);
        x264_nal_t *units;
        int number;
        in.i_pts = frames;
        double before = processor();
        int size = x264_encoder_encode(encoder, &units, &number, &in, &out);
        if (size < 0) return 70;
        if (frames++) {
            spent += processor() - before;
            bytes += size;
        }
    }
    if (frames < 2) return 70;
    frames--;
    printf("{\"seconds\": %.6f, \"frames\": %lld, \"bytes\": %lld}\n", spent / frames, frames, bytes / frames);
    x264_encoder_close(encoder);
    x264_picture_clean(&in);
    return 0;
}
