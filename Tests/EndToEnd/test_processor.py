"""A share that the processor can't keep up with tries less hard, and says so."""

import time

import pytest
from harness import sharer
from harness.codes import USAGE

# Read in its slot, or looked at before it.
@pytest.mark.alone
@pytest.mark.parametrize("options", [["--fps", "30"], ["--mode", "motion"]], ids=["fps", "motion"])
def test_a_preset_too_slow_for_the_film_is_left_for_a_smaller_one(lan, start, display, share, options):
    screen = display(1920, 1080, "video30")
    host = share(lan, "--display", screen.name, *options, "--preset", "medium", "--bitrate", "12M")
    start(sharer.gstreamer, lan, host.whep, "--no-decode", "--duration", "60").event("first", 20)
    host.process.wait_for(r"Pictures are encoded with preset \w+", 20)
    time.sleep(5)
    settled = host.statistics.all()[-3:]
    assert all(line["preset"] != "medium" for line in settled), settled
    # Not all of thirty where the test itself takes half of the processor.
    assert all(line["fps"] > 15 for line in settled), [line["fps"] for line in settled]
    assert settled[-1]["keyframes"] <= 2


def test_an_unknown_preset_is_refused_with_the_names_there_are(run):
    done = run("host", "--room", "demo", "--test-pattern", "--preset", "placebo")
    assert done.returncode == USAGE
    assert "veryfast" in done.stderr
