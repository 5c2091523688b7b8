"""How late the machine itself was: what runs on it can be in no better time, and is not to blame for that."""

import json

from .paths import PEERS, VENV_PYTHON
from .processes import Peer


class Wakes(Peer):
    """Watches from now on; moments are those of `time.time()`."""

    def __init__(self):
        super().__init__([VENV_PYTHON, PEERS / "late_wakes.py"], name="late wakes")
        self.late = []
        self.event("ready")

    def longest(self, begin, end):
        """By how many seconds a wake-up was late, at most, that was due or came between two moments; 0 below 5 ms."""
        for _, line in self.lines["out"][len(self.late) :]:
            told = json.loads(line)
            self.late.append((told.get("at", 0), told.get("seconds", 0)))
        return max((late for at, late in self.late if at < end and at + late > begin), default=0)
