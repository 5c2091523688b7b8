"""Programs of Examples/."""

from pathlib import Path

import pytest

from .paths import screenshare
from .processes import Process


class Example:
    """A program of Examples/, built beside the command."""

    def __init__(self, place, name):
        path = Path(screenshare()).with_name(name)
        if not path.exists():
            pytest.skip(f"NO EXAMPLE: {path} is not built")
        self.process = Process(place.command(["stdbuf", "-oL", path]), name=name)

    def kill(self):
        self.process.kill()
