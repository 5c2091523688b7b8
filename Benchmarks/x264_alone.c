/* What x264 alone takes for the frames of a screen, with the settings that `screenshare` encodes with: CPU seconds a
 * frame, behind the keyframe. Frames are raw I420, one after another; they are encoded RATE a second, as a sharer does,
 * because a core that rests in between is slower than one that does not. Reading them is not counted.
 *
 *   x264_alone FILE WIDTH HEIGHT RATE QUANTISER PRESET */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "x264_settings.h"

static void sleep_until(struct timespec start, double seconds) {
    long long nanoseconds = start.tv_nsec + (long long)(seconds * 1e9);
    start.tv_sec += nanoseconds / 1000000000;
    start.tv_nsec = nanoseconds % 1000000000;
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &start, NULL) == EINTR) {}
}

int main(int count, char **arguments) {
    if (count != 7) return 64;
    int width = atoi(arguments[2]), height = atoi(arguments[3]);
    double rate = atof(arguments[4]), spent = 0;
    FILE *file = fopen(arguments[1], "rb");
    x264_picture_t in, out;
    const char *preset = arguments[6];
    x264_t *encoder = open_encoder(preset, width, height, references_of(width, height));
    if (!file || !encoder || x264_picture_alloc(&in, X264_CSP_I420, width, height) < 0) return 70;
    if (search_as_preset(encoder, preset) < 0) return 70;
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
