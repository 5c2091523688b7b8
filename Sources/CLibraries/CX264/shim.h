#pragma once
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <x264.h>

// x264_encoder_open is a macro that pastes the library's build number to the name.
static inline x264_t *shim_x264_open(x264_param_t *parameters) { return x264_encoder_open(parameters); }

// Where x264's messages go. Must live as long as the encoder.
typedef struct {
    void (*write)(void *context, int level, const char *text);
    void *context;
} shim_x264_log;

static inline void shim_x264_write_log(void *log, int level, const char *format, va_list arguments) {
    char text[512];
    vsnprintf(text, sizeof text, format, arguments);
    const shim_x264_log *sink = (const shim_x264_log *)log;
    sink->write(sink->context, level, text);
}

// x264 hands over a format and a va_list: this makes text of them.
static inline void shim_x264_set_log(x264_param_t *parameters, shim_x264_log *log, int level) {
    parameters->pf_log = shim_x264_write_log;
    parameters->p_log_private = log;
    parameters->i_log_level = level;
}
