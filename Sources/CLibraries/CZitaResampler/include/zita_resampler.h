#pragma once

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// zita-resampler's VResampler, a C++ class, for Swift. Used by one thread.

typedef struct zita_resampler zita_resampler;

// Output frames for one of input; half the filter's length in periods of the lower rate. NULL where the library refuses.
zita_resampler *_Nullable zita_resampler_new(double ratio, unsigned channels, unsigned half_filter);
void zita_resampler_delete(zita_resampler *_Nonnull resampler);

// As if nothing had gone through it, with the given ratio; the first sample that comes out is the first that goes in.
void zita_resampler_reset(zita_resampler *_Nonnull resampler);

// Times the ratio it was made with, from the next sample on.
void zita_resampler_bend(zita_resampler *_Nonnull resampler, double relative_ratio);

// Input frames that must have come after the one that comes out.
double zita_resampler_delay(const zita_resampler *_Nonnull resampler);

// Interleaved. Takes of `*frames` and fills of `*room` what it can, and says in both how many that was.
void zita_resampler_process(
    zita_resampler *_Nonnull resampler, const float *_Nonnull input, unsigned *_Nonnull frames,
    float *_Nonnull output, unsigned *_Nonnull room);

#ifdef __cplusplus
}
#endif
