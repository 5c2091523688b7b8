// libpulse is not linked but loaded where a sound server is asked for: it brings 28 libraries, and a machine without
// sound has none of them. What is used of it stands in a table that dlsym(3) fills.
#pragma once
#include <dlfcn.h>
#include <pulse/pulseaudio.h>
#include <stdbool.h>

#define PULSE_FUNCTIONS(_) \
    _(pa_strerror) \
    _(pa_mainloop_new) \
    _(pa_mainloop_free) \
    _(pa_mainloop_get_api) \
    _(pa_mainloop_set_poll_func) \
    _(pa_mainloop_prepare) \
    _(pa_mainloop_poll) \
    _(pa_mainloop_dispatch) \
    _(pa_context_new) \
    _(pa_context_connect) \
    _(pa_context_disconnect) \
    _(pa_context_unref) \
    _(pa_context_get_state) \
    _(pa_context_errno) \
    _(pa_context_get_server_info) \
    _(pa_context_get_source_info_list) \
    _(pa_context_set_subscribe_callback) \
    _(pa_context_subscribe) \
    _(pa_operation_get_state) \
    _(pa_operation_unref) \
    _(pa_stream_new) \
    _(pa_stream_unref) \
    _(pa_stream_connect_record) \
    _(pa_stream_disconnect) \
    _(pa_stream_get_state) \
    _(pa_stream_set_suspended_callback) \
    _(pa_stream_get_latency) \
    _(pa_stream_readable_size) \
    _(pa_stream_peek) \
    _(pa_stream_drop)

/// Each function under its own name.
struct pulse_functions {
#define PULSE_FIELD(name) __typeof__(&name) name;
    PULSE_FUNCTIONS(PULSE_FIELD)
#undef PULSE_FIELD
};

/// False where `library`, which dlopen(3) gave, has not all of them.
static inline bool pulse_load(struct pulse_functions *functions, void *library) {
    bool isComplete = true;
#define PULSE_LOAD(name) \
    functions->name = (__typeof__(&name))dlsym(library, #name); \
    isComplete = isComplete && functions->name;
    PULSE_FUNCTIONS(PULSE_LOAD)
#undef PULSE_LOAD
    return isComplete;
}

#undef PULSE_FUNCTIONS
