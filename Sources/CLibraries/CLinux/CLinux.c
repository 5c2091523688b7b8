#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <linux/rtnetlink.h>
#include <malloc.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

int linux_eventfd(void) { return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC); }

long linux_room_in_empty_pipe(int pipe) {
    const int size = fcntl(pipe, F_GETPIPE_SZ);
    int unread = 0;
    return size > 0 && !ioctl(pipe, FIONREAD, &unread) && unread == 0 ? size : 0;
}

int linux_poll(struct pollfd *entries, unsigned long count, long long nanoseconds) {
    const struct timespec timeout = {nanoseconds / 1000000000, nanoseconds % 1000000000};
    return ppoll(entries, count, nanoseconds < 0 ? NULL : &timeout, NULL);
}

int linux_watch_addresses(void) {
    const int watch = socket(AF_NETLINK, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, NETLINK_ROUTE);
    if (watch < 0) return -1;
    // Messages that find no room are no error: whoever reads asks the system for its addresses anyway.
    setsockopt(watch, SOL_NETLINK, NETLINK_NO_ENOBUFS, &(int){1}, sizeof(int));
    const struct sockaddr_nl groups = {
        .nl_family = AF_NETLINK, .nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR};
    if (bind(watch, (const struct sockaddr *)&groups, sizeof groups) == 0) return watch;
    close(watch);
    return -1;
}

int linux_interface_runs(const char *name) {
    struct ifreq request = {0};
    strncpy(request.ifr_name, name, sizeof request.ifr_name - 1);
    const int any = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    const int fails = any < 0 || ioctl(any, SIOCGIFFLAGS, &request) < 0;
    if (any >= 0) close(any);
    return fails || (request.ifr_flags & IFF_RUNNING);
}

int linux_source_address(const struct sockaddr *there, unsigned length, struct sockaddr *here, unsigned room) {
    const int any = socket(there->sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (any < 0) return 0;
    socklen_t size = room;
    const int is_known = !connect(any, there, length) && !getsockname(any, here, &size);
    close(any);
    return is_known;
}

static struct cmsghdr *put(struct msghdr *message, struct cmsghdr *at, int level, int type, const void *value, size_t size) {
    at->cmsg_level = level;
    at->cmsg_type = type;
    at->cmsg_len = CMSG_LEN(size);
    memcpy(CMSG_DATA(at), value, size);
    message->msg_controllen += CMSG_SPACE(size);
    return (struct cmsghdr *)((char *)at + CMSG_SPACE(size));
}

static int send_once(
    int socket, const struct sockaddr *address, unsigned length, const void *bytes, unsigned long count,
    unsigned short segment, int traffic_class) {
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int)) + CMSG_SPACE(sizeof(uint16_t))] = {0};
    struct iovec part = {(void *)bytes, count};
    struct msghdr message = {
        .msg_name = (void *)address, .msg_namelen = length, .msg_iov = &part, .msg_iovlen = 1, .msg_control = control};
    struct cmsghdr *at = (struct cmsghdr *)control;
    if (traffic_class) {
        const int is6 = address->sa_family == AF_INET6;
        at = put(&message, at, is6 ? IPPROTO_IPV6 : IPPROTO_IP, is6 ? IPV6_TCLASS : IP_TOS, &traffic_class, sizeof traffic_class);
    }
    if (segment) put(&message, at, SOL_UDP, UDP_SEGMENT, &segment, sizeof segment);
    if (!message.msg_controllen) message.msg_control = NULL;
    while (sendmsg(socket, &message, MSG_NOSIGNAL) < 0)
        if (errno != EINTR) return errno;
    return 0;
}

int linux_send_datagrams(
    int socket, const struct sockaddr *address, unsigned length, const void *bytes, unsigned long count,
    unsigned short segment, int traffic_class) {
    int failure = send_once(socket, address, length, bytes, count, segment, traffic_class);
    // EIO: the device can't. The others: a segment is longer than the path takes; one alone is cut up on the way.
    const int can_be_single = failure == EIO || failure == EMSGSIZE || failure == EINVAL;
    if (!can_be_single || !segment) return failure;
    for (unsigned long begin = 0; begin < count; begin += segment) {
        const unsigned long rest = count - begin;
        failure = send_once(
            socket, address, length, (const char *)bytes + begin, rest < segment ? rest : segment, 0, traffic_class);
        if (failure) return failure;
    }
    return 0;
}

