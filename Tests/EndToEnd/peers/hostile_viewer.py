"""A viewer that means no good, but is one: it joins by WHEP and has ICE, DTLS and SRTP as all others do.

It does what comes on stdin, one JSON object a line, and tells when that is done, with what it saw meanwhile:

    {"do": "join", "feedback": "transport-cc", "setup": "active", "candidates": [...], "reuse": true,
     "until": "secured", "silent": true}         a picture, where nothing is said; the same socket; only signaling
    {"do": "rest", "seconds": 2}
    {"do": "flood", "kind": "pli", "rate": 1000, "seconds": 5, ...}      the kinds are methods of `Floods`
    {"do": "fuzz", "seed": 1, "count": 5000, "rate": 2000}               well encrypted, badly made
    {"do": "replay", "times": 3, "elsewhere": false, "of": "this"}       what this session has sent, or the one before
    {"do": "ask"}                                                        a PLI
    {"do": "tell", "loss": 51, "delay": 0.1, "honest": false}            what reports say from now on
    {"do": "trickle", "candidates": [...]}
    {"do": "spoof", "source": ["10.99.0.1", 4000], "rate": 20, "seconds": 5}     our checks, from another's address
    {"do": "leave"}                                                      BYE; the socket stays

    {"event": "done", "do": ..., "connected": ..., "pictures": ..., ...}
"""

import argparse
import json
import random
import select
import socket
import struct
import sys
import time
import urllib.error

import rtcp
from raw_session import SSRC, Refused, Session

JOIN_SECONDS = 10
# In one turn, so that what comes is read in between.
TURN = 100


class Floods:
    """What to send as the n-th packet of a flood."""

    def __init__(self, session, options):
        self.session, self.options = session, options
        self.media = session.media_ssrc
        self.random = random.Random(options.get("seed", 1))

    def pli(self, n):
        return rtcp.intra_request(SSRC, self.media, n) if n % 2 else rtcp.picture_loss(SSRC, self.media)

    def nack(self, n):
        """A thousand numbers: of late, from long ago, and of what was never sent."""
        highest = self.session.seen.highest or 0
        entries = []
        for entry in range(self.options.get("entries", 1)):
            kind = (n + entry) % 4
            number = highest - self.random.randrange(100)
            if kind == 1:
                number = highest - self.random.randrange(5_000, 30_000)
            if kind == 2:
                number = highest + self.random.randrange(20, 30_000)
            entries.append((number, 0xFFFF))
        return rtcp.nack(SSRC, self.media, entries)

    def long_nack(self, n):
        """As many numbers as fit a datagram, most of them of what there never was."""
        highest = self.session.seen.highest or 0
        return rtcp.nack(SSRC, self.media, [(highest + 500 + 17 * entry + n, 0xFFFF) for entry in range(330)])

    def remb(self, n):
        return rtcp.bitrate_estimate(SSRC, self.media, self.options["bitsPerSecond"])

    def lost(self, n):
        """A report of nothing but loss."""
        return rtcp.receiver_report(SSRC, self.media, 255, self.session.seen.highest or 0, 0, 0)

    def feedback(self, n):
        lie = getattr(self, "feedback_" + self.options["lie"])
        return lie(n, self.taken())

    def taken(self):
        """What came since the last packet of the flood: (number, when)."""
        came, self.session.arrivals = self.session.arrivals, []
        return came

    def feedback_unsent(self, n, came):
        """Packets that nobody sent have come, fast."""
        base = (came[-1][0] if came else 0) + self.random.randrange(500, 30_000)
        return rtcp.transport_feedback(SSRC, self.media, n, base, int(time.monotonic() / 0.064), [1] * 400)

    def feedback_nothing(self, n, came):
        """What came did not, and neither did anything else."""
        base = came[0][0] if came else self.random.randrange(0x10000)
        return rtcp.all_lost(SSRC, self.media, n, base, 0xFFFF if n % 2 else max(1, len(came)))

    def feedback_emptiness(self, n, came):
        """In one datagram, dozens of times: of sixty thousand packets none came."""
        base = came[0][0] if came else self.random.randrange(0x10000)
        return b"".join(rtcp.all_lost(SSRC, self.media, n, base + 1, 0xFFFF) for _ in range(28))

    def feedback_everything(self, n, came):
        """All came at one moment, whatever it was sent at, and what was lost as well."""
        (base, at), count = (came[0], self.span(came)) if came else ((0, time.monotonic()), 1)
        reference = int(at / 0.064)
        ticks = [round(at * 4000) - reference * 256] + [0] * (count - 1)
        return rtcp.transport_feedback(SSRC, self.media, n, base, reference, ticks)

    def feedback_absurd(self, n, came):
        """Times that are far apart, run backwards, and wrap."""
        base, count = (came[0][0], self.span(came)) if came else (0, 1)
        ticks = [self.random.choice((-32768, 32767, 0, 255, None)) for _ in range(count)]
        reference = self.random.choice((0, 0x7FFFFF, 0x800000, 0xFFFFFF, self.random.randrange(1 << 24)))
        return rtcp.transport_feedback(SSRC, self.media, n * 3, base, reference, ticks)

    @staticmethod
    def span(came):
        return min(1000, ((came[-1][0] - came[0][0]) & 0xFFFF) + 1)


