"""aiortc, an independent WebRTC stack, through WHEP."""

from harness import sharer
from harness.pictures import assert_colours, from_i420
from harness.testpattern import PLACES


def test_it_decodes_the_test_pattern(lan, share, start, artifacts):
    host = share(lan, "--test-pattern")
    raw = artifacts / "last.yuv"
    viewer = start(sharer.aiortc, lan, host.whep, "--frames", "60", "--save", raw)
    summary = viewer.event("summary", 20)
    viewer.event("left")
    assert summary["frames"] >= 60 and summary["longestGapMs"] < 500
    picture = from_i420(raw, summary["width"], summary["height"])
    picture.save(artifacts / "last.png")
    assert_colours(picture, PLACES)


def test_it_gets_the_rate_that_was_asked_for(lan, display, share, start):
    screen = display(1280, 720, "scroll")
    host = share(lan, "--display", screen.name, "--fps", "24")
    summary = start(sharer.aiortc, lan, host.whep, "--duration", "6").event("summary", 20)
    assert 22.5 <= summary["fps"] <= 25


def test_leaving_is_noticed_at_once(lan, share, start):
    host = share(lan, "--test-pattern")
    viewer = start(sharer.aiortc, lan, host.whep, "--duration", "30")
    viewer.event("first")
    host.statistics.wait(lambda line: line["viewers"] == 1, 5, "one viewer")
    viewer.stop()
    host.statistics.wait(lambda line: line["viewers"] == 0, 4, "no viewer")


def test_an_offer_that_cannot_be_served_gets_a_counter_offer_that_can_be_answered(lan, share, start):
    host = share(lan, "--test-pattern")
    viewer = start(sharer.aiortc, lan, host.whep, "--vp8", "--frames", "30")
    viewer.event("countered")
    assert viewer.event("summary", 20)["frames"] >= 30
    viewer.event("left")
    host.statistics.wait(lambda line: line["viewers"] == 0, 4, "no viewer")
