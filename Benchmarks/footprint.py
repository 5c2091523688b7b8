"""Peak memory of a share at 1280×720 that does more than send ten viewers pictures: some hear the sound, or one is slow.

The screen is of 1920×1080 and in full motion, at 30 fps and 4 Mbit/s, as for the share that only sends pictures (figures.py).
"""

import contextlib
import time

from bench import BITRATE, Bench
from measure import memory

from harness import sharer, sound
from harness.displays import Display
from harness.networks import Lab
from harness.paths import scratch_file

SIZE = "1280x720"
VIEWERS = 10
MEASURE = 10
# Until a slow viewer has been found out; of its estimate's fall nobody knows how long it takes.
PATIENCE = 40


def with_sound(listeners):
    """A sound server's null sink plays a tone; so many of the viewers take it beside the pictures, the others don't."""
    with Bench("motion") as bench:
        server = sound.SoundServer()
        bench.callback(server.kill)
        bench.callback(server.play(sound.tone(440, 240), latency=20).kill)
        share = bench.share("ours", SIZE, "--audio", "system", env=server.env)
        if others := VIEWERS - listeners:
            crowd = bench.watch(share.whep, "--no-decode", "--viewers", str(others), "--duration", "240")
            crowd.nth_event("first", others, 40)
        sink = bench.enter_context(open("/dev/null", "wb"))
        for _ in range(listeners):
            viewer = sharer.view(bench.lan, "--audio", scratch_file(".opus"), output=sink, whep=share.whep)
            bench.callback(viewer.kill)
            viewer.wait_for("First picture", 20)
        time.sleep(MEASURE)
        last = share.statistics.last
        if "system" not in last["sound"] or last["viewers"] != VIEWERS:
            raise RuntimeError(f"{last['viewers']} viewers, sound {last['sound']}\n{share.process.describe()}")
        return {**memory(share.process.pid), "lanes": last["lanes"]}


def with_slow_viewer(rate):
    """One of the viewers is behind a narrow link: it is sent an encoding of its own."""
    with contextlib.ExitStack() as stack:

        def keep(made):
            stack.callback(made.kill if hasattr(made, "kill") else made.close)
            return made

        link = keep(Lab("both", "delay=10ms"))
        display = keep(Display())
        display.show("video30")
        options = ("--display", display.name, "--audio", "none", "--open", "--fps", "30", "--bitrate", str(BITRATE))
        share = keep(sharer.Sharer(link["a"], *options, "--size", SIZE, listen=f"{Lab.ADDRESSES['a']}:8080"))
        others = ["--no-decode", "--feedback", "--viewers", str(VIEWERS - 1), "--duration", "240"]
        keep(sharer.gstreamer(link["a"], share.whep, *others)).nth_event("first", VIEWERS - 1, 40)
        sink = stack.enter_context(open("/dev/null", "wb"))
        slow = keep(sharer.view(link["b"], output=sink, whep=share.whep))
        slow.statistics.wait(lambda line: line["frames"] > 15, 20, "pictures")
        link.set("both", f"rate={rate}", "queue=300ms")
        share.statistics.wait(lambda line: line["lanes"] > 1, PATIENCE, "a rung of its own")
        time.sleep(MEASURE)
        last = share.statistics.last
        if last["lanes"] < 2 or last["viewers"] != VIEWERS:
            raise RuntimeError(f"{last['viewers']} viewers, {last['lanes']} lanes\n{share.process.describe()}")
        return {**memory(share.process.pid), "lanes": last["lanes"]}


# Behind 1 Mbit/s a film is still encoded at its size, behind 64 kbit/s at a third of its width and height.
CASES = {
    "system sound, heard by one of 10 viewers": (with_sound, 1),
    "system sound, heard by all of 10": (with_sound, VIEWERS),
    "10 viewers, one of them behind 1 Mbit/s": (with_slow_viewer, "1mbit"),
    "10 viewers, one of them behind 64 kbit/s": (with_slow_viewer, "64kbit"),
}


def figures(case):
    """Megabytes."""
    measure, how = CASES[case]
    return measure(how)
