"""How evenly a film comes out, whether all of its pictures do, and whether anything of a desktop is left out.

Every picture of the film carries its number (sources.py). What a viewer receives is recorded with RTP timestamps and
decoded afterwards.

judder      Picture k of a film of r a second is due at k/r. Its deviation is the RTP time of the first frame that shows
            it, less k/r, less the mean of that over all pictures: RMS in ms, from three seconds on. Without conversion
            it should be 0. At 24 → 30 the best is the nearest slot: ± half a period of 30, spread evenly 9.6 ms RMS.
lost        Numbers that were drawn and never seen, leaving out the first ten pictures behind start and edits. In mode
            auto a film is one when it has kept to its rate for a second: there two seconds are left out at the start.
            What stood for less than a tick of the display does not count: the drawing program was late, and hurried.
repeats     Frames of the pictures that are not left out, whose number is that of the frame before.
wrong drops States of a desktop that stood for 1/15 s + 20 ms or longer, and that no frame shows which came by 0.2 s
            after them. A frame shows a state where, in the place that changed, it is nearer to that state than to the
            one before, and in the place that changes next it is not nearer to the next.
switches    Changes of `content` from one second's statistics to the next, on a desktop where nothing plays.
"""

import contextlib
import itertools
import pickle
import struct
import tempfile
import time
import zlib
from pathlib import Path

import av
import bench  # noqa: F401  (finds the harness)
import numpy
from sources import BLOCK, PLACE, REFRESH, SCREEN
from timecode import decode

from harness import sharer
from harness.displays import Display
from harness.networks import Lan
from harness.paths import ARTIFACTS, ROOT, VENV_PYTHON
from harness.processes import Process

LOCK, LOCK_OF_AUTO = 10, 48
SETTLE = 3.0
STAND = 1 / 15 + 0.020
ON_THE_WAY = 0.2


class Stage(contextlib.ExitStack):
    """A display of 1280×720, a sharer of it, and a viewer that records. All ends with it."""

    def __init__(self, *options):
        super().__init__()
        self.lan = Lan()
        self.callback(self.lan.close)
        self.display = Display(*SCREEN)
        self.callback(self.display.close)
        self.sharer = sharer.Sharer(self.lan, "--display", self.display.name, *options)
        self.callback(self.sharer.kill)
        self.folder = Path(self.enter_context(tempfile.TemporaryDirectory(prefix="screenshare-bench-")))
        self.path = self.folder / "record"
        recording = ["--no-decode", "--record", self.path, "--rtp", "--duration", "7200"]
        self.viewer = sharer.gstreamer(self.lan, self.sharer.whep, *recording)
        self.callback(self.viewer.kill)
        self.viewer.event("first", 20)
        time.sleep(1)

    def run(self, *command, **settings):
        """Something that draws."""
        process = Process(command, env={"DISPLAY": self.display.name, **settings})
        self.callback(process.kill)
        return process

    def draw(self, program, *options):
        """A program of sources.py, drawing by now; with its log."""
        log = self.folder / f"{program}.log"
        where = ["--display", self.display.name, "--log", log]
        process = self.run(VENV_PYTHON, ROOT / "Benchmarks/sources.py", program, *where, *options)
        process.wait_for("READY", 20, key="out")
        return process, log

    def received(self):
        """The viewer ends, and what it has got is decoded: Frame by frame."""
        self.viewer.stop(timeout=10)
        return frames(self.path)


class Frame:
    """A decoded picture, when it arrived, and its RTP time in seconds."""

    def __init__(self, at, rtp, size, picture):
        self.at, self.rtp, self.size = at, rtp, size
        plane = picture.planes[0]
        self.luma = numpy.frombuffer(plane, numpy.uint8).reshape(plane.height, plane.line_size)[:, : plane.width]

    def number(self, x, y):
        return decode(self.luma[y : y + 2 * BLOCK, x : x + 20 * BLOCK], BLOCK)


