#include "picture_likeness.h"

enum { side = 8 };

// Rows of the orthonormal cosine transform of eight values.
static const float basis[side][side] = {
    {0.35355339f, 0.35355339f, 0.35355339f, 0.35355339f, 0.35355339f, 0.35355339f, 0.35355339f, 0.35355339f},
    {0.49039264f, 0.41573481f, 0.27778512f, 0.09754516f, -0.09754516f, -0.27778512f, -0.41573481f, -0.49039264f},
    {0.46193977f, 0.19134172f, -0.19134172f, -0.46193977f, -0.46193977f, -0.19134172f, 0.19134172f, 0.46193977f},
    {0.41573481f, -0.09754516f, -0.49039264f, -0.27778512f, 0.27778512f, 0.49039264f, 0.09754516f, -0.41573481f},
    {0.35355339f, -0.35355339f, -0.35355339f, 0.35355339f, 0.35355339f, -0.35355339f, -0.35355339f, 0.35355339f},
    {0.27778512f, -0.49039264f, 0.09754516f, 0.41573481f, -0.41573481f, -0.09754516f, 0.49039264f, -0.27778512f},
    {0.19134172f, -0.46193977f, 0.46193977f, -0.19134172f, -0.19134172f, 0.46193977f, -0.46193977f, 0.19134172f},
    {0.09754516f, -0.27778512f, 0.41573481f, -0.49039264f, 0.49039264f, -0.41573481f, 0.27778512f, -0.09754516f},
};

// The energies of a block's coefficients; the mean's counts for nothing.
static void energies(const uint8_t *luma, ptrdiff_t stride, float out[side * side]) {
    float rows[side][side] = {{0}};
    for (int y = 0; y < side; y++)
        for (int x = 0; x < side; x++)
            for (int k = 0; k < side; k++) rows[y][k] += basis[k][x] * luma[y * stride + x];
    for (int k = 0; k < side; k++) {
        float column[side] = {0};
        for (int y = 0; y < side; y++)
            for (int x = 0; x < side; x++) column[x] += basis[k][y] * rows[y][x];
        for (int x = 0; x < side; x++) out[k * side + x] = column[x] * column[x];
    }
    out[0] = 0;
}

static double similarity(const float energy[side * side], float variance, float step) {
    // (0.03 · 255)².
    const float steady = 58.5225f;
    const float lost = 0.25f * step * step, off = step * step / 12;
    float error = 0;
    for (int i = 0; i < side * side; i++) error += energy[i] < lost ? energy[i] : off;
    error /= side * side;
    if (error > variance) error = variance;
    return (2 * (variance - error) + steady) / (2 * variance - error + steady);
}

static float spread(const uint8_t *luma, ptrdiff_t stride) {
    enum { samples = side * side };
    int32_t sum = 0, squares = 0;
    for (int y = 0; y < side; y++)
        for (int x = 0; x < side; x++) {
            const int32_t value = luma[y * stride + x];
            sum += value;
            squares += value * value;
        }
    return (float)(samples * squares - sum * sum) / (samples * samples);
}

void shim_picture_likeness(
    const uint8_t *luma, ptrdiff_t lumaStride, int32_t width, int32_t height, int32_t stride, const float *steps,
    int32_t count, double *likeness) {
    // All that a block of less variance holds may be lost: its similarity is above 0.991 then.
    const float leastVariance = 0.5f;
    enum { enough = 1000, turns = 8 };
    const int64_t perRow = width / side, blocks = perRow * (height / side);
    int64_t detailed = 0, blank = 0;
    for (int32_t i = 0; i < count; i++) likeness[i] = 0;
    // Of a page that is nearly blank a few thousand blocks hold too little.
    for (int32_t first = 0; first < stride && detailed < enough; first += (stride + turns - 1) / turns)
        for (int64_t at = first; at < blocks; at += stride) {
            const uint8_t *block = luma + at / perRow * side * lumaStride + at % perRow * side;
            const float variance = spread(block, lumaStride);
            if (variance < leastVariance) {
                blank++;
                continue;
            }
            float energy[side * side];
            energies(block, lumaStride, energy);
            detailed++;
            for (int32_t i = 0; i < count; i++) likeness[i] += similarity(energy, variance, steps[i]);
        }
    if (blank > detailed) blank = detailed;
    for (int32_t i = 0; i < count; i++)
        likeness[i] = detailed ? (likeness[i] + (double)blank) / (double)(detailed + blank) : 1;
}

static int32_t difference(const uint8_t *a, ptrdiff_t strideA, const uint8_t *b, ptrdiff_t strideB) {
    int32_t sum = 0;
    for (int y = 0; y < 16; y++)
        for (int x = 0; x < 16; x++) {
            const int off = a[y * strideA + x] - b[y * strideB + x];
            sum += off < 0 ? -off : off;
        }
    return sum;
}

double shim_differing_share(
    const uint8_t *a, ptrdiff_t strideA, const uint8_t *b, ptrdiff_t strideB, int32_t width, int32_t height,
    int32_t least) {
    int64_t looked = 0, differing = 0;
    for (int32_t y = 0; y + 16 <= height; y += 16)
        // Another column in each row of blocks.
        for (int32_t x = y % 64; x + 16 <= width; x += 64, looked++)
            differing += difference(a + y * strideA + x, strideA, b + y * strideB + x, strideB) > 256 * least;
    return looked ? (double)differing / (double)looked : 1;
}
