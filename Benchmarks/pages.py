"""A page of text changes behind a narrow link: when it is seen, when it can be read, when it is sharp, what it took.

What arrives is recorded with its time and decoded afterwards, so that no decoder is in the way. Every picture is held
against the page itself: luma SSIM (8×8 windows), and what tesseract reads in it against what it reads in the page.
"""

import contextlib
import functools
import io
import json
import re
import statistics
import struct
import subprocess
import time

import av
import bench  # noqa: F401  (finds the harness)
import encoded
import numpy
from PIL import Image

from harness import sharer
from harness.displays import Display
from harness.networks import Lab
from harness.paths import ARTIFACTS, SUPPORT, VENV_PYTHON, support
from harness.processes import Process

ORDER = ["A", "B", "C", "D"]
NAMES = ["Z", *ORDER]
# Those of which text of 10 to 12 px is read; A's is of 13.
SMALL_PRINT = ["B", "C", "D"]
SHARP = 0.99
# The rows of the timecode are not part of the page.
TOP = 64


class Page:
    """A known page: its luma, and what can be read of it."""

    def __init__(self, folder, name, ocr):
        self.name = name
        rgb = numpy.asarray(Image.open(folder / f"{name}.png").convert("RGB")).astype(numpy.float32)
        self.luma = 16 + (rgb @ numpy.array([0.2126, 0.7152, 0.0722], numpy.float32)) * 219 / 255
        self.ocr = ocr
        self.readable = self.errors(self.luma) if ocr else None

    def ssim(self, luma):
        return ssim(self.luma[TOP:], luma[TOP:])

    def errors(self, luma):
        """The share of characters that are read wrongly."""
        x, y, width, height = self.ocr["rect"]
        image = Image.fromarray(numpy.clip(luma[y : y + height, x : x + width], 0, 255).astype(numpy.uint8))
        image = image.resize((width * 3, height * 3), Image.Resampling.BICUBIC)
        png = io.BytesIO()
        image.save(png, "PNG")
        read = subprocess.run(
            ["tesseract", "-", "-", "--psm", "6", "-l", "eng"], input=png.getvalue(), capture_output=True, check=True,
            env={"OMP_THREAD_LIMIT": "2", "PATH": "/usr/bin:/bin"},
        ).stdout.decode()
        wanted, found = (re.sub(r"\s+", "", text) for text in (self.ocr["text"], read))
        return distance(wanted, found) / len(wanted)


def ssim(a, b):
    """The mean over windows of 8×8 pixels, four apart."""
    a, b = a.astype(numpy.float64), b.astype(numpy.float64)

    def means(x):
        sums = numpy.pad(x, ((1, 0), (1, 0))).cumsum(0).cumsum(1)
        return (sums[8:, 8:] - sums[:-8, 8:] - sums[8:, :-8] + sums[:-8, :-8])[::4, ::4] / 64

    ma, mb = means(a), means(b)
    va, vb, cov = means(a * a) - ma * ma, means(b * b) - mb * mb, means(a * b) - ma * mb
    c1, c2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2
    return float((((2 * ma * mb + c1) * (2 * cov + c2)) / ((ma * ma + mb * mb + c1) * (va + vb + c2))).mean())


def distance(a, b):
    """Levenshtein's."""
    row = numpy.arange(len(b) + 1)
    letters = numpy.array([ord(c) for c in b])
    for i, letter in enumerate(a, 1):
        best = numpy.empty_like(row)
        best[0] = i
        best[1:] = numpy.minimum(row[1:] + 1, row[:-1] + (letters != ord(letter)))
        # Insertions run on from the left.
        row = numpy.minimum.accumulate(best - numpy.arange(len(best))) + numpy.arange(len(best))
    return int(row[-1])


def drawn(size):
    """Where the pages are, and what is known of each."""
    folder = ARTIFACTS / f"bench/pages-{size}"
    if not (folder / "pages.json").exists():
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run([VENV_PYTHON, SUPPORT / "textsource/pages.py", "--size", size, folder], check=True)
    return folder, json.loads((folder / "pages.json").read_text())["pages"]


def pages(size):
    folder, known = drawn(size)
    return folder, {name: Page(folder, name, known[name]["ocr"]) for name in NAMES}


class Narrow(contextlib.ExitStack):
    """A sharer of a screen of pages, and a recorder behind a link of so many bits a second."""

    def __init__(self, which, size, link, share=0.93):
        super().__init__()
        self.folder, self.pages = pages(size)
        self.lab = Lab()
        self.callback(self.lab.close)
        self.lab.set("up", f"rate={link}bit")
        self.display = Display(*map(int, size.split("x")))
        self.callback(self.display.close)
        files = [self.folder / f"{name}.ppm" for name in NAMES]
        self.source = Process(
            [support("textsource"), "--display", self.display.name, *files], name="textsource", stdin=subprocess.PIPE
        )
        self.callback(self.source.kill)
        self.source.wait_for("READY", 10, key="out")
        options = ["--bitrate", str(int(link * share)), "--size", "native"]
        if which == "ours":
            self.sharer = sharer.Sharer(
                self.lab["a"], "--display", self.display.name, "--open", *options, listen="10.77.0.1:8080"
            )
        else:
            self.sharer = sharer.GStreamerSharer(
                self.lab["a"], self.display.name, "--bitrate", str(int(link * share)), "--fps", "30",
                listen="10.77.0.1:8080",
            )
        self.callback(self.sharer.kill)
        self.path = ARTIFACTS / "bench/pages.record"
        self.viewer = sharer.gstreamer(
            self.lab["b"], self.sharer.whep, "--no-decode", "--high", "--record", self.path, "--duration", "600"
        )
        self.callback(self.viewer.kill)
        self.viewer.event("first", 20)
        time.sleep(4)
        self.shown = []

    def show(self, name, seconds):
        self.source.child.stdin.write(f"show {NAMES.index(name)}\n".encode())
        self.source.child.stdin.flush()
        time.sleep(seconds)
        found = re.findall(r"SHOWN \d+ (\d+)", self.source.text("out"))
        self.shown.append((name, int(found[-1])))

    def changes(self):
        """For each page shown what arrived of it."""
        self.viewer.stop(timeout=10)
        units = list(recorded(self.path))
        ends = [at for _, at in self.shown[1:]] + [units[-1][0] + 1]
        decoder = encoded.new_decoder()
        found = [Change(self.pages[name], at, self.pages) for name, at in self.shown]
        for at, unit in units:
            for frame in pictures(decoder, unit):
                for change, end in zip(found, ends):
                    if change.at <= at < end:
                        change.take(at, len(unit), frame)
        return found


