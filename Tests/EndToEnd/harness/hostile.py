"""Those who mean no good, and what a share and its good viewer make of them."""

import itertools
import json
import re
import time

from . import sharer
from .paths import PEERS, VENV_PYTHON
from .processes import Peer, Timeout, wait_until
from .wakes import Wakes


# Of the test pattern, which takes a tenth more bytes in one half of it than in the other.
PERIOD = 4


class Attacker(Peer):
    """A peer that is told what to do by JSON objects on its stdin, and tells what came of it."""

    def __init__(self, place, program, *options):
        command = [VENV_PYTHON, PEERS / program, *options]
        super().__init__(place.command(command), name=program, stdin=-1)
        self.asked = 0

    def begin(self, what, **options):
        self.asked += 1
        self.child.stdin.write(json.dumps({"do": what, **options}).encode() + b"\n")
        self.child.stdin.flush()

    def end(self, timeout):
        """What came of the last command."""
        number = self.asked

        def come():
            told = [event for event in self.events() if event.get("event") in ("done", "failed")]
            if len(told) < number and not self.running:
                raise Timeout(f"ended\n{self.describe()}")
            return told[number - 1] if len(told) >= number else None

        return wait_until(come, timeout, f"an answer of {self.name}: {self.text()[-2000:]}")

    def do(self, what, **options):
        self.begin(what, **options)
        told = self.end(20 + options.get("seconds", 0) * 3)
        assert told["event"] == "done", f"{told}\n{self.describe()}"
        return told


def viewer(place, whep, *options):
    """A connected viewer that means no good."""
    return Attacker(place, "hostile_viewer.py", "--whep", whep, "--address", place.address, *options)


def stranger(place, *options):
    """Somebody who was never let in."""
    return Attacker(place, "stranger.py", "--address", place.address, *options)


class Watch:
    """`screenshare view` beside an attack, and what it gets in a stretch of time."""

    def __init__(self, start, place, path, *options):
        self.wakes = start(Wakes)
        with open(path, "wb") as file:
            self.process = start(sharer.view, place, *options, output=file)
        self.path = path
        self.marked = 0, None
        # When its statistics begin to count, as of `time.time()`.
        self.zero = float("inf")
        self.process.statistics.wait(lambda line: line["frames"] > 20, 20, "pictures")

    def mark(self):
        """A line of its statistics that was written now or after now."""
        at, line = self.marked
        if time.monotonic() - at > 0.1:
            line = self.process.statistics.wait(lambda line: True, 5, "statistics of the good viewer")
            self.marked = time.monotonic(), line
            self.zero = min(self.zero, time.time() - line["time"])
        return line

    def rate(self, before, after):
        """Pictures a second between two lines, without the moment by which the machine woke somebody late, at most."""
        seconds = after["time"] - before["time"]
        late = self.wakes.longest(self.zero + before["time"], self.zero + after["time"])
        return (after["frames"] - before["frames"]) / (seconds - min(late, seconds / 2))

    def rates(self, before, after):
        lines = [line for line in self.process.statistics.all() if before["time"] <= line["time"] <= after["time"]]
        seconds = after["time"] - before["time"]
        found = {
            "fps": (after["frames"] - before["frames"]) / seconds,
            "worst": min(self.rate(a, b) for a, b in itertools.pairwise(lines)),
            "bytes": (after["bytes"] - before["bytes"]) / seconds,
            "trouble": {name: after[name] - before[name] for name in ("lost", "skipped", "keyframeRequests", "joins")},
        }
        print(f"{seconds:.1f} s: {found}")
        return found

    def measure(self, seconds=PERIOD):
        before = self.mark()
        time.sleep(seconds - 0.5)
        return self.rates(before, self.mark())

    def during(self, action):
        """What `action()` gave, and what the viewer got from before it until after it."""
        before = self.mark()
        result = action()
        return result, self.rates(before, self.mark())

    def assert_unharmed(self, calm, attacked, bytes_too=True):
        """Within a tenth of what it was, in its worst second within a quarter, and nothing lost.

        Where there were fewer pictures they are counted again, now that the attack is over: the machine may have got more to
        do since. Harm that lasts is harm as well. Bytes are counted by the picture, so that a machine with too much to do is
        not taken for a change of the stream."""
        fps = calm["fps"]
        if attacked["fps"] < 0.9 * fps or attacked["worst"] < 0.75 * fps:
            after = self.measure()
            assert after["fps"] >= 0.75 * fps, f"{calm} → {attacked} → {after}"
            fps = min(fps, after["fps"])
        assert attacked["fps"] >= 0.9 * fps, f"{calm} → {attacked}"
        assert attacked["worst"] >= 0.75 * fps, f"{calm} → {attacked}"
        if bytes_too:
            assert 0.9 <= share_of_bytes(calm, attacked) <= 1.1, f"{calm} → {attacked}"
        assert not any(attacked["trouble"].values()), attacked


def share_of_bytes(calm, attacked):
    """Of what a picture took before."""
    return attacked["bytes"] / attacked["fps"] / (calm["bytes"] / calm["fps"])


def peers(line):
    """The viewers of a line of the sharer's statistics, in the order of their joining."""
    return sorted(line["peers"], key=lambda peer: int(re.search(r"\d+", peer["id"])[0]))


def show(host, seconds):
    """What the sharer made of the last seconds, for whoever reads why a test failed."""
    for line in host.statistics.all()[-seconds:]:
        kept = {name: round(line[name], 2) for name in ("time", "fps", "bitrate", "cpu", "lanes", "framesDropped")}
        print(kept, [(peer["availableBitrate"], round(peer["queueDelayMs"] or 0)) for peer in peers(line)])


def dropped(place, port):
    """Datagrams that the kernel dropped because the program at a UDP port did not take them."""
    total = 0
    for line in place.place.run("cat", "/proc/net/udp").splitlines()[1:]:
        fields = line.split()
        if int(fields[1].rpartition(":")[2], 16) == port:
            total += int(fields[-1])
    return total
