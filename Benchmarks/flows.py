"""Several shares on one link: RFC 8867 sections 5.2 to 5.5, 5.7 and 5.8, by netlab's profiles of that name.

Each flow is a sharer and a viewer of its own, with 1.5 Mbit/s at most, as the RFC has it (section 4.3). All share one
screen in motion, small, so that a machine with two cores encodes it five times over.

    flows.py CASE [SECONDS]
"""

import contextlib
import dataclasses
import json
import os
import signal
import sys
import time

import bench  # noqa: F401  where the harness is found
from link import Link, capacities, capacity_between, lines, schedule_text
from measure import median, percentile
from netfigures import inside
from tap import TCP

from harness import sharer
from harness.displays import Display
from harness.paths import SYSTEM_PYTHON
from harness.processes import Process, wait_until

DOWNLOADS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "downloads.py")
BITRATE = 1_500_000
SIZE = (640, 360)
ADDRESSES = {"a": "10.77.0.1", "b": "10.77.0.2"}


@dataclasses.dataclass
class Flow:
    """When it begins, and pauses, in seconds of the profile; the side that shares; its address, where not the side's."""

    start: float = 0
    pause: tuple = ()
    side: str = "a"
    address: str = ""


@dataclasses.dataclass
class Case:
    seconds: float
    flows: list
    # Looked at: from when all are there until the end.
    settled: float
    web: bool = False
    options: tuple = ()


CASES = {
    "5.2": Case(125, [Flow(), Flow()], 10),
    "5.3": Case(100, [Flow(), Flow(side="b")], 10),
    "5.4": Case(120, [Flow(), Flow(20), Flow(40)], 60),
    "5.5": Case(300, [Flow(10 * k, address=f"10.77.0.1{k + 1}") for k in range(5)], 120, options=("--addrs", "5")),
    "5.7": Case(300, [Flow(5), Flow(5)], 20, web=True),
    "5.8": Case(120, [Flow(), Flow(pause=(40, 60)), Flow()], 20),
}


class Share:
    """One flow while it runs."""

    def __init__(self, stack, link, display, plan, number):
        there = "b" if plan.side == "a" else "a"
        address, port = plan.address or ADDRESSES[plan.side], 8080 + number
        options = ["--display", display.name, "--audio", "none", "--open", "--fps", "30", "--mode", "motion"]
        options += ["--bitrate", str(BITRATE), "--size", "x".join(map(str, SIZE)), "--interface", address]
        self.host = sharer.Sharer(link[plan.side], *options, listen=f"{address}:{port}")
        stack.callback(self.host.kill)
        whep = f"http://{address}:{port}/v1/rooms/demo/whep"
        self.viewer = sharer.view(link[there], output=stack.enter_context(open("/dev/null", "wb")), whep=whep)
        stack.callback(self.viewer.kill)
        wait_until(lambda: self.viewer.statistics.last.get("frames", 0) > 15, 30, "pictures")

    def pause(self):
        self.host.process.send(signal.SIGUSR1)

    def series(self):
        """(time, bytes, pictures) so far, of each second."""
        path = self.viewer.statistics.path
        while True:
            written = os.stat(path).st_mtime
            found = self.viewer.statistics.all()
            if found and os.stat(path).st_mtime == written:
                break
            time.sleep(0.05)
        offset = written - found[-1]["time"]
        return [(line["time"] + offset, line["bytes"], line["frames"]) for line in found]


def at(series, instant, column):
    """Between two lines as if it went on evenly."""
    for before, after in zip(series, series[1:]):
        if before[0] <= instant <= after[0]:
            share = (instant - before[0]) / (after[0] - before[0])
            return before[column] + share * (after[column] - before[column])
    return series[-1 if instant > series[-1][0] else 0][column]


def rate(series, begin, end):
    """Bits a second."""
    return (at(series, end, 1) - at(series, begin, 1)) * 8 / (end - begin)


def scaled(text, share):
    return "\n".join(f"{moment * share:.2f} {' '.join(words)}" for moment, words in lines(text, 1e4))


def fairness(rates):
    """Jain's index: 1 where all have the same."""
    return round(sum(rates) ** 2 / (len(rates) * sum(rate * rate for rate in rates)), 3) if any(rates) else None


