#include "picture_detail.h"

// Vectors are only passed between functions that are inlined into one another: no call carries them.
#pragma clang diagnostic ignored "-Wpsabi"

// Sixteen values side by side: four blocks of four columns.
typedef int16_t Lanes __attribute__((vector_size(32)));

static inline __attribute__((always_inline)) Lanes load(const uint8_t *row) {
    typedef uint8_t Bytes __attribute__((vector_size(16)));
    Bytes bytes;
    __builtin_memcpy(&bytes, row, sizeof bytes);
    return __builtin_convertvector(bytes, Lanes);
}

// The Hadamard transform of the four columns of each block in one row of them: sums and differences of neighbours, then
// of pairs.
static inline __attribute__((always_inline)) Lanes across(Lanes v) {
    const Lanes alternate = {1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1};
    const Lanes halves = {1, 1, -1, -1, 1, 1, -1, -1, 1, 1, -1, -1, 1, 1, -1, -1};
    v = __builtin_shufflevector(v, v, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14) + v * alternate;
    return __builtin_shufflevector(v, v, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13) + v * halves;
}

static inline __attribute__((always_inline)) void count(Lanes coefficients, Lanes totals[SHIM_DETAIL_LEVELS]) {
    const Lanes negative = coefficients < 0;
    const Lanes magnitude = (coefficients ^ negative) - negative;
    for (int k = 0; k < SHIM_DETAIL_LEVELS; k++) totals[k] -= magnitude >= (int16_t)(1 << k);
}

static inline __attribute__((always_inline)) void piece(
    const uint8_t *luma, ptrdiff_t stride, Lanes totals[SHIM_DETAIL_LEVELS]) {
    const Lanes a = load(luma), b = load(luma + stride), c = load(luma + 2 * stride), d = load(luma + 3 * stride);
    const Lanes sum0 = a + b, difference0 = a - b, sum1 = c + d, difference1 = c - d;
    // The first of each four in the first row is the mean, which prediction takes away.
    const Lanes mean = {0, -1, -1, -1, 0, -1, -1, -1, 0, -1, -1, -1, 0, -1, -1, -1};
    count(across(sum0 + sum1) & mean, totals);
    count(across(sum0 - sum1), totals);
    count(across(difference0 + difference1), totals);
    count(across(difference0 - difference1), totals);
}

static void add(Lanes totals[SHIM_DETAIL_LEVELS], int64_t counts[SHIM_DETAIL_LEVELS]) {
    for (int k = 0; k < SHIM_DETAIL_LEVELS; k++) {
        for (int i = 0; i < 16; i++) counts[k] += totals[k][i];
        totals[k] = (Lanes){0};
    }
}

// ThreadSanitizer is not up yet when the clone is chosen.
#if defined(__x86_64__) && !__has_feature(thread_sanitizer)
__attribute__((target_clones("avx2", "default")))
#endif
int64_t shim_picture_detail(
    const uint8_t *luma, ptrdiff_t stride, int32_t width, int32_t height, int32_t step,
    int64_t counts[SHIM_DETAIL_LEVELS]) {
    // A piece adds at most four to a lane of sixteen bits.
    enum { piecesBeforeOverflow = 8000 };
    const int64_t perRow = width / 16, pieces = perRow * (height / 4);
    Lanes totals[SHIM_DETAIL_LEVELS] = {{0}};
    int64_t looked = 0;
    for (int k = 0; k < SHIM_DETAIL_LEVELS; k++) counts[k] = 0;
    for (int64_t at = 0; at < pieces; at += step) {
        piece(luma + at / perRow * 4 * stride + at % perRow * 16, stride, totals);
        if (++looked % piecesBeforeOverflow == 0) add(totals, counts);
    }
    add(totals, counts);
    return looked * 4;
}
