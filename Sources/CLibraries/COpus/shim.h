#pragma once
#include <opus.h>

// The CTL functions are variadic. Every setting of libopus is an opus_int32, which these pass on and fetch.
static inline int shim_opus_set(OpusEncoder *encoder, int request, opus_int32 value) {
    return opus_encoder_ctl(encoder, request, value);
}

static inline int shim_opus_get(OpusEncoder *encoder, int request, opus_int32 *value) {
    return opus_encoder_ctl(encoder, request, value);
}