def frames(path):
    decoder = av.CodecContext.create("h264", "r")
    decoder.thread_count = 1
    decoder.flags |= av.codec.context.Flags.low_delay
    ticks = last = 0
    for at, stamp, unit in units(path):
        ticks += (stamp - last + 2**31) % 2**32 - 2**31
        last = stamp
        for picture in decoder.decode(av.Packet(unit)):
            yield Frame(at, ticks / 90_000, len(unit), picture)


def units(path):
    """Time of arrival, RTP timestamp and bytes."""
    with open(path, "rb") as file:
        while len(header := file.read(16)) == 16:
            at, length, stamp = struct.unpack("<QII", header)
            yield at, stamp, file.read(length)


def numbered(received, place=PLACE):
    """(number, RTP time) of each frame that has a number."""
    seen = ((frame.number(*place), frame.rtp) for frame in received)
    return [(number, rtp) for number, rtp in seen if number is not None]


def firsts(seen):
    """The frames that show something new."""
    return [group for group, before in zip(seen, [(None, 0), *seen]) if group[0] != before[0]]


# MARK: Judder


def deviation(shown, rate):
    """Milliseconds, RMS."""
    late = numpy.array([rtp - number / rate for number, rtp in shown])
    return float(1000 * (late - late.mean()).std())


def judder(case, seconds):
    """`case`: mode or forced rate, where the film comes from, its rate."""
    options, source, rate = CASES[case]
    with Stage(*options) as stage:
        log = play(stage, source, rate, seconds)
        seen = numbered(stage.received(), PLACE)
        cadences = [line["cadence"] for line in stage.sharer.statistics.all() if line.get("cadence")]
        drawn = drawn_times(log) if log else None
    shown = [(number, rtp) for number, rtp in firsts(seen) if number > SETTLE * rate]
    if not shown:
        raise RuntimeError(f"{case}: no numbered pictures\n{stage.sharer.process.describe()}")
    missing = sorted(set(range(shown[0][0], shown[-1][0])) - {number for number, _ in shown})
    return {
        "rms": deviation(shown, rate), "pictures": len(shown),
        "missing": len(missing), "numbers": missing[:20],
        "repeats": len([1 for number, _ in seen if number > SETTLE * rate]) - len(shown),
        "cadences": sorted(set(cadences)),
        "latestTick": latest(drawn) if drawn else None,
        "drawn": drawn[:200] if drawn else None,
        "shown": [[number, round(rtp - shown[0][1], 6)] for number, rtp in shown[:200]],
    }


CASES = {
    "24 drawn, --mode motion": (["--mode", "motion"], "drawn", 24),
    "24 drawn, --fps 30": (["--fps", "30"], "drawn", 24),
    "24 mpv, --mode motion": (["--mode", "motion"], "mpv", 24),
    "25 mpv, --mode motion": (["--mode", "motion"], "mpv", 25),
    "24 mpv, --fps 30": (["--fps", "30"], "mpv", 24),
}


def play(stage, source, rate, seconds):
    """A film from its first to its last picture; the log of what was drawn where we drew it."""
    if source == "drawn":
        process, log = stage.draw("film", "--rate", str(rate), "--seconds", str(seconds))
        process.wait(seconds + 30)
        return log
    player = mpv(stage, clip(rate, seconds))
    player.wait(seconds + 30)
    return None


def clip(rate, seconds):
    """A file of H.264 with numbered pictures."""
    path = ARTIFACTS / f"bench/clip-{rate}-{seconds}.mp4"
    if not path.exists():
        unfinished = path.with_suffix(".new.mp4")
        options = ["--rate", str(rate), "--seconds", str(seconds)]
        made = Process([VENV_PYTHON, ROOT / "Benchmarks/sources.py", "clip", unfinished, *options])
        if made.wait(600):
            raise RuntimeError(made.describe())
        unfinished.rename(path)
    return path