def pictures(decoder, unit):
    """Of one access unit; none where it can't be decoded, as behind a loss that a sharer has not repaired."""
    try:
        return decoder.decode(av.Packet(unit))
    except av.error.InvalidDataError:
        return []


def recorded(path):
    data = path.read_bytes()
    place = 0
    while place + 12 <= len(data):
        at, length = struct.unpack_from("<QI", data, place)
        yield at, data[place + 12 : place + 12 + length]
        place += 12 + length


class Change:
    """The pictures that arrived after a page was shown."""

    def __init__(self, page, at, others):
        self.page, self.at, self.others = page, at, others
        self.pictures = []

    def take(self, at, size, frame):
        luma = encoded.luma(frame)
        last = self.pictures[-1] if self.pictures else None
        if last and size < 100:  # a sign of life: the same picture
            return last["more"].append(size)
        score = self.page.ssim(luma)
        self.pictures.append(
            {"ms": (at - self.at) / 1000, "bytes": size, "ssim": score, "luma": luma, "more": []}
        )

    @property
    def bytes(self):
        return sum(picture["bytes"] + sum(picture["more"]) for picture in self.new)

    @property
    def new(self):
        """Those that show the page, not the one before."""
        before = max((page.ssim(self.page.luma) for page in self.others.values() if page is not self.page))
        return [picture for picture in self.pictures if picture["ssim"] > before]

    def reaches(self, score):
        """Milliseconds until it is that sharp, or None."""
        return next((picture["ms"] for picture in self.new if picture["ssim"] >= score), None)

    def readable(self, excess):
        """Milliseconds until it can be read as well as the page itself, within `excess`: pictures only get sharper."""
        low, high = 0, len(self.new)
        while low < high:
            middle = (low + high) // 2
            if self.page.errors(self.new[middle]["luma"]) <= self.page.readable + excess:
                high = middle
            else:
                low = middle + 1
        return self.new[low]["ms"] if low < len(self.new) else None

    def errors_after(self, ms):
        """Characters read wrongly at that time, beyond those of the page itself."""
        seen = [picture for picture in self.new if picture["ms"] <= ms]
        return max(0, self.page.errors(seen[-1]["luma"]) - self.page.readable) if seen else 1.0

    def summary(self):
        first = self.new[0]["ms"] if self.new else None
        return {
            "page": self.page.name, "first": first, "readable": self.readable(0.02), "0.98": self.reaches(0.98),
            "0.99": self.reaches(SHARP), "bytes": self.bytes, "pictures": len(self.new),
            "errorsAfter600": self.errors_after(600), "best": max((p["ssim"] for p in self.new), default=0),
        }


def page_changes(which, link, size="1920x1080", rounds=1, pause=6):
    """Each page in turn."""
    with Narrow(which, size, link) as narrow:
        for _ in range(rounds):
            for name in ORDER:
                narrow.show(name, pause)
        return [change.summary() for change in narrow.changes()]


def comeback(which, link, size="1920x1080"):
    """A until it is sharp, B until it is sharp and ten seconds more, A again: bytes of the return to those of A before."""
    with Narrow(which, size, link) as narrow:
        narrow.show("A", 8)
        narrow.show("B", 18)
        narrow.show("A", 6)
        first, _, again = narrow.changes()
        return {"first": first.bytes, "return": again.bytes, "ratio": again.bytes / max(1, first.bytes)}


def figures(which, link, rounds, size="1920x1080"):
    """The medians over all pages; None where some page never got there."""
    changes = page_changes(which, link, size, rounds)
    for change in changes:
        change["intraBytes"] = intra(size)[change["page"]]
        alone = change["intraBytes"] * 8 / link * 1000
        change["overIntra"] = change["0.99"] and change["0.99"] / alone
    found = {key: middle(changes, key) for key in changes[0] if key != "page"}
    small = [change for change in changes if change["page"] in SMALL_PRINT]
    found["errorsAfter600"] = middle(small, "errorsAfter600")
    found["mostErrorsAfter600"] = max(change["errorsAfter600"] for change in small)
    return {**found, "changes": changes}


@functools.cache
def intra(size):
    """The bytes of each page as one keyframe that is sharp."""
    folder, _ = drawn(size)
    known = (Page(folder, name, None) for name in ORDER)
    return {page.name: encoded.keyframe(folder, page, SHARP)[0] for page in known}


def middle(changes, key):
    """A page that never got there counts as infinitely late."""
    found = statistics.median([float("inf") if change[key] is None else change[key] for change in changes])
    return None if found == float("inf") else found
