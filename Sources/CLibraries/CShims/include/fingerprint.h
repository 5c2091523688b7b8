#pragma once
#include <stddef.h>
#include <stdint.h>

// A number that two runs of bytes share if they are the same, and hardly otherwise; not for secrets. `seed` chains runs;
// of each eight bytes only the bits of `mask` count.
uint64_t shim_fingerprint(const uint8_t *bytes, size_t count, uint64_t seed, uint64_t mask);
