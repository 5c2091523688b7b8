"""What a share makes of narrow links, links that become narrow, and one viewer who is slower than the others."""

import time

import pytest
from harness import annexb, sharer
from harness.networks import Lab
from harness.processes import wait_until
from harness.wakes import Wakes

# Rates and delays are held to bounds; no test takes more than two thirds of a processor.
pytestmark = pytest.mark.quiet

WHEP = f"http://{Lab.ADDRESSES['a']}:8080/v1/rooms/demo/whep"


@pytest.fixture
def film(lab, share, display):
    """A screen in full motion shared at side a, which takes all that a path gives."""

    def begin(*options):
        link = lab("both", "delay=10ms")
        screen = display(1280, 720, "video30")
        host = share(link["a"], "--display", screen.name, "--open", *options, listen="0.0.0.0:8080")
        return link, host

    return begin


def watch(start, place, path):
    """Our viewer, once it has pictures."""
    with open(path, "wb") as file:
        viewer = start(sharer.view, place, output=file, whep=WHEP)
    viewer.statistics.wait(lambda line: line["frames"] > 15, 20, "pictures")
    return viewer


def peers(host):
    return {peer["id"]: peer for peer in host.statistics.last["peers"]}


def rate(viewer, seconds):
    before = viewer.statistics.last
    time.sleep(seconds)
    after = viewer.statistics.last
    return (after["frames"] - before["frames"]) / (after["time"] - before["time"])


def test_a_link_that_becomes_narrow_is_not_flooded(film, start, artifacts):
    link, host = film()
    viewer = watch(start, link["b"], artifacts / "narrow.h264")
    link.set("both", "rate=1mbit", "queue=300ms")
    time.sleep(3)
    # The encoder makes what passes, the queue stays short, and pictures go on.
    assert rate(viewer, 5) >= 20
    peer = next(iter(peers(host).values()))
    assert 400_000 < peer["availableBitrate"] < 1_300_000, peer
    assert peer["queueDelayMs"] < 120, peer
    assert host.statistics.last["bitrate"] < 1_200_000
    link.set("both", "rate=none")
    host.statistics.wait(lambda line: line["bitrate"] > 2_000_000, 10, "more again")
    assert viewer.stop() == 0
    annexb.probe(artifacts / "narrow.h264")


@pytest.mark.long
def test_what_a_policer_drops_is_soon_no_longer_sent(film, start, artifacts):
    link, host = film()
    viewer = watch(start, link["b"], artifacts / "policed.h264")
    host.statistics.wait(lambda line: line["bitrate"] > 2_000_000, 10, "a film")
    link.police("b", "150 kbytes/second")
    time.sleep(10)
    before = viewer.statistics.last
    assert rate(viewer, 15) >= 20
    peer = next(iter(peers(host).values()))
    assert 700_000 < peer["availableBitrate"] < 1_600_000, peer
    passed = (viewer.statistics.last["bytes"] - before["bytes"]) / 15
    sent = [line["bitrate"] / 8 for line in host.statistics.all()[-15:]]
    assert sum(sent) / len(sent) < 150_000 * 1.15, (sent, passed)
    assert viewer.stop() == 0
    annexb.probe(artifacts / "policed.h264")


def test_a_router_that_marks_packets_is_heeded_though_nothing_is_lost(film, start, artifacts):
    link, host = film()
    viewer = watch(start, link["b"], artifacts / "marked.h264")
    host.statistics.wait(lambda line: line["peers"][0]["markable"], 10, "marks that get through")
    host.statistics.wait(lambda line: line["bitrate"] > 2_000_000, 10, "a film")
    before = peers(host)
    link.mark_above("a", "150 kbytes/second")
    time.sleep(4)
    assert rate(viewer, 5) >= 20
    peer = next(iter(peers(host).values()))
    assert peer["congestionMarks"] > next(iter(before.values()))["congestionMarks"] + 20, peer
    assert peer["availableBitrate"] < 2_000_000, peer
    assert peer["lossFraction"] == 0 and peer["queueDelayMs"] < 20, peer
    link.forget_router("a")
    host.statistics.wait(lambda line: line["bitrate"] > 2_000_000, 15, "more again")
    assert viewer.stop() == 0
    annexb.probe(artifacts / "marked.h264")


def test_a_network_that_wipes_marks_out_gets_none(film, start, artifacts):
    link, host = film()
    link.wipe_marks("a")
    viewer = watch(start, link["b"], artifacts / "wiped.h264")
    assert rate(viewer, 4) >= 25
    peer = next(iter(peers(host).values()))
    assert not peer["markable"] and peer["congestionMarks"] == 0, peer
    assert 1 <= link.wiped_marks("a") <= 20
    assert viewer.stop() == 0


