"""GStreamer's webrtcbin, which by itself offers packetization-mode 0: single NAL units only."""

import pytest
from harness import sharer
from harness.pictures import assert_colours, from_i420
from harness.testpattern import PLACES


@pytest.mark.parametrize("mode", [0, 1])
def test_it_decodes_the_test_pattern(lan, share, start, artifacts, mode):
    host = share(lan, "--test-pattern")
    raw = artifacts / "last.yuv"
    viewer = start(sharer.gstreamer, lan, host.whep, "--mode", mode, "--frames", "60", "--save", raw)
    summary = viewer.event("summary", 20)
    assert summary["frames"] >= 60
    picture = from_i420(raw, summary["width"], summary["height"])
    picture.save(artifacts / "last.png")
    assert_colours(picture, PLACES)


def test_it_gets_pictures_where_it_offers_sound_on_a_transport_of_its_own(lan, share, start):
    """webrtcbin bundles nothing unless it is told to."""
    host = share(lan, "--test-pattern")
    viewer = start(sharer.gstreamer, lan, host.whep, "--unbundled", "--frames", "60")
    assert viewer.event("summary", 20)["frames"] >= 60


def test_a_mode_0_viewer_gets_a_lane_that_ends_with_it(lan, share, start):
    host = share(lan, "--test-pattern")
    start(sharer.aiortc, lan, host.whep, "--duration", "30").event("first")
    host.statistics.wait(lambda line: line["lanes"] == 1, 5, "one lane")
    viewer = start(sharer.gstreamer, lan, host.whep, "--mode", 0, "--duration", "30")
    viewer.event("first")
    host.statistics.wait(lambda line: line["lanes"] == 2, 5, "two lanes")
    viewer.stop()
    host.statistics.wait(lambda line: line["lanes"] == 1, 5, "one lane again")


@pytest.mark.quiet
def test_its_transport_wide_feedback_comes_in_batches_and_pictures_go_on(lan, display, share, start):
    """In a connection's first seconds its RTCP waits for up to 1.4 s."""
    screen = display(1280, 720)
    screen.show("video30")
    host = share(lan, "--display", screen.name, "--fps", "30")
    viewer = start(sharer.gstreamer, lan, host.whep, "--no-decode", "--feedback", "--duration", "9")
    summary = viewer.event("summary", 30)
    print(summary)
    assert summary["fps"] > 25 and summary["longestGapMs"] < 1500, summary
