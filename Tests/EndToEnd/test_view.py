"""`screenshare view`: a file that any player takes, and that lasts as long as the sharing did."""

import signal
import time

import pytest
from harness import annexb, sharer
from harness.pictures import assert_colours, last_of_stream
from harness.testpattern import PLACES


@pytest.fixture
def record(start, artifacts):
    """`record(lan, "--duration", "3")`: a view into a file, to its end."""

    def begin(place, *options, name="out.h264", **settings):
        path = artifacts / name
        with open(path, "wb") as file:
            viewer = start(sharer.view, place, *options, output=file, **settings)
        return viewer, path

    return begin


def test_the_stream_starts_playable_and_shows_the_pattern(lan, share, record, artifacts):
    share(lan, "--test-pattern")
    viewer, path = record(lan, "--frames", "60")
    assert viewer.wait(20) == 0, viewer.describe()
    assert annexb.starts_playable(path.read_bytes())
    stream = annexb.probe(path)
    assert stream["pictures"] == 60
    assert (stream["color_space"], stream["color_range"]) == ("bt709", "tv")
    assert_colours(last_of_stream(path, artifacts / "last.png"), PLACES)


def test_what_gstreamer_shares_is_seen(lan, display, start, record):
    """Its answer does not say which profile it agrees to."""
    host = start(sharer.GStreamerSharer, lan, display(640, 360, "scroll").name)
    viewer, path = record(lan, "--frames", "30", whep=host.whep)
    assert viewer.wait(20) == 0, viewer.describe()
    assert annexb.probe(path)["pictures"] == 30


def test_where_the_screen_rests_no_more_pictures_are_written_than_asked_for(lan, display, share, record):
    share(lan, "--display", display(640, 360).name)
    # Far apart, and what fills the time between them comes together with the next.
    viewer, path = record(lan, "--frames", "45")
    assert viewer.wait(20) == 0, viewer.describe()
    assert annexb.probe(path)["pictures"] == 45


@pytest.mark.parametrize("mode", ["type", "scroll", "still"])
def test_ten_seconds_of_sharing_play_for_ten_seconds(lan, display, share, record, mode):
    screen = display(1280, 720, *(["static", "--no-timecode"] if mode == "still" else [mode]))
    share(lan, "--display", screen.name)
    viewer, path = record(lan, "--duration", "10")
    assert viewer.wait(25) == 0, viewer.describe()
    stream = annexb.probe(path)
    assert stream["fps"] == 30
    assert abs(stream["pictures"] / 30 - 10) <= 0.5


def test_high_profile_is_sent_as_long_as_every_viewer_takes_it(lan, share, start, record):
    high, constrained_baseline = 100, 66
    host = share(lan, "--test-pattern")
    viewer, path = record(lan)
    viewer.statistics.wait(lambda line: line["frames"] > 10, 10, "pictures")
    baseline = start(sharer.gstreamer, lan, host.whep, "--frames", "30")
    assert baseline.wait(15) == 0, baseline.describe()
    host.statistics.wait(lambda line: line["viewers"] == 1, 10, "one viewer")
    second, _ = record(lan, "--frames", "10", name="second.h264")
    assert second.wait(15) == 0, second.describe()
    assert host.statistics.last["lanes"] == 1
    assert viewer.stop(signal.SIGINT) == 0
    assert annexb.profiles(path.read_bytes()) == [high, constrained_baseline, high]
    assert annexb.probe(path)["pictures"] > 60


def test_on_a_screen_that_rests_who_takes_only_baseline_is_not_served_what_was_made_for_others(
    lan, display, share, start, record
):
    high, constrained_baseline = 100, 66
    host = share(lan, "--display", display(640, 360).name)
    viewer, path = record(lan)
    viewer.statistics.wait(lambda line: line["frames"] > 3, 10, "pictures")
    baseline = start(sharer.gstreamer, lan, host.whep, "--frames", "3")
    assert baseline.wait(20) == 0, baseline.describe()
    assert viewer.stop(signal.SIGINT) == 0
    assert annexb.profiles(path.read_bytes())[:2] == [high, constrained_baseline]


