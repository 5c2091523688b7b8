#include "pixel_rows.h"

#if defined(__x86_64__)
#include <immintrin.h>
#define AVX2 __attribute__((target("avx2")))
static inline int has_avx2(void) { return __builtin_cpu_supports("avx2"); }
#endif

// BT.709 limited in fifteen bits: 219/255 of the luma weights, 224/255 of the chroma ones. Each chroma row adds up to
// nothing, so that greys stay grey; the luma row takes white to exactly 235.
enum {
    Y_R = 5983, Y_G = 20127, Y_B = 2032,
    U_R = -3298, U_G = -11094, U_B = 14392,
    V_R = 14392, V_G = -13072, V_B = -1320,
    LUMA_BIAS = (16 << 15) + (1 << 14),
    // Chroma is computed from the sum of four pixels: two bits more.
    CHROMA_BIAS = (128 << 17) + (1 << 16),
};

static inline uint8_t luma(const uint8_t *p) {
    return (uint8_t)((Y_B * p[0] + Y_G * p[1] + Y_R * p[2] + LUMA_BIAS) >> 15);
}

// Columns from `x` (even) to `width`, in plain C: the whole row on other machines, the rest of it on this one.
static void rows_from(
    int32_t x, const uint8_t *row0, const uint8_t *row1, int32_t width, uint8_t *y0, uint8_t *y1, uint8_t *u,
    uint8_t *v) {
    for (; x < width; x += 2) {
        const uint8_t *a = row0 + 4 * (size_t)x, *c = row1 + 4 * (size_t)x;
        const size_t next = x + 1 < width ? 4 : 0;
        const uint8_t *b = a + next, *d = c + next;
        const int32_t blue = a[0] + b[0] + c[0] + d[0];
        const int32_t green = a[1] + b[1] + c[1] + d[1];
        const int32_t red = a[2] + b[2] + c[2] + d[2];
        u[x / 2] = (uint8_t)((U_B * blue + U_G * green + U_R * red + CHROMA_BIAS) >> 17);
        v[x / 2] = (uint8_t)((V_B * blue + V_G * green + V_R * red + CHROMA_BIAS) >> 17);
        y0[x] = luma(a);
        y1[x] = luma(c);
        if (next) {
            y0[x + 1] = luma(b);
            y1[x + 1] = luma(d);
        }
    }
}

#if defined(__x86_64__)

// A pair of 16-bit factors for each 32-bit lane of two 16-bit samples.
#define FACTORS(low, high) _mm256_set1_epi32((int32_t)(((uint32_t)(uint16_t)(high) << 16) | (uint16_t)(low)))

AVX2 static inline __m256i load_blue_red(__m256i pixels) {
    return _mm256_and_si256(pixels, _mm256_set1_epi32(0xff00ff));
}

// The top byte is ignored: X11 leaves anything there.
AVX2 static inline __m256i load_green(__m256i pixels) {
    return _mm256_and_si256(_mm256_srli_epi16(pixels, 8), _mm256_set1_epi32(0xff));
}

AVX2 static inline __m256i luma_of_8(__m256i blue_red, __m256i green) {
    const __m256i sum = _mm256_add_epi32(
        _mm256_madd_epi16(blue_red, FACTORS(Y_B, Y_R)), _mm256_madd_epi16(green, FACTORS(Y_G, 0)));
    return _mm256_srli_epi32(_mm256_add_epi32(sum, _mm256_set1_epi32(LUMA_BIAS)), 15);
}

