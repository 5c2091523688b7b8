#pragma once
#include <stddef.h>
#include <stdint.h>

// Rows of pixels to rows of Y, U and V: ITU-T BT.709, limited range (Y 16...235, U and V 16...240).
// Chroma is the mean of two by two pixels, so its samples sit in their centre (chroma_sample_loc_type 1).

// Two rows of B, G, R, X bytes. `width` may be odd: the last chroma sample then takes its column twice. The second row
// may be the first one again (odd heights). Writes `width` bytes of luma for each row and (width + 1) / 2 of chroma.
// `ahead` bytes behind them lie the rows that come next, which are fetched meanwhile; 0 where there are none.
void shim_bgra_rows_to_i420(
    const uint8_t *row0, const uint8_t *row1, ptrdiff_t ahead, int32_t width, uint8_t *y0, uint8_t *y1, uint8_t *u,
    uint8_t *v);

// Little-endian words of 10 bits each of R, G and B (bits 20, 10 and 0) to B, G, R, X bytes.
void shim_bgr10_row_to_bgra(const uint8_t *row, int32_t width, uint8_t *bgra);

// Interleaved U and V to two rows of `width` samples.
void shim_split_uv_row(const uint8_t *uv, int32_t width, uint8_t *u, uint8_t *v);

// A weighted sum of rows: the weights add up to 256. The vertical half of a separable filter.
void shim_blend_rows(const uint8_t *const *rows, const uint16_t *weights, int32_t taps, int32_t width, uint8_t *out);

// The horizontal half: output i is the sum of `taps` samples from starts[i], weighted by weights[i * taps...], which
// add up to 128 and are none of them negative or above 127. The starts rise as a fixed ratio makes them; fastest with
// four taps. Sixteen bytes from the last start must be readable, whatever the taps.
void shim_resample_row(
    const uint8_t *input, const int32_t *starts, const int8_t *weights, int32_t taps, int32_t count, uint8_t *out);