def mpv(stage, path, *options):
    """In a window at the place where numbers are read, without anything over the picture."""
    place = f"--geometry=+{PLACE[0]}+{PLACE[1]}"
    quiet = ["--no-config", "--no-audio", "--no-osc", "--osd-level=0", "--no-terminal", "--no-border"]
    return stage.run("mpv", *quiet, "--vo=x11", "--cursor-autohide=no", "--framedrop=no", place, *options, path)


def drawn_times(log):
    """[number, seconds] of each picture that was new when it was put."""
    puts = [tuple(map(int, line.split())) for line in log.read_text().splitlines()]
    return [[number, at / 1e6] for at, number, again in puts if not again]


# MARK: Pictures lost


def lost(mode, seconds, edits):
    """A film of 24 at 60 Hz, with edits."""
    with Stage("--mode", mode) as stage:
        process, log = stage.draw("film", "--seconds", str(seconds), "--edits", str(edits))
        process.wait(seconds + 60)
        seen = numbered(stage.received())
        contents = [line["content"] for line in stage.sharer.statistics.all()]
        puts = drawn_times(log)
    start = LOCK_OF_AUTO if mode == "auto" else LOCK

    def counts(number):
        return number % 10_000 >= LOCK and number >= start

    due = [number for number, _ in puts if counts(number)]
    found = {number for number, _ in seen}
    repeated = [a for (a, _), (b, _) in itertools.pairwise(seen) if a == b and counts(a)]
    # The last picture goes with its window.
    stood = {a: until - at for (a, at), (_, until) in itertools.pairwise(puts)}
    hurried = [number for number in due[:-1] if stood[number] < 1 / REFRESH]
    missing = [number for number in due[:-1] if number not in found and stood[number] >= 1 / REFRESH]
    return {
        "pictures": len(due) - len(hurried), "hurried": len(hurried), "missing": len(missing),
        "numbers": [[number, round(1000 * stood[number], 1)] for number in missing[:20]],
        "repeats": len([number for number in repeated if number != puts[-1][0]]),
        "latestTick": latest(puts), "secondsAsVideo": contents.count("video"),
    }


def latest(puts):
    """By how many ms the drawing program itself was late at worst."""
    late = [at - round((at - puts[0][1]) * REFRESH) / REFRESH for _, at in puts]
    return 1000 * (max(late) - min(late))


# MARK: A desktop


def desktop(seconds):
    with Stage() as stage:
        process, log = stage.draw("desktop", "--seconds", str(seconds))
        process.wait(seconds + 60)
        time.sleep(1.5)
        contents = [line["content"] for line in stage.sharer.statistics.all()]
        found = dropped(states(log), stage.received())
    changes = sum(a != b for a, b in itertools.pairwise(contents))
    return {**found, "switches": changes, "secondsAsVideo": contents.count("video"), "seconds": len(contents)}


class State:
    """What stood in one place from one moment on, and what stood there before."""

    def __init__(self, at, x, y, new, old):
        self.at, self.place = at, (slice(y, y + new.shape[0]), slice(x, x + new.shape[1]))
        # As limited range has it, and only where they differ.
        self.differs = numpy.abs(new.astype(numpy.int16) - old) > 24
        self.new, self.old = (16 + pixels[self.differs] * (219 / 255) for pixels in (new, old))
        self.next = None

    @property
    def stood(self):
        return (self.next.at - self.at) / 1e6

    def is_in(self, luma):
        found = luma[self.place][self.differs].astype(numpy.float32)
        return bool(numpy.abs(found - self.new).sum() < numpy.abs(found - self.old).sum())

    def describe(self, recent, limit):
        """How many ms it stood, where, and after how many ms each frame came: whether that shows it, and the next."""
        frames = [
            [round((frame.at - self.at) / 1000), self.is_in(frame.luma), self.next.is_in(frame.luma)]
            for frame in recent if frame.at < limit
        ]
        rows, columns = self.place
        box = [columns.start, rows.start, columns.stop, rows.stop]
        return {"at": self.at, "stood": round(1000 * self.stood), "box": box, "frames": frames}

    def is_shown(self, luma):
        return self.is_in(luma) and not self.next.is_in(luma)


