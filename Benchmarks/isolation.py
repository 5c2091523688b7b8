"""What one bad viewer takes from the others: a good viewer's pictures, and how fine they are, before and beside it.

The screen is in full motion at 4 Mbit/s. The good viewer is where the sharer is; the bad one has 64 kbit/s, or asks for a
keyframe a thousand times a second, or for ten thousand packets.
"""

import contextlib
import time

from bench import BITRATE
from measure import median

from harness import hostile, sharer
from harness.displays import Display
from harness.networks import Lab

CASES = ("64 kbit/s", "1,000 PLI/s", "10,000 NACK/s")
FLOODS = {"1,000 PLI/s": {"kind": "pli", "rate": 1000}, "10,000 NACK/s": {"kind": "nack", "rate": 10_000}}
# Seconds until a slow viewer has been found out.
SETTLE = 8


def figures(case, seconds):
    """The share of its pictures and of their quantiser that is left, or added, beside the bad viewer."""
    with contextlib.ExitStack() as stack:

        def keep(made):
            stack.callback(made.kill if hasattr(made, "kill") else made.close)
            return made

        link = keep(Lab("both", "delay=10ms"))
        display = keep(Display(1280, 720))
        display.show("video30")
        whep = f"http://{Lab.ADDRESSES['a']}:8080/v1/rooms/demo/whep"
        options = ("--display", display.name, "--audio", "none", "--open", "--fps", "30", "--bitrate", str(BITRATE))
        host = keep(sharer.Sharer(link["a"], *options, listen=f"{Lab.ADDRESSES['a']}:8080"))
        sink = stack.enter_context(open("/dev/null", "wb"))
        good = keep(sharer.view(link["a"], output=sink, whep=whep))
        good.statistics.wait(lambda line: line["frames"] > 30, 20, "pictures")
        time.sleep(5)
        alone = looked_at(host, good, seconds)
        if case in FLOODS:
            bad = keep(hostile.viewer(link["b"], whep))
            bad.do("join")
            bad.begin("flood", seconds=seconds + SETTLE + 4, **FLOODS[case])
        else:
            keep(sharer.view(link["b"], output=sink, whep=whep)).statistics.wait(lambda line: line["frames"] > 15, 20)
            link.set("both", "rate=64kbit", "queue=300ms")
        time.sleep(SETTLE)
        beside = looked_at(host, good, seconds)
    return {
        "alone": alone, "beside": beside,
        "pictures": round(beside["fps"] / alone["fps"], 4),
        "quantiser": round(beside["quantiser"] / alone["quantiser"], 4),
    }


def looked_at(host, good, seconds):
    """The good viewer's pictures a second, and the middle of the quantisers that the sharer tells each second."""
    first, known = good.statistics.last, len(host.statistics.all())
    time.sleep(seconds)
    last = good.statistics.last
    told = [line["quantiser"] for line in host.statistics.all()[known:]]
    fps = (last["frames"] - first["frames"]) / (last["time"] - first["time"])
    return {"fps": round(fps, 2), "quantiser": round(median(told), 2)}
