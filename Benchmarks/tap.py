"""What enters and leaves both ends of a link, with the kernel's own times: packet sockets in two namespaces.

SRTP leaves RTP headers readable (RFC 3711 section 3.1), so that what is sent first, what again, and how long each
packet is under way can be told without a word from either peer.
"""

import ctypes
import gc
import os
import select
import socket
import struct
import threading
from typing import NamedTuple

ETH_P_ALL = 0x0003
PACKET_OUTGOING = 4
SO_TIMESTAMPNS = 35
SO_RCVBUFFORCE = 33
CLONE_NEWNET = 0x40000000
TCP, UDP = 6, 17
# Enough of a packet for IPv6, UDP and RTP headers.
SNAP = 96
libc = ctypes.CDLL(None, use_errno=True)


class Packet(NamedTuple):
    at: float
    length: int
    protocol: int
    # "rtp", "rtcp" or "other"; the rest is of RTP alone.
    kind: str
    payload_type: int = 0
    sequence_number: int = 0
    timestamp: int = 0
    ssrc: int = 0

    @property
    def name(self):
        return self.ssrc, self.payload_type, self.sequence_number


def parse(data, at, length):
    """An IP packet; None where it is neither UDP nor TCP."""
    if data[0] >> 4 == 4:
        protocol, place = data[9], (data[0] & 15) * 4
    else:
        protocol, place = data[6], 40
    if protocol == TCP:
        return Packet(at, length, TCP, "other")
    payload = data[place + 8 :]
    if protocol != UDP or len(payload) < 2:
        return None
    # RFC 7983: 128 to 191 is RTP or RTCP; RFC 5761 section 4 tells them apart.
    if not 128 <= payload[0] <= 191:
        return Packet(at, length, UDP, "other")
    if 192 <= payload[1] <= 223:
        return Packet(at, length, UDP, "rtcp")
    if len(payload) < 12:
        return None
    sequence_number, timestamp, ssrc = struct.unpack_from("!HII", payload, 2)
    return Packet(at, length, UDP, "rtp", payload[1] & 127, sequence_number, timestamp, ssrc)


def open_in(namespace):
    """A packet socket in another network namespace; only the calling thread goes there, and comes back."""
    home = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
    there = os.open(namespace, os.O_RDONLY)
    try:
        if libc.setns(there, CLONE_NEWNET):
            raise OSError(ctypes.get_errno(), f"setns {namespace}")
        made = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(ETH_P_ALL))
        made.bind(("eth0", ETH_P_ALL))
    finally:
        libc.setns(home, CLONE_NEWNET)
        os.close(there)
        os.close(home)
    made.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 32 << 20)
    made.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
    made.setblocking(False)
    return made


class Tap:
    """Four lists of packets: `sent["a"]` left side a, `arrived["b"]` reached side b, and so on."""

    def __init__(self, namespaces):
        # Millions of packets take a fifth of a second to look through, in which no picture gets its time.
        gc.disable()
        self.sent = {side: [] for side in namespaces}
        self.arrived = {side: [] for side in namespaces}
        self.sockets = {open_in(path): side for side, path in namespaces.items()}
        self.over = threading.Event()
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        while not self.over.is_set():
            ready, _, _ = select.select(list(self.sockets), [], [], 0.2)
            for one in ready:
                self.drain(one, self.sockets[one])
            # Kernel times stay exact: what comes may wait for its turn.
            self.over.wait(0.02)

    def drain(self, one, side):
        while True:
            try:
                data, extra, _, address = one.recvmsg(SNAP, 64, socket.MSG_TRUNC)
            except BlockingIOError:
                return
            seconds, nanoseconds = struct.unpack("qq", extra[0][2][:16])
            length = ip_length(data)
            packet = parse(data, seconds + nanoseconds / 1e9, length) if length else None
            if packet:
                (self.sent if address[2] == PACKET_OUTGOING else self.arrived)[side].append(packet)

    def close(self):
        self.over.set()
        self.reader.join(2)
        gc.enable()
        for one in self.sockets:
            one.close()


def ip_length(data):
    if len(data) < 28:
        return 0
    if data[0] >> 4 == 4:
        return struct.unpack_from("!H", data, 2)[0]
    return struct.unpack_from("!H", data, 4)[0] + 40 if data[0] >> 4 == 6 else 0
