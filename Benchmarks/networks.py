"""A screen shared over bad networks: netlab's link between a sharer and one viewer, moving content, one clock.

The viewer joins over a clear link; then the link becomes what the case says. Latency, pictures and freezes are those
of `screenshare view`, which holds no picture back: what comes out of it is stamped and decoded afterwards.
"""

import contextlib
import dataclasses
import os
import time

from link import Link, lines, schedule_text
from netfigures import Run
from watchers import KINDS

from harness import sharer
from harness.displays import Display
from harness.networks import Lab
from harness.paths import SYSTEM_PYTHON
from harness.processes import Process, wait_until

BITRATE = 4_000_000
# Seconds for the sharer and the viewer to get going, and for what the case does to the link to be answered.
CLEAR, SETTLE = 4, 5
BULK = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bulk.py")
BLACKOUT = "both rate=10mbit queue=300ms delay=25ms loss=0%"
STEP = "both delay=25ms queue=300ms rate=4mbit"


def steps(first, then):
    """Two capacities in turn, a third of a run each."""

    def text(seconds):
        turn = seconds / (5 if seconds >= 50 else 3)
        rates = [f"{turn * k:.2f} up rate={(first, then)[k % 2]}mbit" for k in range(1, int(seconds / turn))]
        return f"0 {STEP}\n0 up rate={first}mbit\n" + "\n".join(rates)

    return text


def blackout(length):
    """Nothing passes for so long, again and again; ten seconds of rest between."""

    def text(seconds):
        found, at = [f"0 {BLACKOUT}"], 8.0
        while at + length + 4 <= seconds or at == 8:
            found += [f"{at} both loss=100%", f"{at + length} both loss=0%"]
            at += length + 10
        return "\n".join(found)

    return text


def scaled(profile):
    """A profile of a hundred seconds in less."""

    def text(seconds):
        parsed = [line.split(maxsplit=1) for line in schedule_text(profile).splitlines() if line[:1].isdigit()]
        share = min(1, seconds / 100)
        return "\n".join(f"{float(at) * share:.2f} {words}" for at, words in parsed)

    return text


CASES = {
    "clear": "both delay=0ms",
    "loss5": "both delay=25ms loss=5%",
    "loss10": "both delay=50ms loss=10%",
    "step-4-1": steps(4, 1),
    "step-1-4": steps(1, 4),
    "blackout-2s": blackout(2),
    "blackout-3s": blackout(3),
    "blackout-5s": blackout(5),
    "blackout-20s": blackout(20),
    "rfc8867-5.1": scaled("rfc8867-5.1"),
}
LEAST_SECONDS = {"blackout-20s": 34}


def case_text(name, seconds):
    known = CASES.get(name)
    return known(seconds) if callable(known) else schedule_text(known or name)


@dataclasses.dataclass
class Settings:
    """What is shared, by whom, who watches."""

    size: str = "1280x720"
    content: str = "video30"
    which: str = "ours"
    viewer: str = "view"
    # For the sharer.
    options: tuple = ()
    bitrate: int = BITRATE
    fps: int = 30
    # The link is bad from the start, and joining is part of what is measured.
    join: bool = False
    # How a long TCP flow beside the share controls its congestion.
    tcp: str = "reno"

    @property
    def dimensions(self):
        return tuple(map(int, self.size.split("x")))


