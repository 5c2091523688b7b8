"""Displays without a monitor, and what is shown on them."""

import os

from .paths import support
from .processes import Process


class Display:
    """An Xvfb on a free number."""

    def __init__(self, width=1920, height=1080, depth=24, options=()):
        read, write = os.pipe()
        screen = f"{width}x{height}x{depth}"
        command = ["Xvfb", "-displayfd", str(write), "-screen", "0", screen, "-nolisten", "tcp", "-noreset", *options]
        self.server = Process(command, pass_fds=[write])
        os.close(write)
        with os.fdopen(read) as numbers:
            number = numbers.readline().strip()
        if not number:
            raise RuntimeError(f"Xvfb does not start\n{self.server.describe()}")
        self.name = f":{number}"
        self.width, self.height = width, height
        self.content = None

    def show(self, mode, *options):
        """screensource in one of its modes, in place of what was shown before."""
        self.clear()
        command = [support("screensource"), "--display", self.name, "--mode", mode, *options]
        self.content = Process(command, name=f"screensource {mode}")
        self.content.wait_for("READY", 30, key="out")

    def clear(self):
        if self.content:
            self.content.kill()
            self.content = None

    def run(self, *command):
        """A program that draws on this display and ends."""
        process = Process(command, env={"DISPLAY": self.name})
        code = process.wait(10)
        if code:
            raise RuntimeError(process.describe())
        return process.text("out")

    def resize(self, width, height):
        """As a person does in the display settings; never beyond the size it began with."""
        name = f"{width}x{height}-test"
        timing = [width, width + 40, width + 80, width + 160, height, height + 10, height + 20, height + 30]
        if name not in self.run("xrandr"):
            self.run("xrandr", "--newmode", name, "60", *map(str, timing))
            self.run("xrandr", "--addmode", "screen", name)
        self.run("xrandr", "--output", "screen", "--mode", name, "--fb", f"{width}x{height}")
        self.width, self.height = width, height

    def add_monitor(self, name, x, y, width, height):
        """A part of the display that RandR names as a monitor."""
        self.run("xrandr", "--setmonitor", name, f"{width}/100x{height}/100+{x}+{y}", "none")

    def close(self):
        self.clear()
        self.server.kill()
