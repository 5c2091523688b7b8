// libpulse is not linked but loaded where a sound server is asked for: it brings 28 libraries, and a machine without
// sound has none of them. Each function below calls the one of that name in it; `library` is what dlopen(3) gave.
#pragma once
#include <dlfcn.h>
#include <pulse/pulseaudio.h>

#define PULSE(name) ((__typeof__(&name))dlsym(library, #name))

static inline const char *pulse_strerror(void *library, int error) { return PULSE(pa_strerror)(error); }

static inline pa_mainloop *pulse_mainloop_new(void *library) { return PULSE(pa_mainloop_new)(); }

static inline void pulse_mainloop_free(void *library, pa_mainloop *loop) { PULSE(pa_mainloop_free)(loop); }

static inline void pulse_mainloop_set_poll_func(void *library, pa_mainloop *loop, pa_poll_func poll, void *context) {
    PULSE(pa_mainloop_set_poll_func)(loop, poll, context);
}

// Waits at most so many microseconds, then handles what came; negative on failure.
static inline int pulse_mainloop_run(void *library, pa_mainloop *loop, int timeout) {
    const int prepared = PULSE(pa_mainloop_prepare)(loop, timeout);
    if (prepared < 0) return prepared;
    const int polled = PULSE(pa_mainloop_poll)(loop);
    return polled < 0 ? polled : PULSE(pa_mainloop_dispatch)(loop);
}

static inline pa_context *pulse_context_new(void *library, pa_mainloop *loop, const char *name) {
    return PULSE(pa_context_new)(PULSE(pa_mainloop_get_api)(loop), name);
}

// Starts no server where there is none (PA_CONTEXT_NOAUTOSPAWN).
static inline int pulse_context_connect(void *library, pa_context *context, const char *server) {
    return PULSE(pa_context_connect)(context, server, PA_CONTEXT_NOAUTOSPAWN, NULL);
}

static inline void pulse_context_close(void *library, pa_context *context) {
    PULSE(pa_context_disconnect)(context);
    PULSE(pa_context_unref)(context);
}

static inline pa_context_state_t pulse_context_state(void *library, const pa_context *context) {
    return PULSE(pa_context_get_state)(context);
}

static inline int pulse_context_error(void *library, const pa_context *context) {
    return PULSE(pa_context_errno)(context);
}

static inline pa_operation *pulse_server_info(
    void *library, pa_context *context, pa_server_info_cb_t done, void *userdata) {
    return PULSE(pa_context_get_server_info)(context, done, userdata);
}

static inline pa_operation *pulse_source_list(
    void *library, pa_context *context, pa_source_info_cb_t each, void *userdata) {
    return PULSE(pa_context_get_source_info_list)(context, each, userdata);
}

static inline pa_operation *pulse_subscribe(
    void *library, pa_context *context, pa_subscription_mask_t mask, pa_context_subscribe_cb_t event, void *userdata) {
    PULSE(pa_context_set_subscribe_callback)(context, event, userdata);
    return PULSE(pa_context_subscribe)(context, mask, NULL, NULL);
}

static inline pa_operation_state_t pulse_operation_state(void *library, const pa_operation *operation) {
    return PULSE(pa_operation_get_state)(operation);
}

static inline void pulse_operation_unref(void *library, pa_operation *operation) {
    PULSE(pa_operation_unref)(operation);
}

#undef PULSE