class Share(contextlib.ExitStack):
    """A link, a screen, a sharer and a viewer; everything ends with it."""

    def __init__(self, settings):
        super().__init__()
        self.settings = settings
        self.link = Link()
        self.callback(self.link.close)
        width, height = settings.dimensions
        self.display = Display(width, height)
        self.callback(self.display.close)
        # The clock is as large a part of any screen, so that it is read alike at any size.
        self.display.show(settings.content, "--block", str(24 * width // 1920))
        self.share()

    def share(self):
        settings, side, listen = self.settings, self.link["a"], f"{Lab.ADDRESSES['a']}:8080"
        options = ["--bitrate", str(settings.bitrate), *settings.options]
        options += ["--fps", str(settings.fps)] if settings.fps else []
        if settings.which == "ours":
            options += ["--display", self.display.name, "--audio", "none", "--open"]
            self.host = sharer.Sharer(side, *options, listen=listen)
        elif settings.which == "chromium":
            self.host = sharer.ChromiumSharer(side, self.display.name, *options, listen=listen)
        else:
            self.host = sharer.GStreamerSharer(side, self.display.name, "--repair", *options, listen=listen)
        self.callback(self.host.kill)

    def watch(self, seconds):
        """Joins, and waits for pictures."""
        self.viewer = KINDS[self.settings.viewer](self.link["b"], self.host, seconds)
        self.callback(self.viewer.kill)
        self.viewer.wait()

    def compete(self):
        """A long TCP flow beside the share."""
        taker = Process(self.link["b"].command([SYSTEM_PYTHON, BULK, "5201"]), name="bulk")
        self.callback(taker.kill)
        taker.wait_for("READY", 10, key="out")
        words = [SYSTEM_PYTHON, BULK, Lab.ADDRESSES["b"], "5201", self.settings.tcp]
        giver = Process(self.link["a"].command(words), name="bulk")
        self.callback(giver.kill)

    def host_lines(self):
        """The sharer's statistics with the time of each line."""
        if self.settings.which != "ours":
            return []
        found = self.host.statistics.all()
        offset = os.stat(self.host.statistics.path).st_mtime - found[-1]["time"] if found else 0
        return [{**line, "at": line["time"] + offset} for line in found]


def measure(name, seconds, settings):
    """One case: the Run, for whoever wants more, and its figures."""
    seconds = max(seconds, LEAST_SECONDS.get(name, 0))
    text, settle = case_text(name, seconds), 0 if settings.join else settling(name)
    with Share(settings) as share:
        began = share.link.begin(text) if settings.join else None
        share.watch(seconds + CLEAR + 60)
        if not settings.join:
            time.sleep(CLEAR)
            began = share.link.begin(text)
        if name.startswith("rfc8867-5.6"):
            share.compete()
        sleep_until(began + settle)
        share.viewer.begin()
        sleep_until(began + seconds)
        words, load = share.link.last_words(), os.getloadavg()[0]
        host, own = share.host_lines(), share.viewer.end()
        pictures = share.viewer.pictures()
    run = Run(text, began, seconds, settle, share.link, pictures, host)
    found = share.viewer.corrected(run.figures()) | {"steps": run.after_steps()}
    if spans := blackouts(text, seconds):
        found["blackouts"] = run.after_blackouts(spans)
    if name == "rfc8867-5.1":
        found["queueP95BehindSteps"] = run.queue_behind_steps(5 * min(1, seconds / 100))
    return run, found | {"viewer": own, "machine": {"load": load, **words}}


def settling(name):
    """Seconds at the beginning that are not looked at."""
    if name.startswith("blackout"):
        return 0
    return 10 if name.startswith("rfc8867-5.6") else SETTLE


def blackouts(text, seconds):
    """(begin, end) of each time at which nothing passes."""
    found, begin = [], None
    for at, words in lines(text, seconds):
        if "loss=100%" in words:
            begin = at
        elif begin is not None and any(word.startswith("loss=") for word in words):
            found.append((begin, at))
            begin = None
    return found


def sleep_until(instant):
    wait_until(lambda: time.time() >= instant, instant - time.time() + 5, "the end of the run", poll=0.05)


# MARK: The benchmark

# Shown beside the case of the same name, with the same limits.
VARIANTS = {
    "loss5, scrolling text": ("loss5", {"content": "scroll", "size": "1920x1080"}),
    "loss5, 1920×1080": ("loss5", {"size": "1920x1080"}),
    "rfc8867-5.6, cubic": ("rfc8867-5.6", {"tcp": "cubic"}),
    "rfc8867-5.6, bbr": ("rfc8867-5.6", {"tcp": "bbr"}),
    "wifi-bad, scrolling text": ("wifi-bad", {"content": "scroll", "size": "1920x1080"}),
}
PLAIN = ("loss5", "loss10", "wifi-bad", "lte", "dsl-1mbit")
OURS = (
    *PLAIN, *VARIANTS, "step-4-1", "step-1-4", "rfc8867-5.1", "rfc8867-5.6", "blackout-2s", "blackout-3s",
    "blackout-5s", "blackout-20s", "satellite",
)
# What is measured for others too: the reference sharers, and the browser as viewer of ours.
REFERENCE = (*PLAIN, "step-4-1", "step-1-4", "rfc8867-5.1", "rfc8867-5.6", "blackout-3s")
OTHERS = {"ours": OURS, "gstreamer": REFERENCE, "chromium": REFERENCE, "browser": PLAIN}
# For the step to 4 Mbit/s the sharer may use more than that.
BITRATES = {"step-1-4": 8_000_000}


def figures(who, case, seconds):
    """`who` is a sharer, or "browser" for ours seen in Chromium. None where it is not asked for."""
    if case not in OTHERS[who]:
        return None
    name, changes = VARIANTS.get(case, (case, {}))
    which, viewer = ("ours", "chromium") if who == "browser" else (who, "view")
    settings = Settings(which=which, viewer=viewer, bitrate=BITRATES.get(name, BITRATE), **changes)
    return measure(name, seconds, settings)[1]