void linux_name_thread(const char *name) { pthread_setname_np(pthread_self(), name); }

int linux_raise_thread(int least_nice) {
    const int nice = getpriority(PRIO_PROCESS, 0);
    // Who gave the program another policy, or another share of the processor, meant it.
    if (sched_getscheduler(0) != SCHED_OTHER || nice != 0) return 0;
    const struct sched_param least = {.sched_priority = sched_get_priority_min(SCHED_RR)}, none = {0};
    struct rlimit limit;
    // A real-time thread is killed where it has not rested for so long.
    if (!getrlimit(RLIMIT_RTTIME, &limit) && limit.rlim_cur == RLIM_INFINITY &&
        !sched_setscheduler(0, SCHED_RR | SCHED_RESET_ON_FORK, &least))
        return 1;
    if (nice <= least_nice || sched_setscheduler(0, SCHED_OTHER | SCHED_RESET_ON_FORK, &none)) return nice;
    // With CAP_SYS_NICE as far as is wished, without as far as the limit says: 20 less that (getrlimit(2)).
    if (setpriority(PRIO_PROCESS, 0, least_nice) && !getrlimit(RLIMIT_NICE, &limit) && limit.rlim_cur > (rlim_t)(20 - nice))
        setpriority(PRIO_PROCESS, 0, 20 - (int)limit.rlim_cur);
    return getpriority(PRIO_PROCESS, 0);
}

void linux_lower_thread(void) {
    sched_setscheduler(0, SCHED_OTHER | SCHED_RESET_ON_FORK, &(struct sched_param){0});
    if (getpriority(PRIO_PROCESS, 0) < 0) setpriority(PRIO_PROCESS, 0, 0);
}

void linux_keep_heap_small(void) {
    mallopt(M_ARENA_MAX, 1);
    mallopt(M_TRIM_THRESHOLD, 1 << 20);
    mallopt(M_MMAP_THRESHOLD, 1 << 17);
    // A huge page is resident whole as soon as one byte of it is used: an encoder's large, little used buffers.
    prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
}

/// A page of a file that is touched is mapped with the fifteen around it, but none beyond its mapping's end. So code, of which
/// little is used, is parted into mappings of four pages: every other one gets a flag that says nothing of what is never
/// written. Not the first, where a core dump has what names the program.
static void part(uintptr_t first, uintptr_t end, uintptr_t page) {
    const uintptr_t length = 4 * page;
    for (uintptr_t start = first + length; start < end; start += 2 * length)
        if (madvise((void *)start, end - start < length ? end - start : length, MADV_DONTDUMP)) return;
}

/// The segments of one loaded object that hold code and constants: never written, so their file still has them.
static int forget_code(struct dl_phdr_info *object, size_t size, void *parts) {
    (void)size;
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    for (int index = 0; index < object->dlpi_phnum; index++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[index];
        if (segment->p_type != PT_LOAD || (segment->p_flags & PF_W)) continue;
        const uintptr_t start = object->dlpi_addr + segment->p_vaddr;
        const uintptr_t first = (start + page - 1) & ~(page - 1);
        const uintptr_t end = (start + segment->p_filesz) & ~(page - 1);
        if (end <= first) continue;
        if (parts) part(start & ~(page - 1), (start + segment->p_filesz + page - 1) & ~(page - 1), page);
        madvise((void *)first, end - first, MADV_DONTNEED);
    }
    return 0;
}

void linux_forget_unused_code(void) {
    // What is loaded later stays whole: to part everything anew would hold up who needs code meanwhile.
    static atomic_flag parted = ATOMIC_FLAG_INIT;
    int parts = 1;
    dl_iterate_phdr(forget_code, atomic_flag_test_and_set(&parted) ? 0 : &parts);
}