// 32 bytes in order from four vectors of eight 32-bit values; packing works within halves, so they are put right last.
AVX2 static inline __m256i bytes_of_32(__m256i a, __m256i b, __m256i c, __m256i d) {
    const __m256i packed = _mm256_packus_epi16(_mm256_packs_epi32(a, b), _mm256_packs_epi32(c, d));
    return _mm256_permutevar8x32_epi32(packed, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
}

// The sums of neighbouring pixels of a and b, eight in all.
AVX2 static inline __m256i pair_sums(__m256i a, __m256i b) {
    const __m256i left = _mm256_add_epi16(a, _mm256_srli_epi64(a, 32));
    const __m256i right = _mm256_add_epi16(b, _mm256_srli_epi64(b, 32));
    return _mm256_castps_si256(_mm256_shuffle_ps(_mm256_castsi256_ps(left), _mm256_castsi256_ps(right), 0x88));
}

AVX2 static inline __m256i chroma_of_8(
    __m256i blue_red, __m256i green, __m256i blue_red_factors, __m256i green_factor) {
    const __m256i sum = _mm256_add_epi32(
        _mm256_madd_epi16(blue_red, blue_red_factors), _mm256_madd_epi16(green, green_factor));
    return _mm256_srai_epi32(_mm256_add_epi32(sum, _mm256_set1_epi32(CHROMA_BIAS)), 17);
}

// The 128 bytes that lie so far behind. What a server has drawn comes from memory, and the processor's own prefetching
// ends with each page of 4096 bytes, which is half a row.
static inline void fetch(const uint8_t *row, ptrdiff_t ahead) {
    _mm_prefetch((const char *)row + ahead, _MM_HINT_T0);
    _mm_prefetch((const char *)row + ahead + 64, _MM_HINT_T0);
}

AVX2 static void rows_avx2(
    const uint8_t *row0, const uint8_t *row1, ptrdiff_t ahead, int32_t width, uint8_t *y0, uint8_t *y1, uint8_t *u,
    uint8_t *v) {
    for (int32_t x = 0; x < width; x += 32) {
        if (ahead) {
            fetch(row0 + 4 * (size_t)x, ahead);
            fetch(row1 + 4 * (size_t)x, ahead);
        }
        __m256i luma0[4], luma1[4], blue_red[4], green[4];
        for (int k = 0; k < 4; k++) {
            const __m256i top = _mm256_loadu_si256((const __m256i *)(row0 + 4 * (size_t)x) + k);
            const __m256i bottom = _mm256_loadu_si256((const __m256i *)(row1 + 4 * (size_t)x) + k);
            const __m256i blue_red0 = load_blue_red(top), green0 = load_green(top);
            const __m256i blue_red1 = load_blue_red(bottom), green1 = load_green(bottom);
            luma0[k] = luma_of_8(blue_red0, green0);
            luma1[k] = luma_of_8(blue_red1, green1);
            blue_red[k] = _mm256_add_epi16(blue_red0, blue_red1);
            green[k] = _mm256_add_epi16(green0, green1);
        }
        _mm256_storeu_si256((__m256i *)(y0 + x), bytes_of_32(luma0[0], luma0[1], luma0[2], luma0[3]));
        _mm256_storeu_si256((__m256i *)(y1 + x), bytes_of_32(luma1[0], luma1[1], luma1[2], luma1[3]));
        const __m256i blue_red_l = pair_sums(blue_red[0], blue_red[1]), green_l = pair_sums(green[0], green[1]);
        const __m256i blue_red_h = pair_sums(blue_red[2], blue_red[3]), green_h = pair_sums(green[2], green[3]);
        const __m256i u16 = _mm256_packs_epi32(
            chroma_of_8(blue_red_l, green_l, FACTORS(U_B, U_R), FACTORS(U_G, 0)),
            chroma_of_8(blue_red_h, green_h, FACTORS(U_B, U_R), FACTORS(U_G, 0)));
        const __m256i v16 = _mm256_packs_epi32(
            chroma_of_8(blue_red_l, green_l, FACTORS(V_B, V_R), FACTORS(V_G, 0)),
            chroma_of_8(blue_red_h, green_h, FACTORS(V_B, V_R), FACTORS(V_G, 0)));
        // Each half holds every other pair of samples, U below V: interleaving the halves orders both.
        const __m256i both = _mm256_packus_epi16(u16, v16);
        const __m128i low = _mm256_castsi256_si128(both), high = _mm256_extracti128_si256(both, 1);
        _mm_storeu_si128((__m128i *)(u + x / 2), _mm_unpacklo_epi16(low, high));
        _mm_storeu_si128((__m128i *)(v + x / 2), _mm_unpackhi_epi16(low, high));
    }
}

#endif

void shim_bgra_rows_to_i420(
    const uint8_t *row0, const uint8_t *row1, ptrdiff_t ahead, int32_t width, uint8_t *y0, uint8_t *y1, uint8_t *u,
    uint8_t *v) {
    int32_t done = 0;
#if defined(__x86_64__)
    if (has_avx2()) {
        done = width & ~31;
        rows_avx2(row0, row1, ahead, done, y0, y1, u, v);
    }
#endif
    rows_from(done, row0, row1, width, y0, y1, u, v);
}

void shim_bgr10_row_to_bgra(const uint8_t *row, int32_t width, uint8_t *bgra) {
    for (int32_t x = 0; x < width; x++) {
        uint32_t word;
        __builtin_memcpy(&word, row + 4 * (size_t)x, 4);
        // The eight high bits of each: 1023 becomes 255, 0 stays 0.
        const uint32_t bytes = (word >> 22 & 0xff) << 16 | (word >> 12 & 0xff) << 8 | (word >> 2 & 0xff);
        __builtin_memcpy(bgra + 4 * (size_t)x, &bytes, 4);
    }
}

void shim_split_uv_row(const uint8_t *uv, int32_t width, uint8_t *u, uint8_t *v) {
    for (int32_t x = 0; x < width; x++) {
        u[x] = uv[2 * x];
        v[x] = uv[2 * x + 1];
    }
}
