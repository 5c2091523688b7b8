"""What a process used, read from /proc, and the usual statistics."""

import contextlib
import os
import platform
import shutil
import subprocess
import time
from pathlib import Path


def processor_seconds(pid):
    """User and system time of all threads so far, to the nanosecond: the process's own clock (clock_getcpuclockid(3))."""
    return time.clock_gettime(~pid << 3 | 2)


def thread_seconds(pid, name):
    """Time on a processor so far of the threads whose name begins so, to the nanosecond (proc(5), schedstat)."""
    found = 0
    for task in Path(f"/proc/{pid}/task").iterdir():
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # one that has just ended
            if (task / "comm").read_text().startswith(name):
                found += int((task / "schedstat").read_text().split()[0])
    return found / 1e9


def memory(pid):
    """Megabytes: the peak of resident memory, and what of the present is shared with the X server."""
    wanted = {"VmHWM": "peak", "VmRSS": "resident", "RssShmem": "shared", "RssAnon": "anonymous"}
    found = {}
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        name, _, value = line.partition(":")
        if name in wanted:
            found[wanted[name]] = round(int(value.split()[0]) / 1024, 1)
    return found


def percentile(values, share):
    """By linear interpolation between the two nearest."""
    ordered = sorted(values)
    position = share * (len(ordered) - 1)
    low = int(position)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (position - low)


def median(values):
    return percentile(values, 0.5)


def machine():
    """What the figures were taken on."""
    models = [line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
    asked = shutil.which("gst-inspect-1.0")  # of gstreamer1.0-tools, which nothing else here needs
    command = [asked, "--version"] if asked else ["true"]
    gstreamer = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    return {
        "processor": models[0].partition(":")[2].strip() if models else platform.machine(),
        "cores": os.cpu_count(),
        "kernel": platform.release(),
        "gstreamer": (gstreamer.splitlines() or ["?"])[1:2],
        "loadBefore": os.getloadavg()[0],
    }