def test_an_interrupt_leaves_the_session_and_a_valid_file(lan, share, record):
    host = share(lan, "--test-pattern")
    for number in (signal.SIGINT, signal.SIGTERM):
        viewer, path = record(lan, name=f"{number.name}.h264")
        viewer.statistics.wait(lambda line: line["frames"] > 10, 10, "pictures")
        assert viewer.stop(number) == 0
        assert annexb.probe(path)["pictures"] > 10
        host.statistics.wait(lambda line: line["viewers"] == 0, 4, "no viewer")


def test_it_waits_for_the_room_and_rejoins_a_restarted_sharer(lan, start, share, record):
    server = start(sharer.Server, lan)
    viewer, path = record(lan, signaling=server.base)
    viewer.wait_for("(?i)wait", 10)
    for _ in range(2):
        host = share(lan, "--test-pattern", "--signaling", server.base, listen=None)
        enough = viewer.statistics.last.get("frames", 0) + 30
        viewer.statistics.wait(lambda line, enough=enough: line["frames"] > enough, 15, "pictures")
        assert host.stop() == 0
        time.sleep(0.5)
    assert viewer.stop() == 0
    assert annexb.probe(path)["pictures"] > 60


def test_the_time_without_a_sharer_is_in_the_file_too(lan, start, share, record):
    server = start(sharer.Server, lan)
    host = share(lan, "--test-pattern", "--signaling", server.base, listen=None)
    viewer, path = record(lan, "--duration", "9", signaling=server.base)
    viewer.statistics.wait(lambda line: line["frames"] > 30, 15, "pictures")
    assert host.stop() == 0
    time.sleep(3)
    share(lan, "--test-pattern", "--signaling", server.base, listen=None)
    assert viewer.wait(25) == 0, viewer.describe()
    assert 260 <= annexb.probe(path)["pictures"] <= 275


def test_a_sharer_that_does_not_come_back_is_given_up_after_the_wait(lan, start, share, record):
    server = start(sharer.Server, lan)
    host = share(lan, "--test-pattern", "--signaling", server.base, listen=None)
    viewer, path = record(lan, "--wait", "2", signaling=server.base)
    viewer.statistics.wait(lambda line: line["frames"] > 30, 15, "pictures")
    assert host.stop() == 0
    assert viewer.wait(10) == 69, viewer.describe()
    assert viewer.text().count("Nothing to see yet") <= 2
    assert annexb.probe(path)["pictures"] > 30


def test_a_sharer_that_cannot_be_reached_is_given_up_after_the_wait(lan, share, record):
    share(lan, "--test-pattern")
    # Its only address is one that the sharer has no way to.
    viewer, path = record(lan, "--interface", "127.0.0.1", "--wait", "1")
    # ICE itself gives up after ten seconds and more.
    assert viewer.wait(8) == 69, viewer.describe()
    assert "can't be reached" in viewer.text() and path.stat().st_size == 0


def test_a_sharer_on_loopback_alone_is_reached_where_its_server_is_there(lan, share, record):
    share(lan, "--test-pattern", "--interface", "127.0.0.1")
    viewer, _ = record(lan, "--frames", "12")
    assert viewer.wait(20) == 0, viewer.describe()


def test_the_last_statistics_tell_of_the_whole_file(lan, share, record):
    share(lan, "--test-pattern")
    viewer, path = record(lan, "--frames", "12")
    assert viewer.wait(20) == 0, viewer.describe()
    last = viewer.statistics.last
    assert last["frames"] + last["repeated"] == annexb.probe(path)["pictures"] >= 12


def test_statistics_can_go_to_a_file(lan, share, record):
    share(lan, "--test-pattern")
    viewer, _ = record(lan)
    viewer.statistics.wait(lambda line: line["frames"] > 60, 15, "pictures")
    assert viewer.stop() == 0
    last = viewer.statistics.last
    assert last["bytes"] > 1000 and last["lost"] == 0
    assert 0 < last["firstFrameMs"] < 1000
