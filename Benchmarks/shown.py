"""What a viewer got to see and when: its H.264 taken from a pipe with the time of each byte, decoded after the run.

Decoding in the run would take the processor from those that are measured; so each picture's own decoding time, one
thread, is measured afterwards and added to the moment when its last byte came out of the viewer.
"""

import bisect
import fcntl
import mmap
import os
import re
import sys
import threading
import time
from pathlib import Path
from typing import NamedTuple

import av
import numpy

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Tests/Support/screensource"))

from timecode import age_ms, decode  # noqa: E402

from harness.paths import scratch_file  # noqa: E402

F_SETPIPE_SZ = 1031
# A sign of life, or a gap that the viewer filled: no picture of its own (as in pages.py).
REPEAT_BYTES = 100
SLICES, IDR = (1, 5), 5


class Picture(NamedTuple):
    """One that was decoded. `at` is when; `drawn` is when it was on the screen, None if unreadable."""

    at: float
    arrived: float
    drawn: int | None
    latency: float  # milliseconds
    size: int
    keyframe: bool
    fresh: bool  # not the picture before once more


class Recorder:
    """The reading end of a pipe; `.output` is for the viewer."""

    def __init__(self):
        self.path = scratch_file(".h264")
        read, write = os.pipe()
        fcntl.fcntl(read, F_SETPIPE_SZ, 1 << 20)
        self.output = os.fdopen(write, "wb")
        self.ends, self.times = [], []
        self.thread = threading.Thread(target=self.read, args=(read,), daemon=True)
        self.thread.start()

    def read(self, descriptor):
        total = 0
        with open(self.path, "wb") as file:
            while piece := os.read(descriptor, 1 << 20):
                self.times.append(time.time())
                total += len(piece)
                self.ends.append(total)
                file.write(piece)
        os.close(descriptor)

    def wait(self):
        """Once the viewer has ended."""
        self.thread.join(5)

    def time_of(self, offset):
        return self.times[bisect.bisect_right(self.ends, offset)]

    def units(self):
        """(time of its last byte, bytes, whether it is an IDR picture) of each access unit."""
        with open(self.path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            for begin, end, keyframe in boundaries(data):
                while data[end - 1] == 0:  # of the next start code
                    end -= 1
                yield self.time_of(end - 1), data[begin:end], keyframe


def pictures(units):
    """What one thread of libavcodec makes of units that arrived."""
    decoder = av.CodecContext.create("h264", "r")
    decoder.thread_count = 1
    decoder.flags |= av.codec.context.Flags.low_delay
    last = None
    for arrived, unit, keyframe in units:
        began = time.perf_counter()
        try:
            frames = decoder.decode(av.Packet(unit))
        except av.error.InvalidDataError:
            continue
        own = time.perf_counter() - began
        for frame in frames:
            made = picture(frame, arrived, own, len(unit), keyframe, last)
            last = made.drawn if made.drawn is not None else last
            yield made


def picture(frame, arrived, own, size, keyframe, last):
    plane = frame.planes[0]
    luma = numpy.frombuffer(plane, numpy.uint8).reshape(plane.height, plane.line_size)
    drawn = decode(luma[: plane.width // 16], 24 * plane.width / 1920)
    at = arrived + own
    latency = age_ms(drawn, at * 1000) if drawn is not None else float("nan")
    fresh = drawn != last if drawn is not None else size > REPEAT_BYTES
    return Picture(at, arrived, drawn, latency, size, keyframe, fresh)


def boundaries(data):
    """(first byte, end, keyframe) of access units: a first slice, with what stands before it, begins the next.
    GStreamer repeats parameter sets between the slices of a picture, so that they alone begin nothing."""
    begin, before, has_slice, keyframe = None, None, False, False
    for match in re.finditer(b"\x00\x00\x01", data):
        place, kind = match.start(), data[match.end()] & 31
        begin = place if begin is None else begin
        if kind not in SLICES:
            before = place if before is None else before
            continue
        # first_mb_in_slice is 0 where its first bit is set (ITU-T H.264 section 7.3.3).
        if has_slice and data[match.end() + 1] & 0x80:
            end = place if before is None else before
            yield begin, end, keyframe
            begin, keyframe = end, False
        before, has_slice, keyframe = None, True, keyframe or kind == IDR
    if has_slice:
        yield begin, len(data), keyframe


# MARK: Figures


def freezes(times, begin, end):
    """(count, share of the time, longest gap): a gap is a freeze from max(3 × mean, mean + 150 ms) on, the mean being
    that of the thirty gaps before (W3C webrtc-stats, freezeCount). What lasts at the end counts as well."""
    inside = [at for at in times if begin <= at <= end]
    before = [at for at in times if at < begin][-31:]
    gaps = [b - a for a, b in zip(before, before[1:])]
    last = before[-1] if before else begin
    count, frozen, longest = 0, 0.0, 0.0
    for at in [*inside, end]:
        gap = at - last
        longest = max(longest, gap)
        mean = sum(gaps[-30:]) / len(gaps[-30:]) if gaps else 1 / 30
        if gap >= max(3 * mean, mean + 0.15):
            count += 1
            frozen += at - max(last, begin)
        gaps.append(gap)
        last = at
    return count, frozen / (end - begin), longest
