"""Loss, delay, a blackout and a NAT, between two namespaces joined by netlab's link."""

import time

import pytest
from harness import annexb, sharer
from harness.networks import Lab
from harness.recorder import Recorder, resumed

HOST = ("--test-pattern", "--open")


@pytest.fixture
def across(lab, share, start, artifacts):
    """A sharer at side a, and our viewer at side b, whose pictures are recorded."""

    def begin(*options):
        link = lab(*options)
        host = share(link["a"], *HOST, listen="0.0.0.0:8080")
        recorder = Recorder(artifacts / "out.h264")
        whep = f"http://{Lab.ADDRESSES['a']}:8080/v1/rooms/demo/whep"
        viewer = start(sharer.view, link["b"], output=recorder.output, whep=whep)
        recorder.output.close()
        viewer.statistics.wait(lambda line: line["frames"] > 15, 20, "pictures")
        return link, host, viewer, recorder

    return begin


def frame_rate(viewer, seconds):
    """By the times that the lines themselves bear: they come once a second, not when they are looked for."""
    before = viewer.statistics.last
    time.sleep(seconds)
    after = viewer.statistics.last
    return (after["frames"] - before["frames"]) / (after["time"] - before["time"])


def test_five_percent_loss_and_fifty_milliseconds(across):
    _, host, viewer, recorder = across("both", "loss=5%", "delay=25ms")
    assert frame_rate(viewer, 8) >= 30 * 0.85
    last = viewer.statistics.last
    assert last["lost"] + last["recovered"] > 0, "the link lost nothing: this tested nothing"
    assert last["recovered"] > last["lost"]
    assert 40 <= host.statistics.last["roundTripMs"] <= 150
    assert viewer.stop() == 0
    recorder.wait()
    # What is written decodes without a complaint: what could not be mended was left out, and counted.
    assert annexb.probe(recorder.path)["pictures"] > 200


@pytest.mark.parametrize("address", ["10.99.0.1", "fd99::1"])
def test_a_path_that_takes_no_more_than_1280_bytes(lan, display, share, start, artifacts, address):
    """IPv6's least, and that of many tunnels; an interface that splits what leaves in one call, unlike netlab's."""
    lan.place.run("ip", "link", "set", "lo", "mtu", "1280")
    screen = display(1280, 720, "video30")
    share(lan, "--display", screen.name, "--open")
    path = artifacts / "out.h264"
    with open(path, "wb") as file:
        viewer = start(sharer.view, lan, "--interface", address, output=file)
    viewer.statistics.wait(lambda line: line["frames"] > 60, 15, "pictures")
    assert viewer.stop() == 0
    last = viewer.statistics.last
    assert (last["lost"], last["recovered"]) == (0, 0)
    assert annexb.probe(path)["pictures"] > 60


def test_three_seconds_of_blackout(across):
    link, _, viewer, recorder = across("both", "delay=25ms")
    begun = time.time()
    link.blackout(3)
    ended = resumed(viewer)
    assert viewer.stop() == 0
    recorder.wait()
    gap = recorder.longest_gap(begun, ended)
    assert gap > 2.8, f"nothing was shut off: {gap}"
    assert gap < 3 + 1.5
    annexb.probe(recorder.path)


@pytest.mark.long
def test_a_browser_whose_address_changes_goes_on_in_the_same_session(lab, share, start):
    link = lab("--addrs", "1", "both", "delay=5ms")
    host = share(link["a"], *HOST, listen="0.0.0.0:8080")
    page = f"http://{Lab.ADDRESSES['a']}:8080/r/demo"
    browser = start(sharer.chromium, link["b"], page, "--duration", "25")
    browser.event("first", 30)
    link.change_address("b", "10.77.0.21")
    summary = browser.event("summary", 40)
    assert summary["state"] == "live" and summary["frames"] > 500, summary
    assert summary["longestGapMs"] < 4000, summary
    assert host.text().count("A viewer joined") == 1


def test_chromium_over_the_lossy_link(lab, share, start, artifacts):
    link = lab("both", "loss=5%", "delay=25ms")
    share(link["a"], *HOST, listen="0.0.0.0:8080")
    page = f"http://{Lab.ADDRESSES['a']}:8080/r/demo"
    viewer = start(sharer.chromium, link["b"], page, "--duration", "12", "--screenshot", artifacts / "lossy.png")
    summary = viewer.event("summary", 40)
    assert summary["frames"] >= 150
    assert summary["longestGapMs"] < 3000


@pytest.fixture
def behind_nat(lab, share, start):
    """A sharer at side a that knows a STUN server, and the signaling server, both in the internet between."""

    def begin(*options):
        link = lab(*options, "both", "delay=10ms")
        outside = Lab.ADDRESSES["internet"]
        stun = start(sharer.StunServer, link["internet"], outside)
        server = start(sharer.Server, link["internet"], listen=f"{outside}:8080")
        options = ("--test-pattern", "--stun", stun.url, "--signaling", server.base)
        host = share(link["a"], *options, listen=None)
        host.statistics.wait(lambda line: line["state"] == "live", 10, "live")
        return link, server, stun

    return begin


def test_a_sharer_behind_a_restricted_nat_reaches_an_open_viewer(behind_nat, start, artifacts):
    link, server, _ = behind_nat("--nat", "a=restricted")
    path = artifacts / "nat.h264"
    with open(path, "wb") as file:
        viewer = start(sharer.view, link["b"], "--frames", "60", output=file, signaling=server.base)
    assert viewer.wait(30) == 0, viewer.describe()
    assert annexb.probe(path)["pictures"] == 60


def test_both_behind_restricted_nats_meet_by_stun(behind_nat, start, artifacts):
    """Only their server-reflexive addresses can meet: each lets in whom it has written to."""
    link, server, stun = behind_nat("--nat", "a=restricted", "--nat", "b=restricted")
    whep = f"{server.base}/v1/rooms/demo/whep"
    other = start(sharer.aiortc, link["b"], whep, "--stun", stun.url, "--frames", "60", "--duration", "20")
    assert other.event("summary", 30)["frames"] >= 60
    path = artifacts / "nat.h264"
    with open(path, "wb") as file:
        options = ("--frames", "60", "--stun", stun.url)
        viewer = start(sharer.view, link["b"], *options, output=file, signaling=server.base)
    assert viewer.wait(30) == 0, viewer.describe()
    assert annexb.probe(path)["pictures"] == 60
