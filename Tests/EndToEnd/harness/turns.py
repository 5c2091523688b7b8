"""Who has the machine, where several processes run tests: most share it, one that measures waits until it is alone."""

import fcntl

from .paths import ARTIFACTS


class Turn:
    """A test's time on the machine. Whoever waits to be alone holds the gate, and nobody new gets in before."""

    def __init__(self, alone):
        ARTIFACTS.mkdir(exist_ok=True)
        self.machine = open(ARTIFACTS / "machine.lock", "w")
        self.take(fcntl.LOCK_EX if alone else fcntl.LOCK_SH)

    def take(self, how):
        with open(ARTIFACTS / "gate.lock", "w") as gate:
            fcntl.flock(gate, fcntl.LOCK_EX)
            fcntl.flock(self.machine, how)

    def be_alone(self):
        """From now on. What it has is given back first: two who hold on to it would wait for each other."""
        fcntl.flock(self.machine, fcntl.LOCK_UN)
        self.take(fcntl.LOCK_EX)

    def end(self):
        self.machine.close()