@pytest.fixture
def two(film, start, artifacts):
    """`two(limit)`: a fast viewer, its rate while alone, and one whose path takes no more than `limit` from now on."""

    def begin(limit):
        link, host = film()
        fast = watch(start, link["a"], artifacts / "fast.h264")
        alone = rate(fast, 4)
        slow = watch(start, link["b"], artifacts / "slow.h264")
        link.set("both", f"rate={limit}", "queue=300ms")
        return link, host, fast, alone, slow

    return begin


def assert_as_fast(beside, before, after):
    """As fast as alone, before or after: the machine may have got more to do since. Harm that lasts is harm as well."""
    assert after >= 0.75 * before, (before, after)
    assert beside >= 0.95 * min(before, after), (before, beside, after)


@pytest.mark.long
def test_a_slow_viewer_takes_nothing_from_a_fast_one(two, artifacts):
    link, host, fast, alone, slow = two("200kbit")
    host.statistics.wait(lambda line: line["lanes"] == 2, 12, "an encoding of its own for the slow viewer")
    time.sleep(4)
    before = slow.statistics.last
    beside = rate(fast, 6)
    # Smaller pictures, but a film.
    after = slow.statistics.last
    assert (after["frames"] - before["frames"]) / (after["time"] - before["time"]) >= 12, (before, after)
    assert after["videoDelayMs"] < 600, after
    # A path that recovers brings its viewer back to what the others see.
    link.set("both", "rate=none")
    host.statistics.wait(lambda line: line["lanes"] == 1, 25, "one encoding for both")
    assert slow.stop() == 0
    assert_as_fast(beside, alone, rate(fast, 4))
    assert fast.stop() == 0
    for name in ("fast", "slow"):
        annexb.probe(artifacts / f"{name}.h264")


@pytest.mark.long
def test_a_viewer_whose_path_takes_next_to_nothing_is_told_of_and_harms_nobody(two, artifacts):
    link, host, fast, alone, slow = two("40kbit")
    host.process.wait_for("takes too little for moving pictures", 25)
    slow.wait_for("takes too little for moving pictures", 5)
    before = slow.statistics.last["frames"]
    beside = rate(fast, 6)
    time.sleep(6)
    assert slow.statistics.last["frames"] > before, "one now and then"
    link.set("both", "rate=none")
    host.process.wait_for("takes moving pictures again", 30)
    slow.wait_for("takes moving pictures again", 5)
    assert slow.stop() == 0
    assert_as_fast(beside, alone, rate(fast, 4))
    assert fast.stop() == 0
    annexb.probe(artifacts / "slow.h264")


@pytest.mark.long
def test_a_page_says_that_its_connection_takes_too_little(film, start, artifacts):
    link, _ = film()
    page = f"http://{Lab.ADDRESSES['a']}:8080/r/demo"
    viewer = start(sharer.chromium, link["b"], page, "--duration", "120", stdin=-1)
    viewer.wait_for_state("live", 20)
    time.sleep(3)
    link.set("both", "rate=40kbit", "queue=300ms")
    assert viewer.event("narrow", 30)["shown"]
    viewer.command_line(f"screenshot {artifacts / 'slow-connection.png'}")
    link.set("both", "rate=none")
    wait_until(lambda: not viewer.events("narrow")[-1]["shown"], 30, "no word of it any more")


def test_where_nobody_has_more_a_film_becomes_smaller_rather_than_jerky(film, start, artifacts):
    link, host = film("--mode", "motion")
    viewer = watch(start, link["b"], artifacts / "alone.h264")
    link.set("both", "rate=200kbit", "queue=300ms")
    time.sleep(6)
    before = viewer.statistics.last
    time.sleep(6)
    after = viewer.statistics.last
    assert (after["frames"] - before["frames"]) / (after["time"] - before["time"]) >= 20
    assert host.statistics.last["lanes"] == 1
    assert viewer.stop() == 0
    sizes = annexb.sizes(artifacts / "alone.h264")
    assert sizes[0] == (1280, 720) and min(sizes) <= (640, 360), sizes


def test_a_browser_behind_one_megabit_goes_on_smoothly(film, start, artifacts):
    link, host = film()
    link.set("both", "rate=1mbit", "queue=300ms")
    page = f"http://{Lab.ADDRESSES['a']}:8080/r/demo"
    viewer = start(sharer.chromium, link["b"], page, "--duration", "15", "--screenshot", artifacts / "narrow.png")
    summary = viewer.event("summary", 60)
    assert summary["frames"] >= 15 * 15, summary
    assert summary["longestGapMs"] < 2500, summary
    assert next(iter(host.statistics.all()[-3]["peers"]))["availableBitrate"] < 1_300_000


