"""The figures themselves. Each returns what was measured, for one of the two sharers at a time."""

import random
import struct
import subprocess
import time

from bench import BITRATE, Bench
from measure import median, memory, percentile, processor_seconds, thread_seconds

from harness import annexb
from harness.paths import ARTIFACTS

SETTLE = 3.0
MEASURE = 10.0
# Threads of our sharer that serve viewers and signaling; GStreamer has none of the name.
EVENT_LOOPS = "NIO-ELT"


def cpu(which, content, repeats):
    """Fraction of a core while one viewer watches; the median of several runs."""
    runs, seen = [], []
    for _ in range(repeats):
        with Bench(content) as bench:
            share = bench.share(which)
            viewer = bench.watch(share.whep, "--no-decode", "--duration", "60")
            viewer.event("first", 20)
            runs.append(rate(share.process.pid))
            viewer.stop(timeout=10)
            seen.append(viewer.event("summary"))
    sent = {name: median([summary[name] for summary in seen]) for name in ("fps", "bitrate")}
    return {"cpu": median(runs), **sent, "runs": runs}


def rate(pid, settle=SETTLE, seconds=MEASURE):
    return rates(pid, settle, seconds)[0]


def rates(pid, settle=SETTLE, seconds=MEASURE):
    """Of the process, and of its event loops alone."""
    time.sleep(settle)
    before, began = (processor_seconds(pid), thread_seconds(pid, EVENT_LOOPS)), time.monotonic()
    time.sleep(seconds)
    after, took = (processor_seconds(pid), thread_seconds(pid, EVENT_LOOPS)), time.monotonic() - began
    return [(end - start) / took for start, end in zip(before, after)]


def latency(which, content, repeats, dice, seconds=12):
    """Milliseconds from drawing to the decoded picture; each run begins at another moment of the screen's clock."""
    everything, own, medians = [], [], []
    for _ in range(repeats):
        with Bench(content) as bench:
            time.sleep(dice.uniform(0, 1))
            share = bench.share(which)
            viewer = bench.watch(share.whep, "--timecode", "--duration", str(seconds))
            found = viewer.event("latency", seconds + 25)
            # The first second is the join.
            settled = found["ms"][len(found["ms"]) // seconds :]
            everything += settled
            own += found["viewerMs"]
            medians.append(median(settled))
    return {
        "p50": percentile(everything, 0.5),
        "p95": percentile(everything, 0.95),
        "medians": medians,
        "pictures": len(everything),
        "viewerP50": median(own),
    }


def peak_memory(which, size, viewers=10):
    """Megabytes with ten viewers and a screen in full motion."""
    with Bench("motion") as bench:
        share = bench.share(which, size)
        crowd = bench.watch(share.whep, "--no-decode", "--viewers", str(viewers), "--duration", "60")
        crowd.nth_event("first", viewers, 40)
        time.sleep(10)
        return memory(share.process.pid)


def encoder_memory(build, size, preset, references):
    """Megabytes of x264 alone with the same picture size and settings, from Benchmarks/x264_memory.c."""
    width, height = size.split("x")
    done = subprocess.run([build, width, height, preset, str(references)], capture_output=True, text=True, check=True)
    return float(done.stdout)


def joins(which, count):
    """Milliseconds from POST to the first decoded picture of a still screen; offer and process were there before."""
    with Bench("still") as bench:
        share = bench.share(which)
        viewer = bench.joiner(share.whep, "--joins", str(count), "--frames", "1", "--pause", "1.1")
        viewer.wait(count * 15)
        firsts = [event["ms"] for event in viewer.events("first")]
        answers = [event["answerMs"] for event in viewer.events("joined")]
        if len(firsts) < count:
            raise RuntimeError(f"{len(firsts)} of {count} joins\n{viewer.describe()}")
    return {
        "p50": percentile(firsts, 0.5),
        "p95": percentile(firsts, 0.95),
        "answerP50": median(answers),
        "all": firsts,
    }


def crowd(which, content, count):
    """As many who join within a second, beside one who watches: milliseconds from POST to a picture, and IDRs for all."""
    with Bench(content, 1280, 720) as bench:
        share = bench.share(which)
        path = ARTIFACTS / "bench/crowd.record"
        watching = bench.watch(share.whep, "--no-decode", "--record", path, "--duration", "60")
        watching.event("first", 20)
        # The first of them joins alone before the others, and counts for nothing, nor does the keyframe that it is sent.
        options = ["--viewers", str(count + 1), "--within", "1", "--pause", "3", "--on-go", "--duration", "4"]
        joiners = bench.watch(share.whep, "--no-decode", *options, stdin=-1)
        joiners.event("ready", 60)
        joiners.go()
        began = joiners.event("others", 20)["at"]
        joiners.nth_event("summary", count + 1, 60)
        watching.stop(timeout=10)
        firsts = [event["ms"] for event in joiners.events("first")][1:]
        units = [unit for at, unit in recorded(path) if at > began]
    keyframes = sum(annexb.IDR in annexb.types(unit) for unit in units)
    # Who got no picture has waited for as long as it was there.
    everyone = firsts + [4000] * (count - len(firsts))
    return {"p50": percentile(everyone, 0.5), "p95": percentile(everyone, 0.95), "idrs": keyframes, "joined": len(firsts)}


def recorded(path):
    """When each access unit came, in seconds since 1970, and its bytes."""
    data, at = path.read_bytes(), 0
    while at + 12 <= len(data):
        microseconds, length = struct.unpack_from("<QI", data, at)
        yield microseconds / 1e6, data[at + 12 : at + 12 + length]
        at += 12 + length


def per_viewer(which, repeats, extra=10):
    """Fraction of a core that each further viewer costs, scaled to 4 Mbit/s.

    At 1280×720, where two cores carry the screen, the sharer and eleven viewers without dropping pictures. What the event
    loops alone take more is steadier: encoding, the same for all, is not the difference of two large numbers in it."""
    costs = []
    for _ in range(repeats):
        with Bench("motion", 1280, 720) as bench:
            share = bench.share(which)
            first = bench.watch(share.whep, "--no-decode", "--feedback", "--duration", "16")
            first.event("first", 20)
            alone = rates(share.process.pid)
            bitrate = first.event("summary", 30)["bitrate"]
            crowd = bench.watch(share.whep, "--no-decode", "--feedback", "--viewers", str(extra + 1), "--duration", "60")
            crowd.nth_event("first", extra + 1, 40)
            together = rates(share.process.pid)
            cost, loops = ((many - one) / extra * BITRATE / bitrate for one, many in zip(alone, together))
            costs.append({"bitrate": bitrate, "cost": cost, "loops": loops})
    return {key: median([run[key] for run in costs]) for key in ("cost", "loops")} | {"runs": costs}


def seeded():
    """Random starts that are the same in each run of the benchmark."""
    return random.Random(20)