def states(log):
    """Each state of the desktop in turn, as soon as it is known how long it stood."""
    screen, before = numpy.zeros(SCREEN[::-1], numpy.uint8), None
    with open(log, "rb") as file:
        while True:
            try:
                at, x, y, shape, packed = pickle.load(file)
            except EOFError:
                break
            new = numpy.frombuffer(zlib.decompress(packed), numpy.uint8).reshape(shape)
            part = screen[y : y + shape[0], x : x + shape[1]]
            state = State(at, x, y, new, part)
            part[:] = new
            if before:
                before.next = state
                yield before
            before = state


def dropped(changes, received):
    """Goes through states and frames together."""
    frames_left, recent = iter(received), []
    counts = {"states": 0, "stood": 0, "dropped": 0, "frames": 0, "drops": []}
    for state in changes:
        counts["states"] += 1
        if state.stood < STAND or not state.differs.any():
            continue
        counts["stood"] += 1
        limit = state.next.at + ON_THE_WAY * 1e6
        while not recent or recent[-1].at < limit:
            frame = next(frames_left, None)
            if frame is None:
                break
            recent.append(frame)
            counts["frames"] += 1
        recent = [frame for frame in recent if frame.at >= state.at]
        if not any(state.is_shown(frame.luma) for frame in recent if frame.at < limit):
            counts["dropped"] += 1
            counts["drops"].append(state.describe(recent, limit))
    return counts


# MARK: A picture of it

WIDTH, HEIGHT, LEFT, BOTTOM = 760, 320, 60, 260
MILLISECONDS, SECONDS = 60, 2


def plot(found):
    """SVG: the time from picture to picture as a film is put on the screen, and as it is shown by the viewer."""
    drawn, shown = dict(found["drawn"]), dict(found["shown"])
    numbers = sorted(set(drawn) & set(shown))[: SECONDS * 24 + 1]
    marks = "".join(
        f'<path d="M{LEFT} {height(ms):.1f}H{WIDTH - 20}" stroke="#ddd"/>'
        f'<text x="{LEFT - 8}" y="{height(ms) + 4:.1f}" text-anchor="end">{ms}</text>'
        for ms in range(0, MILLISECONDS + 1, 10)
    ) + "".join(
        f'<text x="{across(half / 2)}" y="{BOTTOM + 18}" text-anchor="middle">{half / 2}</text>'
        for half in range(SECONDS * 2 + 1)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" '
        f'font-size="13" fill="#222"><rect width="100%" height="100%" fill="#fff"/>{marks}'
        f'<text x="{LEFT}" y="24">ms between the pictures of a film of 24 a second on a display of 60 Hz</text>'
        + line(numbers, drawn, "#c60", 42, "as the screen changes")
        + line(numbers, shown, "#06a", 58, "as RTP timestamps show it to a viewer")
        + f'<text x="{WIDTH / 2}" y="{HEIGHT - 12}" text-anchor="middle">seconds</text></svg>\n'
    )


def line(numbers, times, colour, y, name):
    points = [
        f"{across(times[b] - times[numbers[0]]):.1f},{height(1000 * (times[b] - times[a])):.1f}"
        for a, b in itertools.pairwise(numbers)
    ]
    places = [point.split(",") for point in points]
    dots = "".join(f'<circle cx="{x}" cy="{y}" r="2.5" fill="{colour}"/>' for x, y in places)
    key = f'<circle cx="{LEFT + 6}" cy="{y - 4}" r="3" fill="{colour}"/><text x="{LEFT + 16}" y="{y}">{name}</text>'
    return f'<polyline points="{" ".join(points)}" fill="none" stroke="{colour}"/>{dots}{key}'


def across(seconds):
    return LEFT + (WIDTH - 40 - LEFT) * seconds / SECONDS


def height(ms):
    return BOTTOM - (BOTTOM - 80) * ms / MILLISECONDS
