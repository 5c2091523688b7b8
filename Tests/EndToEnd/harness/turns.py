"""Who has the machine, where several processes run tests: most share it; what measures waits until it is quiet, or alone."""

import enum
import fcntl
import time

from .paths import ARTIFACTS


class Kind(enum.IntEnum):
    """Of a test, in the order in which they run."""

    SHARED, QUIET, ALONE = range(3)


class Turn:
    """A test's time on the machine, which has two seats: those who share it sit on both together, a quiet one has one to
    itself, and who is alone has both. Whoever waits holds the gate, and nobody new gets in before."""

    def __init__(self, kind):
        ARTIFACTS.mkdir(exist_ok=True)
        self.seats = [open(ARTIFACTS / f"seat-{number}.lock", "w") for number in range(2)]
        self.take(kind)

    def take(self, kind):
        """What it has is given back first: two who hold on to it would wait for each other."""
        self.give_back()
        with open(ARTIFACTS / "gate.lock", "w") as gate:
            fcntl.flock(gate, fcntl.LOCK_EX)
            if kind == Kind.QUIET:
                while not any(map(is_taken, self.seats)):
                    time.sleep(0.02)
            else:
                for seat in self.seats:
                    fcntl.flock(seat, fcntl.LOCK_EX if kind == Kind.ALONE else fcntl.LOCK_SH)

    def give_back(self):
        for seat in self.seats:
            fcntl.flock(seat, fcntl.LOCK_UN)

    def end(self):
        for seat in self.seats:
            seat.close()


def is_taken(seat):
    """Whether it was free, and is ours from now on."""
    try:
        fcntl.flock(seat, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
