#define _GNU_SOURCE
#include "CLinux.h"

#include <link.h>
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

int linux_eventfd(void) { return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC); }

int linux_poll(struct pollfd *entries, unsigned long count, long long nanoseconds) {
    const struct timespec timeout = {nanoseconds / 1000000000, nanoseconds % 1000000000};
    return ppoll(entries, count, nanoseconds < 0 ? NULL : &timeout, NULL);
}

void linux_name_thread(const char *name) { pthread_setname_np(pthread_self(), name); }

void linux_keep_heap_small(void) {
    mallopt(M_ARENA_MAX, 1);
    mallopt(M_TRIM_THRESHOLD, 1 << 20);
    mallopt(M_MMAP_THRESHOLD, 1 << 17);
    // A huge page is resident whole as soon as one byte of it is used: an encoder's large, little used buffers.
    prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
}

/// The segments of one loaded object that hold code and constants: never written, so their file still has them.
static int forget_code(struct dl_phdr_info *object, size_t size, void *unused) {
    (void)size;
    (void)unused;
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    for (int index = 0; index < object->dlpi_phnum; index++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[index];
        if (segment->p_type != PT_LOAD || (segment->p_flags & PF_W)) continue;
        const uintptr_t start = object->dlpi_addr + segment->p_vaddr;
        const uintptr_t first = (start + page - 1) & ~(page - 1);
        const uintptr_t end = (start + segment->p_filesz) & ~(page - 1);
        if (end > first) madvise((void *)first, end - first, MADV_DONTNEED);
    }
    return 0;
}

void linux_forget_startup_code(void) { dl_iterate_phdr(forget_code, 0); }