def figures(name, seconds=None):
    """One case; in less time than the RFC's, everything of it happens earlier."""
    case = CASES[name]
    share = min(1, (seconds or case.seconds) / case.seconds)
    text = scaled(schedule_text(f"rfc8867-{name}"), share)
    with contextlib.ExitStack() as stack:
        link = Link(*case.options)
        stack.callback(link.close)
        display = Display(*SIZE)
        stack.callback(display.close)
        display.show("video30")
        began, running = link.begin(text), []
        words = web(stack, link) if case.web else None
        play(stack, case, share, link, display, began, running)
        sleep_until(began + case.seconds * share)
        load, late = os.getloadavg()[0], link.last_words()["late_ms"]["p95"]
        all_series = [one.series() for one in running]
        found = looked_at(case, share, text, link, all_series, began)
        if words:
            took = [float(line.split()[2]) for line in words.text("out").splitlines() if line.startswith("TOOK")]
            found["downloads"] = len(took)
            found["downloadSeconds"] = round(median(took), 2) if took else None
    return found | {"load": load, "linkLateMs": late}


def web(stack, link):
    """Ten who fetch pages."""
    server = Process(link["a"].command([SYSTEM_PYTHON, DOWNLOADS, "5301"]), name="downloads")
    stack.callback(server.kill)
    server.wait_for("READY", 10, key="out")
    fetching = Process(link["b"].command([SYSTEM_PYTHON, DOWNLOADS, ADDRESSES["a"], "5301"]), name="downloads")
    stack.callback(fetching.kill)
    return fetching


def play(stack, case, share, link, display, began, running):
    """What the case has the flows do, when it is time."""
    moments = [(plan.start, number, plan, "start") for number, plan in enumerate(case.flows)]
    moments += [(when, number, plan, "pause") for number, plan in enumerate(case.flows) for when in plan.pause]
    for when, number, plan, verb in sorted(moments, key=lambda one: one[:2]):
        sleep_until(began + when * share)
        if verb == "start":
            running.append(Share(stack, link, display, plan, number))
        else:
            running[number].pause()


def looked_at(case, share, text, link, all_series, began):
    begin, end = began + case.settled * share, began + case.seconds * share - 1
    steps = capacities(text, end - began)
    pauses = [(number, plan.pause) for number, plan in enumerate(case.flows) if plan.pause]
    rates = [rate(series, begin, end) for series in all_series]
    one_way = [number for number, plan in enumerate(case.flows) if plan.side == "a"]
    arrived = inside(link.tap.arrived["b"], begin, end)
    window = [sample.queue * 1000 for sample in inside(link.samples, begin, end)]
    found = {
        "seconds": round(end - begin, 1),
        "kbits": [round(one / 1000) for one in rates],
        "pictures": [round((at(one, end, 2) - at(one, begin, 2)) / (end - begin), 1) for one in all_series],
        "leastPictures": [least_pictures(one, begin, end) for one in all_series],
        "used": round(sum(p.length for p in arrived) / capacity_between(steps, begin - began, end - began), 3),
        "queueP50": round(percentile(window, 0.5), 1), "queueP95": round(percentile(window, 0.95), 1),
        "tcp": round(sum(p.length for p in arrived if p.protocol == TCP) / max(1, sum(p.length for p in arrived)), 3),
    }
    if len(one_way) == len(rates) and not pauses:
        found["fairness"] = fairness(rates)
    else:
        found |= both_ways(link, text, begin, end, began) if not pauses else {}
    for number, (pause, resume) in pauses:
        found["pictures"][number] = found["leastPictures"][number] = None
        found |= after_pause(all_series, number, began + pause * share, began + resume * share, end, share)
    return found


def least_pictures(series, begin, end):
    """In any second."""
    inner = [line for line in series if begin <= line[0] <= end]
    return min((round((b[2] - a[2]) / (b[0] - a[0])) for a, b in zip(inner, inner[1:])), default=None)


def both_ways(link, text, begin, end, began):
    """The way back, of the same kind as the way there."""
    back = capacities(text.replace(" up ", " - ").replace(" down ", " up "), end - began)
    arrived = sum(packet.length for packet in inside(link.tap.arrived["a"], begin, end))
    return {"usedBack": round(arrived / capacity_between(back, begin - began, end - began), 3)}


def after_pause(all_series, number, pause, resume, end, share):
    """What the others make of it, and how the one fares that was away."""
    others = [series for index, series in enumerate(all_series) if index != number]
    before = sum(rate(series, pause - 8 * share, pause) for series in others) / len(others)
    meanwhile = sum(rate(series, resume - 8 * share, resume) for series in others) / len(others)
    behind = [rate(series, end - 20 * share, end) for series in all_series]
    return {
        "othersBeforeKbits": round(before / 1000), "othersMeanwhileKbits": round(meanwhile / 1000),
        "fairness": fairness(behind), "behindKbits": [round(one / 1000) for one in behind],
    }


def sleep_until(instant):
    time.sleep(max(0, instant - time.time()))


if __name__ == "__main__":
    print(sys.argv[1], json.dumps(figures(sys.argv[1], float(sys.argv[2]) if len(sys.argv) > 2 else None)))
