"""Paused means: no picture goes out, and none from before the pause ever does again."""

import signal
import subprocess
import time

import pytest
from harness import sharer
from harness.painter import BARS
from harness.pictures import from_i420

RED, BLUE, GREEN = BARS["red"], BARS["blue"], BARS["green"]


def colour(path, size):
    """Off the middle, where the pointer stands."""
    return from_i420(path, *size).colour(0.3, 0.3)


def near(seen, expected):
    return max(abs(a - b) for a, b in zip(seen, expected)) <= 12


def test_nothing_from_before_or_during_a_pause_is_seen(lan, display, painter, share, start, artifacts):
    screen = display(1280, 720)
    brush = painter(screen)
    brush.fill(0, 0, 1280, 720, RED)
    host = share(lan, "--display", screen.name)
    old, new = artifacts / "old.yuv", artifacts / "new.yuv"
    watching = start(sharer.aiortc, lan, host.whep, "--save", old, "--duration", "60")
    watching.event("first")
    host.process.send(signal.SIGUSR1)
    host.statistics.wait(lambda line: line["state"] == "paused", 4, "paused")
    brush.fill(0, 0, 1280, 720, BLUE)
    joiner = start(sharer.aiortc, lan, host.whep, "--frames", "1", "--save", new, "--duration", "60")
    joiner.event("joined")
    time.sleep(2)
    assert not joiner.events("first"), "a joiner saw a picture of the past"
    watching.stop()
    assert near(colour(old, (1280, 720)), RED), "a change during the pause was seen"
    brush.fill(0, 0, 1280, 720, GREEN)
    host.process.send(signal.SIGUSR1)
    joiner.event("first", 5)
    joiner.event("left")
    assert near(colour(new, (1280, 720)), GREEN)


@pytest.mark.long
def test_who_joins_during_a_pause_waits_for_its_end_in_one_session(lan, share, start, tmp_path):
    host = share(lan, "--test-pattern")
    host.process.send(signal.SIGUSR1)
    host.statistics.wait(lambda line: line["state"] == "paused", 4, "paused")
    with open(tmp_path / "out.h264", "wb") as file:
        viewer = start(sharer.view, lan, output=file, whep=host.whep)
    viewer.statistics.wait(lambda line: line["joins"] == 1, 5, "a connection")
    time.sleep(14)
    host.process.send(signal.SIGUSR1)
    viewer.statistics.wait(lambda line: line["frames"] > 15, 5, "pictures")
    assert viewer.statistics.last["joins"] == 1
    assert host.text().count("A viewer joined") == 1
    assert viewer.stop() == 0


def test_view_tells_of_a_pause_and_of_its_end(lan, share, start):
    host = share(lan, "--test-pattern")
    viewer = start(sharer.view, lan, output=subprocess.DEVNULL, signaling=host.base)
    viewer.wait_for("First picture", 10)
    host.process.send(signal.SIGUSR1)
    viewer.wait_for("The share is paused.", 5)
    host.process.send(signal.SIGUSR1)
    viewer.wait_for("The share goes on.", 5)
    assert viewer.stop() == 0
