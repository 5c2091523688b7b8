"""Machines that change their network, lose it, or sleep: the share goes on by itself."""

import signal
import time

import pytest
from harness import annexb, sharer
from harness.networks import Lab
from harness.recorder import Recorder, resumed


@pytest.fixture
def apart(lab, share, start, artifacts):
    """A sharer at side a and our viewer at side b; the signaling server is elsewhere, so that both can reach it from
    wherever they are."""

    def begin():
        link = lab("--internet", "--addrs", "1", "both", "delay=5ms")
        link.keep_one_address()
        server = start(sharer.Server, link["internet"], listen=f"{Lab.ADDRESSES['internet']}:8080")
        host = share(link["a"], "--test-pattern", "--signaling", server.base, listen=None)
        host.statistics.wait(lambda line: line["state"] == "live", 10, "live")
        path = artifacts / "out.h264"
        with open(path, "wb") as file:
            viewer = start(sharer.view, link["b"], output=file, signaling=server.base)
        viewer.statistics.wait(lambda line: line["frames"] > 15, 20, "pictures")
        return link, host, viewer, path

    return begin


def wait_for_pictures(viewer, limit):
    """Half a second of pictures more than there are now."""
    before = viewer.statistics.last["frames"]
    viewer.statistics.wait(lambda line: line["frames"] >= before + 15, limit, "pictures again")


@pytest.mark.parametrize("side", ["b", "a"])
def test_whoever_gets_another_address_is_followed_without_a_new_session(apart, side):
    link, host, viewer, path = apart()
    link.move(side)
    # What was under way has come.
    time.sleep(1.1)
    wait_for_pictures(viewer, 10)
    assert viewer.statistics.last["joins"] == 1
    assert host.text().count("A viewer joined") == 1
    assert viewer.stop() == 0
    annexb.probe(path)


@pytest.mark.long
def test_a_browser_follows_a_sharer_that_gets_another_address(apart, start):
    link, _, _, _ = apart()
    page = f"http://{Lab.ADDRESSES['internet']}:8080/r/demo"
    browser = start(sharer.chromium, link["b"], page, "--duration", "25")
    browser.event("first", 30)
    link.move("a")
    summary = browser.event("summary", 40)
    assert summary["state"] == "live" and summary["frames"] > 300, summary
    assert summary["longestGapMs"] < 10_000, summary


@pytest.mark.long
def test_whoever_the_nat_gives_another_port_is_followed_within_three_seconds(lab, share, start, artifacts):
    link = lab("--nat", "b=symmetric", "both", "delay=10ms")
    host = share(link["a"], "--test-pattern", "--open", listen="0.0.0.0:8080")
    base = f"http://{Lab.ADDRESSES['a']}:8080"
    recorder = Recorder(artifacts / "out.h264")
    viewer = start(sharer.view, link["b"], output=recorder.output, whep=f"{base}/v1/rooms/demo/whep")
    recorder.output.close()
    browser = start(sharer.chromium, link["b"], f"{base}/r/demo", "--duration", "15")
    browser.event("first", 30)
    viewer.statistics.wait(lambda line: line["frames"] > 30, 20, "pictures")
    before = link.mapped_ports("b")
    link.rebind("b")
    begun, ended = time.time(), resumed(viewer)
    after = link.mapped_ports("b")
    assert before and not before & after, f"nobody had another port: {before}, {after}"
    summary = browser.event("summary", 40)
    assert summary["state"] == "live" and summary["longestGapMs"] < 3000, summary
    assert viewer.statistics.last["joins"] == 1
    assert host.text().count("A viewer joined") == 2
    assert viewer.stop() == 0
    recorder.wait()
    assert recorder.longest_gap(begun, ended) < 3
    annexb.probe(recorder.path)


def test_a_viewer_whose_network_lets_in_only_answers_finds_a_sharer_that_gets_another_address(apart):
    link, host, viewer, path = apart()
    link.admit_answers_only("b")
    link.move("a")
    time.sleep(1.1)
    wait_for_pictures(viewer, 9)
    assert viewer.statistics.last["joins"] == 1
    assert host.text().count("A viewer joined") == 1
    assert viewer.stop() == 0
    annexb.probe(path)


def test_a_sharer_that_is_killed_and_started_again_is_found_long_before_consent_ends(lab, share, start, artifacts):
    link = lab("both", "delay=5ms")
    host = share(link["a"], "--test-pattern", "--open", listen="0.0.0.0:8080")
    path = artifacts / "out.h264"
    with open(path, "wb") as file:
        viewer = start(sharer.view, link["b"], output=file, whep=f"http://{Lab.ADDRESSES['a']}:8080/v1/rooms/demo/whep")
    viewer.statistics.wait(lambda line: line["frames"] > 15, 20, "pictures")
    host.process.kill()
    again = share(link["a"], "--test-pattern", "--open", listen="0.0.0.0:8080")
    again.statistics.wait(lambda line: line["viewers"] == 1, 12, "the viewer")
    wait_for_pictures(viewer, 4)
    assert viewer.statistics.last["joins"] == 2
    assert viewer.stop() == 0
    annexb.probe(path)


def test_a_cable_that_is_pulled_and_put_in_again_is_no_end(apart):
    link, _, viewer, path = apart()
    before = viewer.statistics.last["frames"]
    link.unplugged("a", 8)
    assert viewer.statistics.last["frames"] < before + 60, "the cable was not pulled"
    wait_for_pictures(viewer, 10)
    assert viewer.statistics.last["joins"] == 1
    assert viewer.stop() == 0
    annexb.probe(path)


@pytest.mark.long
@pytest.mark.parametrize("who", ["viewer", "host"])
def test_a_machine_that_sleeps_longer_than_any_connection_lives_is_back_by_itself(apart, who):
    _, host, viewer, path = apart()
    process = {"viewer": viewer, "host": host.process}[who]
    process.send(signal.SIGSTOP)
    time.sleep(36)
    process.send(signal.SIGCONT)
    viewer.statistics.wait(lambda line: line["joins"] == 2, 8, "another session")
    wait_for_pictures(viewer, 4)
    assert viewer.stop() == 0
    annexb.probe(path)


def test_a_sharer_that_is_its_own_server_is_found_at_its_next_address(lab, share, start, tmp_path):
    link = lab("--addrs", "1", "both", "delay=5ms")
    link.keep_one_address()
    share(link["a"], "--test-pattern", "--open", listen="0.0.0.0:8080")
    link.move("a")
    # A sharer that does not reach its server is given up after five seconds.
    time.sleep(8)
    with open(tmp_path / "out.h264", "wb") as file:
        viewer = start(sharer.view, link["b"], output=file, signaling=f"http://{link.SECOND['a']}:8080")
    viewer.statistics.wait(lambda line: line["frames"] > 15, 10, "pictures")
    assert viewer.stop() == 0
