/* A page as x264 alone encodes it, with the settings that `screenshare` encodes with: a keyframe at the first quantiser, then
 * the same page once more at each of the others. For each of them comes out how many microseconds of CPU it took and how many
 * bytes it has, four bytes each, little-endian; and these bytes, in Annex B, without x264's note about itself.
 *
 * DEBLOCKING is "own", as the share has it, or "off", or the filter's two offsets as in -3:-3.
 *
 *   x264_page FILE WIDTH HEIGHT PRESET PROFILE DEBLOCKING QUANTISER... */
#include <stdint.h>
#include <stdio.h>

#include "x264_settings.h"

static int set_deblocking(x264_param_t *settings, const char *wanted) {
    int alpha = 0, beta = 0;
    if (strcmp(wanted, "own") == 0) return 1;
    int is_on = strcmp(wanted, "off") != 0;
    if (is_on && sscanf(wanted, "%d:%d", &alpha, &beta) != 2) return 0;
    settings->b_deblocking_filter = is_on;
    settings->i_deblocking_filter_alphac0 = alpha;
    settings->i_deblocking_filter_beta = beta;
    return 1;
}

static int is_sent(const x264_nal_t *unit) {
    return unit->i_type == NAL_SLICE || unit->i_type == NAL_SLICE_IDR || unit->i_type == NAL_SPS || unit->i_type == NAL_PPS;
}

static void write_number(uint32_t number) {
    for (int i = 0; i < 4; i++) putchar(number >> 8 * i & 255);
}

static void write_units(const x264_nal_t *units, int number, double seconds) {
    uint32_t size = 0;
    for (int i = 0; i < number; i++) size += is_sent(&units[i]) ? units[i].i_payload : 0;
    write_number(seconds * 1e6);
    write_number(size);
    for (int i = 0; i < number; i++) {
        if (is_sent(&units[i])) fwrite(units[i].p_payload, 1, units[i].i_payload, stdout);
    }
}

int main(int count, char **arguments) {
    if (count < 8) return 64;
    int width = atoi(arguments[2]), height = atoi(arguments[3]);
    const char *preset = arguments[4];
    x264_param_t settings = share_settings(preset, width, height, references_of(width, height));
    settings.b_annexb = 1;
    if (!set_deblocking(&settings, arguments[6])) return 64;
    x264_t *encoder = open_with(&settings, arguments[5]);
    FILE *file = fopen(arguments[1], "rb");
    x264_picture_t in, out;
    if (!file || !encoder || x264_picture_alloc(&in, X264_CSP_I420, width, height) < 0) return 70;
    if (search_as_preset(encoder, preset) < 0) return 70;
    /* The planes lie one behind the other. */
    size_t size = (size_t)width * height * 3 / 2;
    if (fread(in.img.plane[0], 1, size, file) != size) return 70;
    for (int i = 7; i < count; i++) {
        x264_nal_t *units;
        int number;
        in.i_pts = i;
        in.i_qpplus1 = atoi(arguments[i]) + 1;
        double before = processor();
        if (x264_encoder_encode(encoder, &units, &number, &in, &out) < 0) return 70;
        write_units(units, number, processor() - before);
    }
    x264_encoder_close(encoder);
    x264_picture_clean(&in);
    fclose(file);
    return 0;
}
