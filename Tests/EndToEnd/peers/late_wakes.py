"""How late this machine wakes who sleeps: on each processor somebody sleeps for 2 ms at a time. One JSON object a line:

    {"event": "ready"}
    {"event": "late", "at": ..., "seconds": ...}     woken later than 5 ms: due when, in seconds since 1970; how late

What runs beside it can be in no better time.
"""

import json
import os
import time

SLEEP = 0.002
LATE = 0.005


def report(event, **values):
    print(json.dumps({"event": event, **values}), flush=True)


def sleep_on(processor, parent):
    """Until the parent has gone."""
    os.sched_setaffinity(0, {processor})
    while os.getppid() == parent:
        due = time.monotonic() + SLEEP
        time.sleep(SLEEP)
        late = time.monotonic() - due
        if late > LATE:
            report("late", at=round(time.time() - late, 4), seconds=round(late, 4))


def main():
    parent, own = os.getppid(), os.getpid()
    first, *others = sorted(os.sched_getaffinity(0))
    report("ready")
    for processor in others:
        if os.fork() == 0:
            return sleep_on(processor, own)
    return sleep_on(first, parent)


if __name__ == "__main__":
    main()
