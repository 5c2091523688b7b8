#include "zita_resampler.h"

#include <new>
#include <zita-resampler/vresampler.h>

struct zita_resampler {
    VResampler resampler;
};

namespace {

// With half a filter of silence before it the first sample comes out first.
bool rewind(VResampler &resampler) {
    if (resampler.reset() != 0) return false;
    resampler.set_rrfilt(0);
    resampler.set_rratio(1);
    resampler.inp_count = resampler.inpsize() / 2 - 1;
    resampler.inp_data = nullptr;
    resampler.out_count = 1;
    resampler.out_data = nullptr;
    return resampler.process() == 0;
}

}  // namespace

zita_resampler *zita_resampler_new(double ratio, unsigned channels, unsigned half_filter) {
    try {
        auto *made = new zita_resampler;
        if (made->resampler.setup(ratio, channels, half_filter) == 0 && rewind(made->resampler)) return made;
        delete made;
    } catch (...) {
        // No memory is all that it throws for.
    }
    return nullptr;
}

void zita_resampler_delete(zita_resampler *resampler) { delete resampler; }

void zita_resampler_reset(zita_resampler *resampler) { rewind(resampler->resampler); }

void zita_resampler_bend(zita_resampler *resampler, double relative_ratio) {
    resampler->resampler.set_rratio(relative_ratio);
}

double zita_resampler_delay(const zita_resampler *resampler) { return resampler->resampler.inpsize() / 2; }

void zita_resampler_process(
    zita_resampler *resampler, const float *input, unsigned *frames, float *output, unsigned *room) {
    VResampler &state = resampler->resampler;
    state.inp_count = *frames;
    // It reads only, whatever its declaration says.
    state.inp_data = const_cast<float *>(input);
    state.out_count = *room;
    state.out_data = output;
    state.process();
    *frames -= state.inp_count;
    *room -= state.out_count;
}
