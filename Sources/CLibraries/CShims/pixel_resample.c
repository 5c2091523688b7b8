#include "pixel_rows.h"

#if defined(__x86_64__)
#include <immintrin.h>
#define AVX2 __attribute__((target("avx2")))
#endif

// Written for the compiler to make vectors of: 32 columns at a time, summed in sixteen bits (255 * 256 just fits).
static inline __attribute__((always_inline)) void blend(
    const uint8_t *const *rows, const uint16_t *weights, int32_t taps, int32_t width, uint8_t *out) {
    int32_t x = 0;
    for (; x + 32 <= width; x += 32) {
        uint16_t sum[32];
        for (int i = 0; i < 32; i++) sum[i] = 128;
        for (int32_t t = 0; t < taps; t++) {
            const uint8_t *row = rows[t] + x;
            const uint16_t weight = weights[t];
            for (int i = 0; i < 32; i++) sum[i] = (uint16_t)(sum[i] + (uint16_t)(row[i] * weight));
        }
        for (int i = 0; i < 32; i++) out[x + i] = (uint8_t)(sum[i] >> 8);
    }
    for (; x < width; x++) {
        uint32_t sum = 128;
        for (int32_t t = 0; t < taps; t++) sum += (uint32_t)rows[t][x] * weights[t];
        out[x] = (uint8_t)(sum >> 8);
    }
}

static void resample_from(
    int32_t i, const uint8_t *input, const int32_t *starts, const int8_t *weights, int32_t taps, int32_t count,
    uint8_t *out) {
    for (; i < count; i++) {
        int32_t sum = 64;
        for (int32_t t = 0; t < taps; t++) sum += input[starts[i] + t] * weights[i * taps + t];
        out[i] = (uint8_t)(sum >> 7);
    }
}

#if defined(__x86_64__)

AVX2 static void blend_avx2(
    const uint8_t *const *rows, const uint16_t *weights, int32_t taps, int32_t width, uint8_t *out) {
    blend(rows, weights, taps, width, out);
}

// Four outputs of four taps each from one load of sixteen bytes: their samples are gathered by a shuffle, weighted and
// added in pairs.
AVX2 static inline __m128i four_outputs(const uint8_t *input, const int32_t *starts, const int8_t *weights) {
    const __m128i samples = _mm_loadu_si128((const __m128i *)(input + starts[0]));
    const __m128i offsets = _mm_sub_epi32(_mm_loadu_si128((const __m128i *)starts), _mm_set1_epi32(starts[0]));
    // Each offset in all four bytes of its lane, then the taps 0...3 added to them.
    const __m128i control = _mm_add_epi8(
        _mm_shuffle_epi8(offsets, _mm_setr_epi8(0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8, 8, 12, 12, 12, 12)),
        _mm_set1_epi32(0x03020100));
    const __m128i products = _mm_maddubs_epi16(
        _mm_shuffle_epi8(samples, control), _mm_loadu_si128((const __m128i *)weights));
    const __m128i sums = _mm_madd_epi16(products, _mm_set1_epi16(1));
    return _mm_srli_epi32(_mm_add_epi32(sums, _mm_set1_epi32(64)), 7);
}

AVX2 static int32_t resample_avx2(
    const uint8_t *input, const int32_t *starts, const int8_t *weights, int32_t count, uint8_t *out) {
    int32_t i = 0;
    for (; i + 16 <= count; i += 16) {
        __m128i quads[4];
        for (int k = 0; k < 4; k++)
            quads[k] = four_outputs(input, starts + i + 4 * k, weights + 4 * (size_t)(i + 4 * k));
        const __m128i bytes = _mm_packus_epi16(
            _mm_packs_epi32(quads[0], quads[1]), _mm_packs_epi32(quads[2], quads[3]));
        _mm_storeu_si128((__m128i *)(out + i), bytes);
    }
    return i;
}

// Whether any four neighbours lie within sixteen bytes; a fixed ratio keeps their distance within one.
static int fits_one_load(const int32_t *starts, int32_t taps, int32_t count) {
    return taps == 4 && count >= 16 && starts[3] - starts[0] + 1 + taps <= 16;
}

#endif

void shim_blend_rows(const uint8_t *const *rows, const uint16_t *weights, int32_t taps, int32_t width, uint8_t *out) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) {
        blend_avx2(rows, weights, taps, width, out);
        return;
    }
#endif
    blend(rows, weights, taps, width, out);
}

void shim_resample_row(
    const uint8_t *input, const int32_t *starts, const int8_t *weights, int32_t taps, int32_t count, uint8_t *out) {
    int32_t done = 0;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && fits_one_load(starts, taps, count))
        done = resample_avx2(input, starts, weights, count, out);
#endif
    resample_from(done, input, starts, weights, taps, count, out);
}
