// A sound card for tests: an ALSA PCM of a program's own, driven by the monotonic clock.
#pragma once
#include <alsa/asoundlib.h>

typedef struct test_card test_card;

// What the card does at its next chance.
typedef enum {
    TEST_CARD_RUN,
    // Loses what nobody has read (-EPIPE).
    TEST_CARD_OVERRUN,
    // Sleeps with the machine (-ESTRPIPE), and awakes some calls of snd_pcm_resume later.
    TEST_CARD_SUSPEND,
    // Is unplugged (-ENODEV).
    TEST_CARD_UNPLUG,
} test_card_event;

// Opens a card that captures in one format. Frame n holds test_card_value(n) in every channel. Closed with its PCM.
test_card *test_card_open(snd_pcm_t **pcm, snd_pcm_format_t format, unsigned channels, unsigned rate);

// Thread-safe.
void test_card_do(test_card *card, test_card_event event);

// From -0.5 to 0.5, the same in every format; 64 frames long.
static inline double test_card_value(long frame) { return (double)(frame % 64 - 32) / 64; }
