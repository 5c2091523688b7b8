"""What is in a file with pictures and sound, when."""

import json
import subprocess

import numpy

from . import sound


def ffmpeg(path, *options):
    """Raw bytes of what ffmpeg decodes; a complaint is an error."""
    command = ["ffmpeg", "-v", "error", "-i", path, *options, "-"]
    done = subprocess.run(command, capture_output=True, check=True, stdin=subprocess.DEVNULL, timeout=60)
    assert not done.stderr, done.stderr.decode()
    return done.stdout


def packets(path, kind):
    """The times of a track's packets: "v" or "a"."""
    command = ["ffprobe", "-v", "error", "-select_streams", kind, "-show_entries", "packet=pts_time", "-of", "json", path]
    done = subprocess.run(command, capture_output=True, check=True, timeout=60)
    return numpy.array([float(packet["pts_time"]) for packet in json.loads(done.stdout)["packets"]])


def length(path):
    """In seconds, as the file itself says; without that, an error."""
    command = ["ffprobe", "-v", "error", "-show_entries", "format=duration", "-of", "json", path]
    done = subprocess.run(command, capture_output=True, check=True, timeout=60)
    return float(json.loads(done.stdout)["format"]["duration"])


def flashes(path):
    """When white pictures begin."""
    raw = ffmpeg(path, "-vf", "scale=16:9", "-fps_mode", "passthrough", "-enc_time_base", "1:90000", "-pix_fmt", "gray", "-f", "rawvideo")
    white = numpy.frombuffer(raw, numpy.uint8).reshape(-1, 144).mean(axis=1) > 120
    times = packets(path, "v")[: len(white)]
    return times[1:][white[1:] & ~white[:-1]]


def clicks(path, level=0.15):
    """When loud sounds begin that are at least half a second apart."""
    raw = ffmpeg(path, "-af", "aresample=async=1:first_pts=0", "-f", "f32le", "-ac", "2", "-ar", str(sound.RATE))
    loud = numpy.flatnonzero(numpy.abs(numpy.frombuffer(raw, numpy.float32)[::2]) > level)
    begins = numpy.diff(loud, prepend=-sound.RATE) > sound.RATE / 2
    return loud[begins] / sound.RATE


def lags(path):
    """By how many seconds each click comes before its flash."""
    flash = flashes(path)
    return numpy.array([flash[numpy.abs(flash - click).argmin()] - click for click in clicks(path)])
