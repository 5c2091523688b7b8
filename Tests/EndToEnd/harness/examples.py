"""Programs of Examples/."""

from pathlib import Path

from .paths import ROOT, MissingBinary, screenshare
from .processes import Process


class Example:
    """A program of Examples/, built beside the command, or where the tests build."""

    def __init__(self, place, name):
        beside, path = Path(screenshare()).with_name(name), ROOT / ".build/release" / name
        if beside.exists():
            path = beside
        if not path.exists():
            raise MissingBinary(f"{path} is not built")
        self.process = Process(place.command(["stdbuf", "-oL", path]), name=name)

    def kill(self):
        self.process.kill()
