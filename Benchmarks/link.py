"""netlab's link while it is measured: what it is told and when, and what it says of itself fifty times a second."""

import contextlib
import json
import os
import re
import socket
import threading
import time
from pathlib import Path
from typing import NamedTuple

from tap import Tap

from harness.networks import Lab
from harness.paths import SUPPORT, scratch_file

RUN = Path(os.environ.get("NETLAB_RUN", "/run/netlab"))
PROFILES = SUPPORT / "netlab/profiles"
POLL = 0.02
UNITS = {"bit": 1, "kbit": 1e3, "mbit": 1e6, "gbit": 1e9}


class Sample(NamedTuple):
    """Of the direction from a to b."""

    at: float
    queue: float  # seconds until what came last would have passed
    dropped: int  # packets for which it had no room, so far


class Step(NamedTuple):
    at: float
    rate: float  # bits a second


def schedule_text(name):
    """A profile of netlab's, or what a schedule would hold."""
    path = PROFILES / name
    if path.exists():
        return path.read_text()
    return name if re.match(r"[\d.]+ ", name) else f"0 {name}\n"


def lines(text, seconds):
    """(time, words) of a schedule, its loops unrolled."""
    parsed = [line.partition("#")[0].split() for line in text.splitlines()]
    parsed = [(float(words[0]), words[1:]) for words in parsed if words]
    loop = next((at for at, words in parsed if words == ["loop"]), None)
    turn = 0.0
    while turn < seconds:
        for at, words in parsed:
            if words != ["loop"] and turn + at <= seconds:
                yield turn + at, words
        if loop is None:
            return
        turn += loop


def capacities(text, seconds):
    """The rates from a to b as steps since the start; infinite where nothing limits."""
    found = [Step(0.0, float("inf"))]
    for at, words in lines(text, seconds):
        for word in words[1:]:
            if words[0] in ("up", "both") and (match := re.fullmatch(r"rate=(?:([\d.]+)([a-z]+)|none)", word)):
                rate = float(match[1]) * UNITS[match[2]] if match[1] else float("inf")
                found = [step for step in found if step.at < at] + [Step(at, rate)]
    return found


def capacity_between(steps, begin, end):
    """Bytes that could pass."""
    total = 0.0
    for step, following in zip(steps, steps[1:] + [Step(float("inf"), 0)]):
        overlap = min(end, following.at) - max(begin, step.at)
        if overlap > 0:
            total += overlap * step.rate / 8
    return total


class Link(Lab):
    """A lab with a tap at both ends and a thread that asks the emulator how it stands."""

    def __init__(self, *options):
        super().__init__(*options)
        self.folder = RUN / self.name
        state = json.loads((self.folder / "state.json").read_text())
        names = {side: f"/proc/{state['pid']}/fd/{state['ns'][side]}" for side in ("a", "b")}
        self.tap = Tap(names)
        self.samples = []
        self.over = threading.Event()
        self.poller = threading.Thread(target=self.poll, daemon=True)
        self.poller.start()

    def tell(self, command):
        """Straight to the emulator: a millisecond instead of a process."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as one:
            one.bind("")
            one.settimeout(2)
            one.connect(str(self.folder / "control"))
            one.send(command.encode())
            reply = one.recv(1 << 18).decode()
        if reply.startswith("error: "):
            raise RuntimeError(f"netlab {command}: {reply[7:].strip()}")
        return reply

    def begin(self, text):
        """Starts a schedule; when that was."""
        path = scratch_file(".schedule")
        path.write_text(text)
        at = time.time()
        self.tell(f"schedule {path}")
        return at

    def poll(self):
        while not self.over.wait(POLL):
            with contextlib.suppress(OSError):
                asked = time.time()
                up = json.loads(self.tell("stats"))["up"]
                rate = up["link"]["rate"]
                queue = up["queue_bytes"] * 8 / rate if rate else 0.0
                self.samples.append(Sample(asked, queue, up["packets_queue_dropped"]))

    def last_words(self):
        """Whether the machine kept up: delivered late, or dropped before the link."""
        up = json.loads(self.stats())["up"]
        keys = ("packets_in", "packets_lost", "packets_queue_dropped", "packets_overrun", "late_ms", "queue_delay_ms")
        return {key: up[key] for key in keys}

    def close(self):
        self.over.set()
        self.poller.join(3)
        self.tap.close()
        super().close()
