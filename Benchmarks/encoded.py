"""Known pages as x264 alone encodes them, with the share's own settings (x264_page.c): bytes, CPU, and how they look."""

import functools
import struct
import subprocess
from typing import NamedTuple

import av
import bench  # noqa: F401  (finds the harness)
import numpy
from PIL import Image

from harness.paths import ARTIFACTS, ROOT

# Between these the quantiser of a page is looked for.
FINEST, COARSEST = 12, 48


class Picture(NamedTuple):
    size: int
    seconds: float
    luma: numpy.ndarray


@functools.cache
def program():
    made = ARTIFACTS / "bench/x264_page"
    made.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["cc", "-O2", "-o", made, ROOT / "Benchmarks/x264_page.c", "-lx264"], check=True)
    return made


@functools.cache
def i420(folder, name):
    """Where a page is as the share hands it to x264, and its size: BT.709 limited, chroma in the middle of its pixels."""
    rgb = numpy.asarray(Image.open(folder / f"{name}.png").convert("RGB")).astype(numpy.float32)
    height, width, _ = rgb.shape
    half = rgb.reshape(height // 2, 2, width // 2, 2, 3).mean((1, 3))
    grey = half @ WEIGHTS
    planes = [
        16 + (rgb @ WEIGHTS) * 219 / 255,
        128 + (half[..., 2] - grey) / (2 - 2 * WEIGHTS[2]) * 224 / 255,
        128 + (half[..., 0] - grey) / (2 - 2 * WEIGHTS[0]) * 224 / 255,
    ]
    path = folder / f"{name}.i420"
    path.write_bytes(b"".join((plane + 0.5).astype(numpy.uint8).tobytes() for plane in planes))
    return path, width, height


# Of red, green and blue in luma.
WEIGHTS = numpy.array([0.2126, 0.7152, 0.0722], numpy.float32)


def encode(folder, name, quantisers, preset="ultrafast", profile="high", deblocking="own"):
    """A keyframe at the first quantiser, and the page once more at each of the others."""
    path, width, height = i420(folder, name)
    settings = [width, height, preset, profile, deblocking, *quantisers]
    made = subprocess.run([program(), path, *map(str, settings)], capture_output=True, check=True).stdout
    return list(decoded(made))


def decoded(data):
    decoder, place = new_decoder(), 0
    while place < len(data):
        microseconds, size = struct.unpack_from("<II", data, place)
        place += 8
        [frame] = decoder.decode(av.Packet(data[place : place + size]))
        place += size
        yield Picture(size, microseconds / 1e6, luma(frame))


def new_decoder():
    """Gives each picture at once."""
    decoder = av.CodecContext.create("h264", "r")
    decoder.thread_count = 1
    decoder.flags |= av.codec.context.Flags.low_delay
    return decoder


def luma(frame):
    plane = frame.planes[0]
    return numpy.frombuffer(plane, numpy.uint8).reshape(plane.height, plane.line_size)[:, : plane.width].copy()


def keyframe(folder, page, sharpness, **settings):
    """The bytes of a page as one keyframe, by the coarsest quantiser that makes it so sharp, and that quantiser."""
    sizes = {}

    def is_sharp(quantiser):
        [picture] = encode(folder, page.name, [quantiser], **settings)
        sizes[quantiser] = picture.size
        return page.ssim(picture.luma) >= sharpness

    low, high = FINEST - 1, COARSEST
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if is_sharp(middle) else (low, middle - 1)
    if low < FINEST:
        raise RuntimeError(f"page {page.name} does not get that sharp")
    return sizes[low], low
