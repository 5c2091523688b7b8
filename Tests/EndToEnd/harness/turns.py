"""Who has the machine, where several processes run tests: most share it, one that measures waits until it is alone."""

import contextlib
import fcntl

from .paths import ARTIFACTS


@contextlib.contextmanager
def turn(alone):
    """A test's time on the machine. Whoever waits to be alone holds the gate, and nobody new gets in before."""
    ARTIFACTS.mkdir(exist_ok=True)
    with open(ARTIFACTS / "machine.lock", "w") as machine:
        with open(ARTIFACTS / "gate.lock", "w") as gate:
            fcntl.flock(gate, fcntl.LOCK_EX)
            fcntl.flock(machine, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
        yield
