// Calls of the operating system that the Glibc module does not show to Swift.
#pragma once

/// A non-blocking, close-on-exec eventfd(2), or -1.
int linux_eventfd(void);

struct pollfd;

/// ppoll(2) without signals; a negative time is for ever.
int linux_poll(struct pollfd *entries, unsigned long count, long long nanoseconds);

/// A non-blocking, close-on-exec netlink(7) socket on which something comes when an IP address or a link of this machine
/// comes, goes or changes (rtnetlink(7)), or -1.
int linux_watch_addresses(void);

/// Whether an interface can carry packets (IFF_RUNNING, netdevice(7)); where that can't be told, it is taken to.
int linux_interface_runs(const char *name);

struct sockaddr;

/// Puts the address that the system sends datagrams from, to `there`, into `here`, which has `room` bytes. Nothing is sent.
/// 0 where no route leads there.
int linux_source_address(const struct sockaddr *there, unsigned length, struct sockaddr *here, unsigned room);

/// sendmsg(2) of one datagram, or of several of `segment` bytes each (UDP_SEGMENT, udp(7); 0: one), with `traffic_class`
/// in the IP header (IP_TOS, ip(7)). One by one where the device can't split them, or a segment is longer than the path's
/// MTU. 0, or what errno says.
int linux_send_datagrams(
    int socket, const struct sockaddr *address, unsigned length, const void *bytes, unsigned long count,
    unsigned short segment, int traffic_class);

/// Bytes that can be written into an empty pipe(7) without waiting; 0 where it is none, or not empty: each write may have left a page
/// in use in part.
long linux_room_in_empty_pipe(int pipe);

/// Names the calling thread for debuggers and `top`; at most 15 bytes.
void linux_name_thread(const char *name);

/// Puts the calling thread ahead of ordinary ones, as far as the process may, and none that it starts: 1 where it is real-time
/// now (SCHED_RR, sched(7)), which it is not made where RLIMIT_RTTIME would have it killed; otherwise its nice value, down
/// to `least_nice`. What has another policy, or a nice value of its own, is left as it is: 0.
int linux_raise_thread(int least_nice);

/// Undoes that.
void linux_lower_thread(void);

/// One malloc arena instead of one per thread, memory of freed frames goes back to the system (mallopt(3)), and no huge
/// pages, which are resident whole (prctl(2)).
void linux_keep_heap_small(void);

/// Unmaps all pages of code and constants: those that are still needed come back from the page cache, and what only starting up or
/// a handshake has used does not stay resident. From then on a page that is touched brings no more than three with it.
void linux_forget_unused_code(void);