@pytest.mark.long
def test_a_peer_that_only_estimates_by_itself_is_followed(film, start):
    """REMB: what it names of a screen at rest binds nothing, what it names of a link that is full does."""
    link, host = film()
    viewer = start(sharer.aiortc, link["b"], f"http://{Lab.ADDRESSES['a']}:8080/v1/rooms/demo/whep", "--duration", "30")
    viewer.event("first", 20)
    time.sleep(5)
    assert host.statistics.last["bitrate"] > 2_000_000
    link.set("both", "rate=1mbit", "queue=300ms")
    time.sleep(8)
    rates = [line["bitrate"] for line in host.statistics.all()[-3:]]
    assert all(250_000 < rate < 1_200_000 for rate in rates), rates
    assert viewer.event("summary", 40)["fps"] > 15


@pytest.mark.long
def test_a_peer_that_only_reports_every_few_seconds_is_followed_within_some(film, start):
    """By what it asks for, and by the round trips of connectivity checks."""
    link, host = film()
    viewer = start(sharer.gstreamer, link["b"], WHEP, "--no-decode", "--repair", 300, "--duration", "22")
    viewer.event("first", 20)
    time.sleep(5)
    assert host.statistics.last["bitrate"] > 2_000_000
    link.set("both", "rate=1mbit", "queue=300ms")
    time.sleep(6)
    rates = []
    for _ in range(8):
        time.sleep(1)
        rates.append(host.statistics.last["bitrate"])
    summary = viewer.event("summary", 40)
    print(rates, summary)
    assert sum(rates) / len(rates) < 1_000_000, rates
    assert summary["longestGapMs"] < 6000, summary


def test_who_tells_nothing_of_packets_does_not_begin_with_a_full_queue(film, start):
    """aiortc, whose first report comes after a second; four times as much left until then, and it stood still for six."""
    link, host = film("--audio", "none")
    link.set("both", "delay=20ms", "rate=1mbit", "queue=300ms")
    summary = start(sharer.aiortc, link["b"], WHEP, "--duration", "14").event("summary", 40)
    print(summary, host.statistics.last["keyframes"])
    assert summary["longestGapMs"] < 2500 and summary["frames"] > 14 * 15, summary
    assert host.statistics.last["keyframes"] <= 4


@pytest.mark.alone
@pytest.mark.parametrize("browser", [sharer.chromium, sharer.firefox])
def test_a_film_goes_on_evenly_in_a_browser_where_packets_get_lost(film, start, browser):
    """Requests for them, too. 18 pictures a second reached the screen, and none for 300 ms at times."""
    link, host = film("--audio", "none", "--fps", "30")
    link.set("both", "loss=5%", "delay=25ms")
    page = f"http://{Lab.ADDRESSES['a']}:8080/r/demo"
    wakes = start(Wakes)
    summary = start(browser, link["b"], page, "--duration", "25").event("summary", 90)
    assert summary["frames"] > 25 * 22, summary
    # A machine that stands still for a moment shows no pictures: that moment is taken off. It may be that of a picture on
    # its way, or of the request for one.
    gap, ended = summary["longestGapMs"] / 1000, summary["longestGapEnded"] / 1000
    late = wakes.longest(ended - gap - 0.1, ended)
    print(summary, late, host.statistics.last["peers"])
    assert gap - late < 0.25, summary
    assert host.statistics.last["keyframes"] <= 2


def test_a_viewer_gets_no_more_than_its_offer_asks_for_and_the_others_no_less(film, start, artifacts):
    link, host = film()
    whep = f"http://{Lab.ADDRESSES['a']}:8080/v1/rooms/demo/whep"
    viewer = start(sharer.aiortc, link["b"], whep, "--duration", "40", "--at-most", "400000")
    viewer.event("first", 20)
    time.sleep(5)
    rates = [line["bitrate"] for line in host.statistics.all()[-3:]]
    assert all(150_000 < rate < 440_000 for rate in rates), rates
    watch(start, link["b"], artifacts / "unlimited.h264")
    host.statistics.wait(lambda line: line["lanes"] == 2, 15, "an encoding for each")
    host.statistics.wait(lambda line: line["bitrate"] > 2_000_000, 15, "all the path takes for who sets no bound")


def test_a_browser_that_tells_by_stream_is_followed_as_well(film, start):
    """Feedback by RFC 8888 alone."""
    link, host = film()
    page = f"http://{Lab.ADDRESSES['a']}:8080/r/demo"
    viewer = start(sharer.chromium, link["b"], page, "--duration", "14", "--ccfb")
    viewer.event("first", 20)
    known = host.statistics.wait(lambda line: any("availableBitrate" in one for one in line["peers"]), 5, "feedback")
    assert known["peers"][0]["availableBitrate"] > 2_000_000
    link.set("both", "rate=1mbit", "queue=300ms")
    time.sleep(4)
    peer = next(iter(peers(host).values()))
    assert 400_000 < peer["availableBitrate"] < 1_300_000, peer
    assert peer["queueDelayMs"] < 120, peer
    link.set("both", "rate=none")
    host.statistics.wait(lambda line: line["bitrate"] > 2_000_000, 10, "more again")
    assert viewer.event("summary", 60)["frames"] > 14 * 15