class Mutations:
    """Reports and feedback of every kind, spoilt: bits, bytes, lengths, ends; always the same for one seed."""

    def __init__(self, session, seed):
        self.random = random.Random(seed)
        media, highest = session.media_ssrc, session.seen.highest or 0
        self.models = [
            rtcp.receiver_report(SSRC, media, 12, highest, 1, 1),
            rtcp.packet(rtcp.SENDER_REPORT, 1, struct.pack("!L20xL20x", SSRC, media)),
            rtcp.packet(rtcp.SOURCES, 1, struct.pack("!LBB", SSRC, 1, 9) + b"mischief!\0"),
            rtcp.picture_loss(SSRC, media),
            rtcp.intra_request(SSRC, media, 1),
            rtcp.nack(SSRC, media, [(highest - n, n) for n in range(30)]),
            rtcp.bitrate_estimate(SSRC, media, 1_000_000),
            rtcp.transport_feedback(SSRC, media, 1, 5, 7, [4, None, 300, -5, 0, None, 2] * 5),
            rtcp.packet(204, 1, struct.pack("!L", SSRC) + b"nameand some bytes  "),
            rtcp.packet(207, 0, struct.pack("!L", SSRC) + bytes(24)),
        ]  # fmt: skip

    def next(self):
        """One that does not happen to say goodbye: that would be believed, and end the attempt."""
        while True:
            made = self.spoilt()
            if not any(kind == rtcp.BYE for kind, _, _ in rtcp.packets(made)):
                return made

    def spoilt(self):
        choose = self.random
        made = bytearray(b"".join(choose.choice(self.models) for _ in range(choose.choice((1, 1, 2, 5)))))
        for _ in range(choose.choice((1, 1, 2, 8))):
            at = choose.randrange(len(made))
            match choose.randrange(6):
                case 0: made[at] ^= 1 << choose.randrange(8)
                case 1: made[at] = choose.choice((0, 1, 0x7F, 0x80, 0xFF))
                case 2: made[at & ~3 :] = b""
                case 3: made[at:at] = choose.randbytes(choose.randrange(1, 40))
                case 4: made[2:4] = struct.pack("!H", choose.choice((0, 1, 5, 0xFFFF)))
                case 5: made[0] = choose.randrange(0x80, 0xC0)
            if len(made) < 8:
                made += bytes(8 - len(made))
        # The version and the type decide that it is RTCP at all; the rest is ours.
        made[0] = made[0] & 0x3F | 0x80
        if not 192 <= made[1] <= 223:
            made[1] = choose.choice((192, 200, 201, 202, 205, 206, 207, 223))
        return bytes(made[:1200])


