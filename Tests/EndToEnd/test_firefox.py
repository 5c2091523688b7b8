"""Debian's Firefox through the real page: its offers, its answers to losses, its sound are not Chromium's."""

import pytest
from harness import sharer, sound
from harness.pictures import assert_colours
from harness.testpattern import PLACES, probes, seen


def test_the_test_pattern_arrives_with_its_colours(lan, share, start):
    host = share(lan, "--test-pattern")
    # The browser may know of its H.264 only after the page has opened.
    summary = start(sharer.firefox, lan, host.link, "--at-once", *probes(PLACES)).event("summary", 60)
    assert (summary["width"], summary["height"], summary["state"]) == (1280, 720, "live")
    assert_colours(seen(summary, PLACES), PLACES)
    assert summary["frames"] > 60


@pytest.mark.quiet
@pytest.mark.long
def test_what_gets_lost_is_sent_again(lab, display, share, start):
    link = lab("both", "loss=5%", "delay=25ms")
    screen = display(1280, 720, "scroll")
    host = share(link["a"], "--display", screen.name, "--open", listen="0.0.0.0:8080")
    page = f"http://{link.ADDRESSES['a']}:8080/r/demo"
    viewer = start(sharer.firefox, link["b"], page, "--duration", "20")
    summary = viewer.event("summary", 70)
    # Scrolled text is shared at 15 pictures a second.
    assert summary["frames"] > 20 * 13 and summary["longestGapMs"] < 1000, summary
    # ICE misses an answer now and then; who sees pictures is told of no interruption.
    assert [event["state"] for event in viewer.events("state")] == ["connecting", "live"]
    told = host.statistics.all()
    assert max(peer["retransmissions"] for line in told for peer in line["peers"]) > 10
    assert told[-1]["keyframes"] <= 3, told[-1]


def test_the_system_is_heard(lan, share, start, after):
    server = sound.SoundServer()
    after(server.kill)
    playing = server.play(sound.tone(440, 60))
    after(playing.kill)
    host = share(lan, "--test-pattern", env=server.env)
    heard = start(sharer.firefox, lan, host.link, "--sound", env=server.env).event("sound", 60)
    assert abs(heard["frequency"] - 440) < 12 and heard["level"] > 0.1, heard
