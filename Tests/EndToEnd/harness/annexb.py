"""H.264 byte streams as files: NAL units, and what ffprobe makes of them."""

import itertools
import json
import re
import subprocess

SLICE, IDR, SEI, SPS, PPS = 1, 5, 6, 7, 8


def nal_units(data):
    """(type, bytes) of each NAL unit of an Annex B stream (ITU-T H.264 annex B)."""
    starts = [match.end() for match in re.finditer(b"\x00\x00\x01", data)]
    ends = [start - 3 for start in starts[1:]] + [len(data)]
    return [(data[start] & 31, data[start:end].rstrip(b"\x00")) for start, end in zip(starts, ends) if start < end]


def types(data):
    return [kind for kind, _ in nal_units(data)]


def starts_playable(data):
    """SPS, PPS and an IDR come first, with nothing but SEI and delimiters between them."""
    kinds = [kind for kind in types(data) if kind not in (SEI, 9)]
    return kinds[:2] == [SPS, PPS] and kinds[2:3] == [IDR]


def probe(path):
    """ffprobe's view: stream and counted pictures; fails on any complaint of the decoder."""
    command = ["ffprobe", "-v", "warning", "-count_frames", "-show_streams", "-show_frames", "-of", "json"]
    done = subprocess.run(
        [*command, "-show_entries", "frame=pict_type,best_effort_timestamp_time", str(path)],
        capture_output=True,
        text=True,
        check=False,
    )
    complaints = [line for line in done.stderr.splitlines() if "Could not find" not in line]
    assert done.returncode == 0 and not complaints, "\n".join(complaints) or f"ffprobe: exit {done.returncode}"
    result = json.loads(done.stdout)
    stream = result["streams"][0]
    stream["pictures"] = int(stream["nb_read_frames"])
    stream["fps"] = eval_rate(stream["r_frame_rate"])
    return stream


def eval_rate(text):
    numerator, denominator = text.split("/")
    return int(numerator) / int(denominator)


def profiles(data):
    """profile_idc of the stream's parameter sets, each as long as it lasts."""
    found = [unit[1] for kind, unit in nal_units(data) if kind == SPS]
    return [one for one, _ in itertools.groupby(found)]


def sizes(path):
    """Width and height of the pictures, each as long as it lasts."""
    command = ["ffprobe", "-v", "error", "-show_entries", "frame=width,height", "-of", "csv=p=0", str(path)]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    found = [tuple(int(side) for side in line.split(",")[:2]) for line in lines]
    return [one for one, _ in itertools.groupby(found)]
