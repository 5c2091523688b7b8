#pragma once
#include <poll.h>
#include <time.h>
#include <xcb/composite.h>
#include <xcb/damage.h>
#include <xcb/randr.h>
#include <xcb/shm.h>
#include <xcb/xcb.h>
#include <xcb/xcbext.h>
#include <xcb/xfixes.h>

/// poll(2) with a timeout in nanoseconds: the C library has it, but Swift's Glibc module does not show it.
int ppoll(struct pollfd *entries, nfds_t count, const struct timespec *timeout, const __sigset_t *signals);
