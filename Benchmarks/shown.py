"""What a viewer got to see and when: its H.264, taken from a pipe with the time of each byte, is decoded after the run.

Decoding in the run would take the processor from those that are measured; so each picture's own decoding time, one
thread, is measured afterwards and added to the moment when its last byte came out of the viewer.
"""

import sys
import time
from pathlib import Path
from typing import NamedTuple

import av
import numpy

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Tests/Support/screensource"))

from timecode import age_ms, decode  # noqa: E402

from harness.recorder import REPEAT_BYTES  # noqa: E402


class Picture(NamedTuple):
    """One that was decoded. `at` is when; `drawn` is when it was on the screen, None if unreadable."""

    at: float
    arrived: float
    drawn: int | None
    latency: float  # milliseconds
    size: int
    keyframe: bool
    fresh: bool  # not the picture before once more


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
