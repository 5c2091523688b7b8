"""Debian's Chromium through the real page: right colours, moving pictures, states a person understands."""

import pytest
from harness import sharer
from harness.measures import best_of
from harness.pictures import assert_colours
from harness.testpattern import PLACES, probes, seen


def test_the_test_pattern_arrives_with_its_colours(lan, share, start, artifacts):
    host = share(lan, "--test-pattern")
    shot = artifacts / "live.png"
    options = ["--frames", "60", *probes(PLACES), "--screenshot", shot]
    viewer = start(sharer.chromium, lan, host.link, *options)
    summary = viewer.event("summary", 30)
    assert summary["frames"] >= 60
    assert_colours(seen(summary, PLACES), PLACES)
    assert not summary["problems"]


def test_the_page_is_two_files_and_a_picture_and_comes_compressed(lan, share, start):
    host = share(lan, "--test-pattern")
    first = start(sharer.chromium, lan, host.link, "--duration", "3").event("first", 30)
    files = {path: sizes for path, *sizes in first["loaded"] if not path.startswith("/v1/")}
    assert sorted(files) == ["/assets/icon.svg", "/assets/page.css", "/assets/page.js"]
    for path in ("/assets/page.css", "/assets/page.js"):
        came, whole = files[path]
        assert 0 < came < 0.4 * whole, path
    # The endpoint is asked nothing before the offer.
    assert [path for path, *_ in first["loaded"]].count("/v1/rooms/demo/whep") == 1


def test_an_x11_screen_arrives_with_its_colours(lan, display, painter, share, start, artifacts):
    screen = display(1280, 720)
    places = painter(screen).bars(1280, 720)
    host = share(lan, "--display", screen.name)
    options = ["--duration", "4", *probes(places), "--screenshot", artifacts / "bars.png"]
    summary = start(sharer.chromium, lan, host.link, *options).event("summary", 30)
    assert (summary["width"], summary["height"]) == (1280, 720)
    assert_colours(seen(summary, places), places)


@pytest.mark.quiet
def test_a_moving_screen_is_shown_at_its_rate(lan, display, share, start):
    screen = display(1280, 720, "scroll")
    host = share(lan, "--display", screen.name)

    def rate():
        summary = start(sharer.chromium, lan, host.link, "--frames", "90", "--duration", "12").event("summary", 40)
        assert summary["frames"] >= 90, summary
        assert summary["longestGapMs"] < 1000, summary
        return summary["fps"]

    # What is no film leaves fifteen times a second.
    best_of(rate, lambda fps: 13 <= fps <= 16)


def test_a_picture_that_the_browser_pauses_moves_on(lan, share, start):
    host = share(lan, "--test-pattern")
    viewer = start(sharer.chromium, lan, host.link, "--duration", "6", stdin=-1)
    viewer.event("first", 30)
    viewer.command_line("pause")
    summary = viewer.event("summary", 30)
    assert summary["frames"] > 60 and summary["longestGapMs"] < 1000, summary


def test_the_page_waits_for_a_sharer_and_finds_the_next_one(lan, share, start, artifacts):
    server = start(sharer.Server, lan)
    viewer = start(sharer.chromium, lan, f"{server.base}/r/demo", "--duration", "60", stdin=-1)
    viewer.wait_for_state("waiting", 15)
    viewer.command_line(f"screenshot {artifacts / 'waiting.png'}")
    first = share(lan, "--test-pattern", "--signaling", server.base, listen=None)
    viewer.wait_for_state("live", 15)
    first.stop()
    viewer.wait_for_state("ended|waiting|reconnecting", 15)
    viewer.command_line(f"screenshot {artifacts / 'ended.png'}")
    share(lan, "--test-pattern", "--signaling", server.base, listen=None)
    viewer.wait_for_state("live", 20)
    viewer.command_line("quit")


def test_the_end_of_a_share_is_told_where_its_server_ends_with_it(lan, share, start):
    host = share(lan, "--test-pattern")
    viewer = start(sharer.chromium, lan, host.link, "--duration", "60", stdin=-1)
    viewer.wait_for_state("live", 15)
    assert host.stop() == 0
    viewer.wait_for_state("ended", 15)
    # The next share at the same place is found.
    share(lan, "--test-pattern")
    viewer.wait_for_state("live", 30)
    viewer.command_line("quit")


def test_the_page_looks_right_from_phone_to_wide_screen(lan, share, start, artifacts):
    host = share(lan, "--test-pattern")
    for size, scheme in (("390x844", "light"), ("844x390", "dark"), ("1920x1080", "dark"), ("1280x800", "light")):
        shot = artifacts / f"{size}-{scheme}.png"
        options = ["--size", size, "--scheme", scheme, "--frames", "10", "--screenshot", shot]
        summary = start(sharer.chromium, lan, host.link, *options).event("summary", 30)
        assert summary["frames"] >= 10
        assert not summary["overflow"], "the page is wider than the window"
