#include "include/fingerprint.h"

#include <string.h>

// Four lanes, because a multiplication takes several cycles and four of them overlap.
enum { LANES = 4 };
static const uint64_t PRIME = 0x9E3779B185EBCA87u;

static uint64_t mix(uint64_t lane, uint64_t word) {
    lane = (lane ^ word) * PRIME;
    return lane ^ (lane >> 29);
}

uint64_t shim_fingerprint(const uint8_t *bytes, size_t count, uint64_t seed, uint64_t mask) {
    uint64_t lanes[LANES] = {seed, ~seed, seed ^ PRIME, seed + PRIME};
    uint64_t words[LANES];
    size_t done = 0;
    for (; done + sizeof words <= count; done += sizeof words) {
        memcpy(words, bytes + done, sizeof words);
        for (int lane = 0; lane < LANES; lane++) lanes[lane] = mix(lanes[lane], words[lane] & mask);
    }
    memset(words, 0, sizeof words);
    memcpy(words, bytes + done, count - done);
    uint64_t result = count;
    for (int lane = 0; lane < LANES; lane++) result = mix(mix(result, lanes[lane]), words[lane] & mask);
    return result;
}
