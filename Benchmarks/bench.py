"""One measurement: a network and a display of its own, something on the screen, a sharer, viewers."""

import contextlib
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Tests/EndToEnd"))

from harness import sharer  # noqa: E402
from harness.displays import Display  # noqa: E402
from harness.networks import Lan  # noqa: E402

# What is on the screen (modes of screensource, 1920×1080).
CONTENT = {
    "still": ["static", "--no-timecode"],
    "typing": ["type"],
    "scrolling": ["scroll"],
    "motion": ["video30"],
}
BITRATE = 4_000_000
NAMES = {"ours": "screenshare", "gstreamer": "GStreamer"}


class Bench(contextlib.ExitStack):
    """Everything that is started in here ends with it."""

    def __init__(self, content, width=1920, height=1080):
        super().__init__()
        self.lan = Lan()
        self.callback(self.lan.close)
        self.display = Display(width, height)
        self.callback(self.display.close)
        self.display.show(*CONTENT[content])

    def share(self, which, size=None, *more, **settings):
        """Either sharer, at 30 fps and 4 Mbit/s; `more` is for ours alone."""
        options = ["--fps", "30", "--bitrate", str(BITRATE)] + (["--size", size] if size else [])
        if which == "ours":
            made = sharer.Sharer(self.lan, "--display", self.display.name, *options, *more, **settings)
        else:
            made = sharer.GStreamerSharer(self.lan, self.display.name, *options)
        self.callback(made.kill)
        return made

    def watch(self, whep, *options, **settings):
        """A viewer that receives and does not decode, or with --timecode decodes and holds nothing back."""
        viewer = sharer.gstreamer(self.lan, whep, *options, **settings)
        self.callback(viewer.kill)
        return viewer

    def joiner(self, whep, *options):
        viewer = sharer.aiortc(self.lan, whep, "--immediate", *options)
        self.callback(viewer.kill)
        return viewer
