#pragma once
#include <stddef.h>
#include <stdint.h>

enum { SHIM_DETAIL_LEVELS = 12 };

// How much detail an area of luma holds, as an encoder's transform would see it. The area is looked at in pieces of 16
// by 4 pixels, each as four blocks of 4 by 4: counts[k] is the number of their Hadamard coefficients, the mean aside,
// of magnitude 2^k or more. Every `step`-th piece is taken, counted along the rows. Returns the number of blocks looked
// at; columns and rows beyond the last whole piece are left out.
int64_t shim_picture_detail(
    const uint8_t *luma, ptrdiff_t stride, int32_t width, int32_t height, int32_t step,
    int64_t counts[SHIM_DETAIL_LEVELS]);
