#pragma once
#include <stddef.h>
#include <stdint.h>

// How like itself an area of luma will be once its transform coefficients are quantised: for each of `count` steps the
// mean over blocks of 8 by 8 of the structural similarity (Wang et al., 2004, with windows of a block) between the block
// and what is left of it. A coefficient below half a step is lost, another is off by a step's mean error. Blank blocks
// are like themselves, and count for no more than the others, however many they are; 1 where all are blank.
//
// Every `stride`-th block is taken, counted along the rows; of a nearly blank area up to eight times as many.
void shim_picture_likeness(
    const uint8_t *luma, ptrdiff_t lumaStride, int32_t width, int32_t height, int32_t stride, const float *steps,
    int32_t count, double *likeness);

// Of the blocks of 16 by 16 that lie in an area of two pictures' luma, every fourth, the share that differs by more than
// `least` a sample on average.
double shim_differing_share(
    const uint8_t *a, ptrdiff_t strideA, const uint8_t *b, ptrdiff_t strideB, int32_t width, int32_t height,
    int32_t least);
