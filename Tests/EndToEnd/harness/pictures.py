"""Decoded pictures: reading colours from planes, keeping them to look at."""

import subprocess

import numpy as np
from PIL import Image


class Picture:
    """A decoded picture as RGB."""

    def __init__(self, rgb):
        self.rgb = rgb
        self.height, self.width = rgb.shape[:2]

    def colour(self, fx, fy, radius=4):
        """The mean colour around a place given as fractions of width and height."""
        x, y = int(fx * self.width), int(fy * self.height)
        part = self.rgb[max(0, y - radius) : y + radius + 1, max(0, x - radius) : x + radius + 1]
        return tuple(float(value) for value in part.reshape(-1, 3).mean(axis=0))

    def save(self, path):
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(self.rgb).save(path)


def from_i420(path, width, height):
    """Raw I420, read as the VUI of our streams says: BT.709, limited range."""
    data = np.fromfile(path, np.uint8).astype(np.float32)
    size, half = width * height, (width // 2) * (height // 2)
    luma = data[:size].reshape(height, width)
    blue, red = (
        data[size + plane * half : size + (plane + 1) * half].reshape(height // 2, width // 2).repeat(2, 0).repeat(2, 1)
        for plane in range(2)
    )
    y, u, v = (luma - 16) * (255 / 219), (blue - 128) * (255 / 224), (red - 128) * (255 / 224)
    channels = (y + 1.5748 * v, y - 0.1873 * u - 0.4681 * v, y + 1.8556 * u)
    return Picture(np.clip(np.stack(channels, axis=-1) + 0.5, 0, 255).astype(np.uint8))


def from_file(path):
    return Picture(np.asarray(Image.open(path).convert("RGB")))


def last_of_stream(stream, target, seconds_from_end=0.5):
    """The last picture of a file, converted by ffmpeg as the stream's own VUI says."""
    command = ["ffmpeg", "-v", "error", "-y", "-i", str(stream), "-vf", "scale=flags=accurate_rnd+full_chroma_int"]
    subprocess.run([*command, "-update", "1", str(target)], check=True, stdin=subprocess.DEVNULL)
    return from_file(target)


def assert_colours(picture, places, tolerance=12):
    """`places`: name → (x fraction, y fraction, rgb)."""
    wrong = []
    for name, (fx, fy, expected) in places.items():
        seen = picture.colour(fx, fy) if isinstance(picture, Picture) else picture[name]
        if max(abs(a - b) for a, b in zip(seen, expected)) > tolerance:
            wrong.append(f"{name}: expected {expected}, saw {tuple(round(value) for value in seen)}")
    assert not wrong, "; ".join(wrong)
