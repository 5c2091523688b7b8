"""Whoever joins while nothing changes on the screen sees it within a second."""

import time

import pytest
from harness import annexb, sharer
from harness.measures import best_of

LIMIT_MS = 1000


@pytest.fixture(params=["page", "plain"])
def still(request, lan, display, share):
    """`still()`: a share, which nobody has watched yet, of a page of text, which takes some pictures to become sharp, or of
    one colour, which is sharp at once."""
    screen = display(1920, 1080, *(["static", "--no-timecode"] if request.param == "page" else []))
    return lambda: share(lan, "--display", screen.name)


def assert_soon(still, join):
    """`join(host)` gives the milliseconds until the first picture."""

    def first():
        host = still()
        taken = join(host)
        host.kill()
        return taken

    best_of(first, lambda taken: taken <= LIMIT_MS)


def test_aiortc(lan, still, start):
    def join(host):
        viewer = start(sharer.aiortc, lan, host.whep, "--on-go", "--frames", "1", stdin=-1)
        viewer.event("ready")
        viewer.go()
        return viewer.event("first")["ms"]

    assert_soon(still, join)


@pytest.mark.parametrize("mode", [0, 1])
def test_gstreamer(lan, still, start, mode):
    def join(host):
        viewer = start(sharer.gstreamer, lan, host.whep, "--mode", mode, "--on-go", "--frames", "1", stdin=-1)
        viewer.event("ready")
        viewer.go()
        return viewer.event("first")["ms"]

    assert_soon(still, join)


def test_chromium(lan, still, start, artifacts):
    def join(host):
        viewer = start(sharer.chromium, lan, host.link, "--frames", "1", "--screenshot", artifacts / "still.png")
        return viewer.event("first", 20)["sincePostMs"]

    assert_soon(still, join)


def test_our_view(lan, still, start, tmp_path):
    def join(host):
        with open(tmp_path / "out.h264", "wb") as file:
            viewer = start(sharer.view, lan, "--duration", "2", output=file, signaling=host.base)
        assert viewer.wait(15) == 0, viewer.describe()
        return viewer.statistics.last["firstFrameMs"]

    assert_soon(still, join)


def test_who_joins_a_screen_that_has_rested_for_long_gets_a_file_of_the_time_it_watched(lan, still, start, tmp_path):
    still()
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
