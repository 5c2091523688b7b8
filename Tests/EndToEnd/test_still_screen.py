"""Whoever joins while nothing changes on the screen sees it within a second."""

import time

import pytest
from harness import annexb, sharer

LIMIT_MS = 1000


@pytest.fixture(params=["page", "plain"])
def still(request, lan, display, share):
    """A page of text, which takes some pictures to become sharp, and one colour, which is sharp at once."""
    screen = display(1920, 1080, *(["static", "--no-timecode"] if request.param == "page" else []))
    host = share(lan, "--display", screen.name)
    return host


def test_aiortc(lan, still, start):
    viewer = start(sharer.aiortc, lan, still.whep, "--on-go", "--frames", "1", stdin=-1)
    viewer.event("ready")
    viewer.go()
    assert viewer.event("first")["ms"] <= LIMIT_MS


@pytest.mark.parametrize("mode", [0, 1])
def test_gstreamer(lan, still, start, mode):
    viewer = start(sharer.gstreamer, lan, still.whep, "--mode", mode, "--on-go", "--frames", "1", stdin=-1)
    viewer.event("ready")
    viewer.go()
    assert viewer.event("first")["ms"] <= LIMIT_MS


def test_chromium(lan, still, start, artifacts):
    viewer = start(sharer.chromium, lan, still.link, "--frames", "1", "--screenshot", artifacts / "still.png")
    first = viewer.event("first", 20)
    assert first["sincePostMs"] <= LIMIT_MS


def test_our_view(lan, still, start, tmp_path):
    with open(tmp_path / "out.h264", "wb") as file:
        viewer = start(sharer.view, lan, "--duration", "2", output=file)
    assert viewer.wait(15) == 0, viewer.describe()
    assert viewer.statistics.last["firstFrameMs"] <= LIMIT_MS


def test_who_joins_a_screen_that_has_rested_for_long_gets_a_file_of_the_time_it_watched(lan, still, start, tmp_path):
    with open(tmp_path / "first.h264", "wb") as file:
        first = start(sharer.view, lan, output=file)
    first.statistics.wait(lambda line: line["frames"] > 0, 10, "a picture")
    time.sleep(6)
    with open(tmp_path / "second.h264", "wb") as file:
        second = start(sharer.view, lan, "--duration", "3", output=file)
    assert second.wait(15) == 0, second.describe()
    probed = annexb.probe(tmp_path / "second.h264")
    assert 2 <= probed["pictures"] / probed["fps"] <= 4, probed
    assert first.stop() == 0