class Viewer:
    def __init__(self, arguments):
        self.arguments = arguments
        self.session = self.before = None
        self.elsewhere = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.elsewhere.bind((arguments.address, 0))
        self.elsewhere.setblocking(False)

    # Turns

    def turn(self, until):
        """Reads and answers for a moment."""
        timeout = max(0, min(until - time.monotonic(), 0.02))
        if not self.session:
            return time.sleep(timeout)
        select.select([self.session.socket], [], [], timeout)
        self.session.drain()
        return self.session.tick(time.monotonic())

    def rest(self, seconds):
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            self.turn(until)

    def send_evenly(self, rate, count, make):
        """`count` times at `rate` a second; sends what `make(n)` gives."""
        begun, sent = time.monotonic(), 0
        while sent < count:
            due = min(count, int((time.monotonic() - begun) * rate) + 1, sent + TURN)
            for n in range(sent, due):
                make(n)
            sent = due
            self.turn(begun + sent / rate)
        return time.monotonic() - begun

    # Commands

    def join(self, reuse=False, candidates=None, silent=False, until="picture", **options):
        sock = self.session.socket if reuse else None
        self.before = self.session
        self.session = Session(
            self.arguments.whep, self.arguments.address, sock=sock, candidates=candidates,
            token=self.arguments.token, **options,
        )  # fmt: skip
        begun = time.monotonic()
        self.session.join()
        self.session.silent = silent
        while not silent and not (self.session.secured and (self.session.seen.pictures or until == "secured")):
            if time.monotonic() - begun > JOIN_SECONDS:
                raise Refused(f"answered {self.session.answered}, secured {self.session.secured}, no picture")
            self.turn(time.monotonic() + 0.02)
        return {
            "seconds": time.monotonic() - begun,
            "local": self.session.own,
            "remote": self.session.remote,
            "ufrag": self.session.theirs[0],
        }

    def flood(self, kind, rate, seconds, **options):
        make = getattr(Floods(self.session, options), kind)
        self.session.honest = kind not in ("feedback", "lost")
        took = self.send_evenly(rate, int(rate * seconds), lambda n: self.session.send_rtcp(make(n), keep=False))
        self.session.honest = True
        return {"seconds": took, "sent": int(rate * seconds)}

    def ask(self):
        """For a keyframe, once."""
        self.session.send_rtcp(rtcp.picture_loss(SSRC, self.session.media_ssrc))
        self.rest(0.2)

    def fuzz(self, seed, count, rate):
        mutations, session = Mutations(self.session, seed), self.session

        def one(n):
            # What a viewer never sends is as good: RTP, with a header of chance.
            if n % 16 == 0:
                head = bytes((mutations.random.randrange(0x80, 0xC0), mutations.random.randrange(128)))
                try:
                    return session.send(session.outbound.protect(head + mutations.random.randbytes(200)))
                except Exception:
                    return None
            return session.send_rtcp(mutations.next(), keep=False)

        return {"seconds": self.send_evenly(rate, count, one), "sent": count}

    def replay(self, times, elsewhere=False, of="this"):
        """From the same socket or another, what was sent, and what was heard is sent back."""
        source = self.before if of == "before" else self.session
        sock = self.elsewhere if elsewhere else self.session.socket
        datagrams = [one for kind in ("stun", "dtls", "srtcp") for one in source.kept[kind]] + source.heard
        self.heard_elsewhere()
        count = len(datagrams)
        self.send_evenly(500, times * count, lambda n: sock.sendto(datagrams[n % count], source.remote))
        self.rest(0.5)
        counts = {kind: len(kept) for kind, kept in source.kept.items()}
        _, back, media = self.heard_elsewhere()
        out = times * sum(map(len, datagrams))
        return {"replayed": counts, "bytesOut": out, "bytesBack": back, "mediaBack": media}

    def heard_elsewhere(self):
        """Datagrams, bytes, and of those what is not STUN, at the other socket."""
        count = total = other = 0
        while True:
            try:
                datagram = self.elsewhere.recv(2048)
            except BlockingIOError:
                return count, total, other
            count, total = count + 1, total + len(datagram)
            other += len(datagram) if datagram[:1] > b"\3" else 0

    def tell(self, loss=0, delay=0.0, honest=True):
        self.session.told_loss, self.session.told_delay, self.session.honest = loss, delay, honest

    def trickle(self, candidates):
        self.session.trickle(candidates)

    def spoof(self, source, rate, seconds):
        """Takes a raw socket: as root of the network namespace."""
        raw = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)
        (ip, port), (host, host_port) = source, self.session.remote
        sent = 0

        def one(n):
            nonlocal sent
            check = self.session.check()
            udp = struct.pack("!HHHH", port, host_port, 8 + len(check), 0) + check
            header = struct.pack(
                "!BBHHHBBH4s4s", 0x45, 0, 20 + len(udp), 0, 0, 64, socket.IPPROTO_UDP, 0, socket.inet_aton(ip),
                socket.inet_aton(host),
            )  # fmt: skip
            sent += raw.sendto(header + udp, (host, 0)) - 28

        took = self.send_evenly(rate, int(rate * seconds), one)
        raw.close()
        return {"seconds": took, "bytesOut": sent}

    def leave(self):
        self.session.goodbye()
        self.rest(0.3)

    def do(self, command):
        what = command.pop("do")
        seen = self.session.seen if self.session else None
        before = seen and (seen.pictures, seen.keyframes, seen.media_bytes, seen.repair_bytes, len(seen.repairs))
        try:
            found = getattr(self, what)(**command) or {}
        except (Refused, OSError, urllib.error.HTTPError) as reason:
            return print(json.dumps({"event": "failed", "do": what, "reason": str(reason)}), flush=True)
        told = {"event": "done", "do": what, **found}
        if seen and seen is self.session.seen:
            pictures, keyframes, media, repair, repairs = before
            told |= {
                "pictures": seen.pictures - pictures,
                "keyframes": seen.keyframes - keyframes,
                "mediaBytes": seen.media_bytes - media,
                "repairBytes": seen.repair_bytes - repair,
                **self.repairs(seen.repairs[repairs:]),
            }
        session = self.session
        told["connected"] = not session.ended and time.monotonic() - session.seen.last_media < 2
        return print(json.dumps(told), flush=True)

    @staticmethod
    def repairs(repairs):
        """How often one packet was sent again, and after how long at the soonest."""
        last, count, soonest = {}, {}, None
        for at, number in repairs:
            if number in last:
                soonest = min(soonest or 1e9, at - last[number])
            last[number] = at
            count[number] = count.get(number, 0) + 1
        return {"repairs": len(repairs), "repeated": max(count.values(), default=0), "soonest": soonest}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--whep", required=True)
    parser.add_argument("--address", required=True, help="our own")
    parser.add_argument("--token")
    viewer = Viewer(parser.parse_args())
    waiting = b""
    while True:
        readable, _, _ = select.select([0, *([viewer.session.socket] if viewer.session else [])], [], [], 0.02)
        if 0 in readable:
            got = sys.stdin.buffer.raw.read(65536)
            if not got:
                return
            *lines, waiting = (waiting + got).split(b"\n")
            for line in lines:
                viewer.do(json.loads(line))
        if viewer.session:
            viewer.turn(time.monotonic())


if __name__ == "__main__":
    main()
