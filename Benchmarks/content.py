"""Real programs on the screen: what is sent of them, what it takes, and what they are taken for. And the pointer alone.

Each stands on a display of 1280×720 of its own, shared as `screenshare host` does by default, with one viewer.
`perPicture` compares with x264 alone: the same frames, recorded from the same screen by ffmpeg, at the same rate.
"""

import json
import random
import subprocess
import time

from bench import Bench
from cadence import LOCK_OF_AUTO, SETTLE, Stage, clip, mpv, numbered, units
from measure import median, processor_seconds
from Xlib import X, XK
from Xlib import display as xdisplay
from Xlib.ext import xtest

from harness import sharer
from harness.paths import ARTIFACTS, ROOT, VENV_PYTHON
from harness.processes import Process

# What is larger is no sign of life.
PICTURE = 100
REST = 4.0
FOLDER = ARTIFACTS / "bench"
SOURCES = ROOT / "Benchmarks/sources.py"


# MARK: What is on the screen


class Hand:
    """Wheel and keys, as a person moves them."""

    def __init__(self, stage):
        self.display = xdisplay.Display(stage.display.name)
        self.dice = random.Random(11)
        xtest.fake_input(self.display, X.MotionNotify, x=600, y=400)
        self.display.sync()

    def wheel(self, seconds):
        """Turns of some clicks, and rests to read."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for _ in range(self.dice.randint(2, 12)):
                xtest.fake_input(self.display, X.ButtonPress, 5)
                xtest.fake_input(self.display, X.ButtonRelease, 5)
                self.display.sync()
                time.sleep(self.dice.uniform(0.02, 0.1))
            time.sleep(self.dice.uniform(0.3, 1.5))

    def press(self, key, seconds):
        end = time.monotonic() + seconds
        code = self.display.keysym_to_keycode(XK.string_to_keysym(key))
        while time.monotonic() < end:
            xtest.fake_input(self.display, X.KeyPress, code)
            xtest.fake_input(self.display, X.KeyRelease, code)
            self.display.sync()
            time.sleep(self.dice.uniform(0.3, 2.0))


def texts():
    if not (FOLDER / "text.html").exists():
        subprocess.run([VENV_PYTHON, SOURCES, "pages", FOLDER], check=True)
    return FOLDER


def xterm(stage, seconds):
    """A build in a terminal; gives what is done with it, for so many seconds."""
    inside = [VENV_PYTHON, SOURCES, "build", "--seconds", str(seconds + SETTLE)]
    stage.run("xterm", "-fa", "DejaVu Sans Mono", "-fs", "11", "-geometry", "120x38+20+20", "-e", *inside)
    time.sleep(SETTLE)
    return time.sleep


def chromium(stage, seconds):
    """A page of text, scrolled with the wheel."""
    address = (texts() / "text.html").as_uri()
    quiet = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run", "--test-type"]
    place = ["--window-position=0,0", "--window-size=1280,720", f"--user-data-dir={stage.folder}"]
    stage.run("chromium", *quiet, *place, f"--app={address}")
    time.sleep(8)
    return Hand(stage).wheel


def mupdf(stage, seconds):
    """Pages of a PDF, turned by the space bar."""
    stage.run("mupdf", texts() / "text.pdf")
    time.sleep(5)
    hand = Hand(stage)
    return lambda seconds: hand.press("space", seconds)


def film(rate):
    def begin(stage, seconds):
        """Found by the time that counts; it ends soon behind that, with its last picture left standing."""
        mpv(stage, clip(rate, seconds + 5), "--keep-open=yes")
        time.sleep(SETTLE + 1)
        return time.sleep

    return begin


CASES = {
    "xterm, a build": (xterm, None),
    "Chromium, a page scrolled": (chromium, None),
    "mpv, 24 a second": (film(24), 24),
    "mpv, 25 a second": (film(25), 25),
    "mupdf, pages turned": (mupdf, None),
}


def real(case, seconds):
    begin, rate = CASES[case]
    with Stage() as stage:
        act = begin(stage, seconds)
        used, lines, began = processor_seconds(stage.sharer.process.pid), count(stage), time.time()
        act(seconds)
        span = time.time() - began
        cpu = (processor_seconds(stage.sharer.process.pid) - used) / span
        seen = stage.sharer.statistics.all()[lines:]
        time.sleep(REST)
        quantiser = stage.sharer.statistics.last["quantiser"]
        received = stage.received()
        missing = lost_numbers(numbered(received)) if rate else None
        during = [len(unit) for at, _, unit in units(stage.path) if began <= at / 1e6 <= began + span]
    return {
        "fps": len([size for size in during if size > PICTURE]) / span, "cpu": cpu,
        "bitrate": sum(during) * 8 / span, "quantiser": quantiser,
        "missing": None if missing is None else len(missing), "numbers": missing, **judged(seen, rate),
    }


def count(stage):
    return len(stage.sharer.statistics.all())


def judged(lines, rate):
    """What it was taken for, second by second."""
    contents = sorted({line["content"] for line in lines})
    if not rate:
        return {"contents": contents, "cadences": [], "kept": contents == ["app"]}
    cadences = sorted({line["cadence"] or 0 for line in lines})
    return {"contents": contents, "cadences": cadences, "kept": cadences == [rate] and contents == ["video"]}


def lost_numbers(seen):
    found = {number for number, _ in seen if number >= LOCK_OF_AUTO}
    return sorted(set(range(LOCK_OF_AUTO, max(found))) - found)


# MARK: Beside x264 alone

# What is on the screen, and the preset.
PICTURES = {
    "pointer": ("pointer", "ultrafast"), "scrolling": ("scrolling", "ultrafast"),
    "scrolling, superfast": ("scrolling", "superfast"),
}


def per_picture(case, seconds, repeats):
    """CPU of a picture in the sharer and in x264 alone, on 1920×1080 in mode detail; medians of runs in turns."""
    content, preset = PICTURES[case]
    runs = [one_run(content, preset, seconds) for _ in range(repeats)]
    found = {key: median([run[key] for run in runs]) for key in ("ours", "x264", "fps")}
    presets = sorted({used for run in runs for used in run["presets"]})
    ratio = median([run["ours"] / run["x264"] for run in runs])
    return {**found, "ratio": ratio, "asked": preset, "presets": presets, "runs": runs}


def one_run(content, preset, seconds):
    with Bench("scrolling" if content == "scrolling" else "still") as bench:
        if content == "pointer":
            move(bench, seconds * 3 + 40)
        share = sharer.Sharer(bench.lan, "--display", bench.display.name, "--mode", "detail", "--preset", preset)
        bench.callback(share.kill)
        viewer = bench.watch(share.whep, "--no-decode", "--duration", "600")
        viewer.event("first", 20)
        time.sleep(SETTLE)
        lines = len(share.statistics.all())
        before, used = share.statistics.wait(bool), processor_seconds(share.process.pid)
        sent, began = bytes_sent(before), time.monotonic()
        time.sleep(seconds)
        used = processor_seconds(share.process.pid) - used
        span = time.monotonic() - began
        after = share.statistics.wait(bool)
        made = pictures(before, after)
        # A share steps down where the processor is too busy: then it is not what was asked for that is measured.
        presets = sorted({line["preset"] for line in share.statistics.all()[lines:]})
        fps = made / (after["time"] - before["time"])
        viewer.kill()
        share.kill()
        alone = x264(bench, fps, round(after["quantiser"]), seconds, preset)
    return {
        "ours": used / span / fps, "x264": alone["seconds"], "fps": fps, "quantiser": after["quantiser"],
        "presets": presets, "bytes": (bytes_sent(after) - sent) / made, "x264Bytes": alone["bytes"],
    }


def bytes_sent(line):
    return sum(peer["bytesSent"] for peer in line["peers"])


def pictures(before, after):
    """Signs of life are not made by x264."""
    made = [line["framesEncoded"] - line["keepalives"] for line in (before, after)]
    return made[1] - made[0]


def move(bench, seconds):
    process = Process(
        [VENV_PYTHON, SOURCES, "pointer", "--display", bench.display.name, "--seconds", str(seconds)], name="pointer"
    )
    bench.callback(process.kill)
    process.wait_for("READY", 10, key="out")


def x264(bench, fps, quantiser, seconds, preset):
    """The same screen's frames at the same rate, recorded beforehand."""
    program = FOLDER / "x264_alone"
    subprocess.run(
        ["cc", "-O2", "-o", program, ROOT / "Benchmarks/x264_alone.c", "-lx264"], check=True
    )
    path, size = FOLDER / "frames.i420", f"{bench.display.width}x{bench.display.height}"
    grab = ["ffmpeg", "-v", "error", "-y", "-f", "x11grab", "-framerate", f"{fps:.3f}", "-video_size", size]
    frames = ["-i", bench.display.name, "-frames:v", str(round(fps * seconds)), "-pix_fmt", "yuv420p"]
    subprocess.run([*grab, *frames, "-f", "rawvideo", path], check=True, stdin=subprocess.DEVNULL)
    command = [program, path, str(bench.display.width), str(bench.display.height), f"{fps:.3f}", str(quantiser), preset]
    try:
        return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    finally:
        path.unlink()
