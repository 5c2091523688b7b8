"""H.264 taken from a pipe with the time of each byte, as a viewer wrote it."""

import bisect
import fcntl
import itertools
import mmap
import os
import re
import threading
import time

from .paths import scratch_file

# A sign of life, or a gap that the viewer filled: no picture of its own (as in Benchmarks/pages.py).
REPEAT_BYTES = 100
SLICES, IDR = (1, 5), 5


class Recorder:
    """The reading end of a pipe; `.output` is for the viewer."""

    def __init__(self, path=None):
        self.path = path or scratch_file(".h264")
        read, write = os.pipe()
        fcntl.fcntl(read, fcntl.F_SETPIPE_SZ, 1 << 20)
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

    def longest_gap(self, begin, end):
        """Seconds in which no picture came, between two moments of `time.time()`."""
        times = [at for at, unit, _ in self.units() if len(unit) > REPEAT_BYTES and begin < at < end]
        return max(after - before for before, after in itertools.pairwise([begin, *times, end]))


def resumed(viewer, timeout=15):
    """The moment, as of `time.time()`, when half a second of pictures has come from now on, by statistics once a second."""
    before = viewer.statistics.wait(lambda line: True, 5, "statistics")["frames"]
    viewer.statistics.wait(lambda line: line["frames"] >= before + 15, timeout, "pictures again")
    return time.time()


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
