#include "TestSoundCard.h"

#include <alsa/pcm_external.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

struct test_card {
    snd_pcm_ioplug_t io;
    atomic_int event;
    int64_t started;
    int64_t read;
    int naps;
};

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

static int64_t captured(const test_card *card) {
    return (now() - card->started) * card->io.rate / INT64_C(1000000000);
}

static int card_prepare(snd_pcm_ioplug_t *io) {
    test_card *card = io->private_data;
    card->started = now();
    card->read = 0;
    return 0;
}

static int card_start(snd_pcm_ioplug_t *io) {
    test_card *card = io->private_data;
    const struct itimerspec period = {{0, 10000000}, {0, 10000000}};
    card->started = now();
    return timerfd_settime(io->poll_fd, 0, &period, NULL);
}

static int card_stop(snd_pcm_ioplug_t *io) {
    (void)io;
    return 0;
}

static snd_pcm_sframes_t card_pointer(snd_pcm_ioplug_t *io) {
    test_card *card = io->private_data;
    switch (atomic_exchange(&card->event, TEST_CARD_RUN)) {
    case TEST_CARD_OVERRUN: return -EPIPE;
    case TEST_CARD_SUSPEND:
        card->naps = 15;
        snd_pcm_ioplug_set_state(io, SND_PCM_STATE_SUSPENDED);
        break;
    case TEST_CARD_UNPLUG: snd_pcm_ioplug_set_state(io, SND_PCM_STATE_DISCONNECTED); break;
    }
    const int64_t frames = captured(card);
    if (frames - card->read >= (int64_t)io->buffer_size) return -EPIPE;
    return (snd_pcm_sframes_t)(frames % (int64_t)io->buffer_size);
}

static int card_resume(snd_pcm_ioplug_t *io) {
    test_card *card = io->private_data;
    if (card->naps-- > 0) return -EAGAIN;
    snd_pcm_ioplug_set_state(io, SND_PCM_STATE_RUNNING);
    return 0;
}

// One sample, as the format has it: the value's bits from the top of a word, in the format's order of bytes.
static void write_sample(uint8_t *place, snd_pcm_format_t format, double value) {
    const int width = snd_pcm_format_width(format), bytes = snd_pcm_format_physical_width(format) / 8;
    uint32_t word;
    if (snd_pcm_format_float(format)) {
        const float sample = (float)value;
        memcpy(&word, &sample, 4);
    } else {
        const int64_t sample = (int64_t)(value * (double)(INT64_C(1) << (width - 1)));
        word = (uint32_t)(snd_pcm_format_unsigned(format) ? sample + (INT64_C(1) << (width - 1)) : sample);
        // The unused byte of 24 bits in 32 holds rubbish on some cards.
        if (width == 24 && bytes == 4) word = (word & 0xFFFFFF) | 0xA5000000;
    }
    for (int index = 0; index < bytes; index++) {
        const int shift = 8 * (snd_pcm_format_big_endian(format) == 1 ? bytes - 1 - index : index);
        place[index] = (uint8_t)(word >> shift);
    }
}

static snd_pcm_sframes_t card_transfer(
    snd_pcm_ioplug_t *io, const snd_pcm_channel_area_t *areas, snd_pcm_uframes_t offset, snd_pcm_uframes_t size) {
    test_card *card = io->private_data;
    for (snd_pcm_uframes_t frame = 0; frame < size; frame++)
        for (unsigned channel = 0; channel < io->channels; channel++) {
            const snd_pcm_channel_area_t *area = &areas[channel];
            uint8_t *place = (uint8_t *)area->addr + (area->first + area->step * (offset + frame)) / 8;
            write_sample(place, io->format, test_card_value((long)(card->read + (int64_t)frame)));
        }
    card->read += (int64_t)size;
    return (snd_pcm_sframes_t)size;
}

static int card_revents(snd_pcm_ioplug_t *io, struct pollfd *entries, unsigned count, unsigned short *revents) {
    uint64_t ticks;
    *revents = count > 0 && (entries[0].revents & POLLIN) && read(io->poll_fd, &ticks, 8) == 8 ? POLLIN : 0;
    return 0;
}

static int card_close(snd_pcm_ioplug_t *io) {
    close(io->poll_fd);
    free(io->private_data);
    return 0;
}

static const snd_pcm_ioplug_callback_t callbacks = {
    .prepare = card_prepare,
    .start = card_start,
    .stop = card_stop,
    .pointer = card_pointer,
    .resume = card_resume,
    .transfer = card_transfer,
    .poll_revents = card_revents,
    .close = card_close,
};

static int constrain(snd_pcm_ioplug_t *io, snd_pcm_format_t format, unsigned channels, unsigned rate) {
    const unsigned accesses[] = {SND_PCM_ACCESS_RW_INTERLEAVED}, formats[] = {(unsigned)format};
    int result = snd_pcm_ioplug_set_param_list(io, SND_PCM_IOPLUG_HW_ACCESS, 1, accesses);
    if (result >= 0) result = snd_pcm_ioplug_set_param_list(io, SND_PCM_IOPLUG_HW_FORMAT, 1, formats);
    if (result >= 0) result = snd_pcm_ioplug_set_param_minmax(io, SND_PCM_IOPLUG_HW_CHANNELS, channels, channels);
    if (result >= 0) result = snd_pcm_ioplug_set_param_minmax(io, SND_PCM_IOPLUG_HW_RATE, rate, rate);
    if (result >= 0) result = snd_pcm_ioplug_set_param_minmax(io, SND_PCM_IOPLUG_HW_PERIODS, 3, 1024);
    return result;
}

test_card *test_card_open(snd_pcm_t **pcm, snd_pcm_format_t format, unsigned channels, unsigned rate) {
    test_card *card = calloc(1, sizeof *card);
    if (!card) return NULL;
    card->io.version = SND_PCM_IOPLUG_VERSION;
    card->io.name = "Test sound card";
    card->io.poll_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    card->io.poll_events = POLLIN;
    card->io.callback = &callbacks;
    card->io.private_data = card;
    if (snd_pcm_ioplug_create(&card->io, "test", SND_PCM_STREAM_CAPTURE, SND_PCM_NONBLOCK) < 0) {
        close(card->io.poll_fd);
        free(card);
        return NULL;
    }
    *pcm = card->io.pcm;
    if (constrain(&card->io, format, channels, rate) < 0) {
        snd_pcm_close(*pcm);
        return NULL;
    }
    return card;
}

void test_card_do(test_card *card, test_card_event event) { atomic_store(&card->event, (int)event); }
