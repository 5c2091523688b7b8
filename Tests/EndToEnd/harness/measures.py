"""Bounds on time where the machine may be late itself: measured anew within one test, which fails where all are wrong."""


def best_of(measure, is_right, times=3):
    """The first of some measures that is right."""
    found = []
    while len(found) < times:
        found.append(measure())
        if is_right(found[-1]):
            return found[-1]
    raise AssertionError(f"not right once: {found}")
