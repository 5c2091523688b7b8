/* Resident memory of one x264 encoder after 60 noisy frames, in megabytes: what of a sharer's memory is the encoder's.
 *
 *   x264_memory WIDTH HEIGHT PRESET REFERENCES */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "x264_settings.h"

static double resident(void) {
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%*d %ld", &pages) != 1) exit(1);
    fclose(file);
    return pages * (double)sysconf(_SC_PAGESIZE) / 1048576;
}

int main(int count, char **arguments) {
    if (count != 5) return 64;
    int width = atoi(arguments[1]), height = atoi(arguments[2]);
    x264_picture_t in, out;
    if (x264_picture_alloc(&in, X264_CSP_I420, width, height) < 0) return 70;
    uint32_t noise = 1;
    for (int i = 0; i < width * height * 3 / 2; i++) in.img.plane[0][i] = 0;
    double before = resident();
    x264_t *encoder = open_encoder(arguments[3], width, height, atoi(arguments[4]));
    if (!encoder) return 70;
    for (int frame = 0; frame < 60; frame++) {
        for (int i = 0; i < width * height; i++) {
            noise = noise * 1664525 + 1013904223;
            in.img.plane[0][i] = noise >> 27 << 3;
        }
        in.i_pts = frame;
        in.i_qpplus1 = 33;
        x264_nal_t *units;
        int number;
        if (x264_encoder_encode(encoder, &units, &number, &in, &out) < 0) return 70;
    }
    printf("%.1f\n", resident() - before);
    x264_encoder_close(encoder);
    x264_picture_clean(&in);
    return 0;
}
