"""Somebody who was never let in: sends forged datagrams, speaks first, and sees where a sharer's packets go.

It does what comes on stdin, one JSON object a line, and tells what came of it:

    {"do": "forge", "port": 5000, "rate": 20000, "seconds": 5, "ufrag": "…"}     of all kinds, from many sockets
    {"do": "hello", "port": 5000, "rate": 2000, "seconds": 5}                     ClientHellos, well and badly made
    {"do": "tap", "port": 5000}          from now on all that leaves that port is counted, by where it goes
    {"do": "tapped"}                     {"to": {"10.99.0.1:4000": {"stun": bytes, "dtls": …, "media": …}}}

Seeing what others get takes a raw socket, so it runs as root of its network namespace.
"""

import argparse
import json
import os
import random
import select
import socket
import struct
import sys
import time

from aioice import stun
from aiortc.rtcdtlstransport import SRTP_PROFILES, RTCCertificate
from OpenSSL import SSL

SOCKETS = 16
TURN = 200
ETH_P_ALL, ETH_P_IP, OUTGOING = 3, 0x0800, 4  # what leaves is only shown to who takes all


def client_hello():
    """A right one, of somebody else."""
    tls = SSL.Connection(RTCCertificate.generateCertificate()._create_ssl_context(SRTP_PROFILES))
    tls.set_connect_state()
    try:
        tls.do_handshake()
    except SSL.WantReadError:
        return tls.bio_read(1500)


def check(ufrag, key):
    request = stun.Message(message_method=stun.Method.BINDING, message_class=stun.Class.REQUEST)
    request.attributes["USERNAME"] = f"{ufrag}:abcd"
    request.attributes["PRIORITY"] = 2**30
    request.attributes["ICE-CONTROLLING"] = 1
    request.attributes["USE-CANDIDATE"] = None
    if key:
        request.add_message_integrity(key)
    request.add_fingerprint()
    return bytes(request)


def answer():
    reply = stun.Message(message_method=stun.Method.BINDING, message_class=stun.Class.RESPONSE)
    reply.attributes["XOR-MAPPED-ADDRESS"] = ("10.99.0.1", 4000)
    reply.add_message_integrity(b"guessed")
    reply.add_fingerprint()
    return bytes(reply)


def forgeries(ufrag, seed=7):
    """A thousand datagrams that look like everything a sharer knows, and like nothing."""
    chance = random.Random(seed)
    hello = client_hello()
    made = []
    for n in range(1000):
        body = chance.randbytes(chance.randrange(12, 1200))
        made.append(
            [
                lambda body: body,
                # Somebody's fragment may be known; the password is not.
                lambda body: check(ufrag, b"wrong password") if ufrag else body,
                lambda body: check(ufrag, None) if ufrag else body,
                lambda body: check(body[:4].hex(), b"whatever"),
                lambda body: answer(),
                lambda body: bytes((0x80, 97)) + body,
                lambda body: bytes((0x80, chance.choice((200, 201, 203, 205, 206)))) + body,
                lambda body: bytes((chance.choice((20, 21, 22, 23)), 0xFE, 0xFD)) + body,
                lambda body: hello,
                lambda body: bytes((0x16, 0xFE, 0xFD)) + body[:10] + struct.pack("!H", len(body)) + body,
                lambda body: struct.pack("!HHL", 1, len(body), 0x2112A442) + body,
            ][n % 11](body)
        )  # fmt: skip
    return made


def spoilt_hellos(seed=3):
    chance, hello = random.Random(seed), client_hello()
    made = [hello, hello[: len(hello) // 2], hello[:40]]
    for _ in range(200):
        one = bytearray(hello)
        for _ in range(chance.randrange(1, 4)):
            one[chance.randrange(13, len(one))] ^= 1 << chance.randrange(8)
        made += [bytes(one), hello]
    return made


class Stranger:
    def __init__(self, address):
        self.address = address
        self.sockets = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(SOCKETS)]
        for one in self.sockets:
            one.bind((address, 0))
            one.setblocking(False)
        self.raw = None
        self.to = {}

    def back(self):
        """Bytes that came to any of the sockets."""
        total = 0
        for one in self.sockets:
            while True:
                try:
                    total += len(one.recv(2048))
                except BlockingIOError:
                    break
                except ConnectionRefusedError:
                    continue
        return total

    def send(self, port, rate, seconds, datagrams):
        begun, sent, out, back = time.monotonic(), 0, 0, 0
        count = int(rate * seconds)
        while sent < count:
            due = min(count, int((time.monotonic() - begun) * rate) + 1, sent + TURN)
            for n in range(sent, due):
                one = datagrams[n % len(datagrams)]
                try:
                    out += self.sockets[n % SOCKETS].sendto(one, (self.address, port))
                except (BlockingIOError, ConnectionRefusedError):
                    pass
            sent = due
            time.sleep(max(0, begun + sent / rate - time.monotonic()))
        took = time.monotonic() - begun
        time.sleep(0.5)
        back += self.back()
        return {"sent": sent, "seconds": took, "bytesOut": out, "bytesBack": back}

    def forge(self, port, rate, seconds, ufrag=None):
        return self.send(port, rate, seconds, forgeries(ufrag))

    def hello(self, port, rate, seconds):
        return self.send(port, rate, seconds, spoilt_hellos())

    # Seeing

    def tap(self, port):
        self.port, self.to = port, {}
        self.raw = self.raw or socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(ETH_P_ALL))
        self.raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
        self.raw.setblocking(False)

    def look(self):
        while True:
            try:
                packet, (_, protocol, kind, _, _) = self.raw.recvfrom(65536)
            except BlockingIOError:
                return
            at = (packet[0] & 15) * 4
            if kind != OUTGOING or protocol != ETH_P_IP or packet[9] != socket.IPPROTO_UDP or len(packet) <= at + 8:
                continue
            source, port = struct.unpack_from("!HH", packet, at)
            if source != self.port:
                continue
            first = packet[at + 8]
            what = "stun" if first <= 3 else "dtls" if 20 <= first <= 63 else "media"
            counts = self.to.setdefault(f"{socket.inet_ntoa(packet[16:20])}:{port}", {"stun": 0, "dtls": 0, "media": 0})
            counts[what] += len(packet) - at - 8

    def tapped(self):
        self.look()
        seen, self.to = self.to, {}
        return {"to": seen}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--address", required=True, help="our own and the sharer's")
    self = Stranger(parser.parse_args().address)
    waiting = b""
    while True:
        readable, _, _ = select.select([0, *([self.raw] if self.raw else [])], [], [])
        if self.raw in readable:
            self.look()
        if 0 not in readable:
            continue
        got = os.read(0, 65536)
        if not got:
            return
        *lines, waiting = (waiting + got).split(b"\n")
        for line in lines:
            command = json.loads(line)
            what = command.pop("do")
            print(json.dumps({"event": "done", "do": what, **(getattr(self, what)(**command) or {})}), flush=True)


if __name__ == "__main__":
    sys.exit(main())
