"""ICE over TCP (RFC 6544): viewers whose network lets no UDP through, and no relay far and wide."""

import pytest
from harness import annexb, sharer
from harness.codes import OK
from harness.networks import Lab
from harness.paths import SYSTEM_PYTHON
from harness.pictures import assert_colours, last_of_stream
from harness.processes import Process, wait_until
from harness.testpattern import PLACES

OUTSIDE = Lab.ADDRESSES["internet"]


@pytest.fixture
def outside(lab, share, start):
    """`outside("tcponly")`: a share, and at side b such a NAT with viewers behind it; the signaling server between."""

    def begin(kind, *options):
        link = lab("--nat", f"b={kind}", "both", "delay=10ms")
        server = start(sharer.Server, link["internet"], listen=f"{OUTSIDE}:8080")
        made = share(link["a"], "--test-pattern", "--signaling", server.base, *options, listen=None)
        made.statistics.wait(lambda line: line["state"] == "live", 10, "live")
        return link, made, server

    return begin


def connections(place):
    """TCP connections at a place, but for those of the signaling server: (local, remote)."""
    lines = place.run("ss", "-Htn", "state", "established").splitlines()
    pairs = [tuple(line.split()[2:4]) for line in lines]
    return [pair for pair in pairs if f"{OUTSIDE}:8080" not in pair]


def test_view_without_udp(outside, start, artifacts):
    link, _, server = outside("tcponly")
    path = artifacts / "tcp.h264"
    with open(path, "wb") as file:
        viewer = start(sharer.view, link["b"], "--frames", "90", output=file, signaling=server.base)
    assert viewer.wait(30) == OK, viewer.describe()
    assert annexb.probe(path)["pictures"] == 90
    assert_colours(last_of_stream(path, artifacts / "last.png"), PLACES)


def test_chromium_without_udp(outside, start, artifacts):
    link, _, server = outside("tcponly")
    options = ("--frames", "90", "--duration", "30", "--screenshot", artifacts / "tcp.png")
    browser = start(sharer.chromium, link["b"], f"{server.base}/r/demo", *options)
    summary = browser.event("summary", 50)
    assert summary["frames"] >= 90 and not summary["problems"], summary
    assert summary["longestGapMs"] < 1_000, summary
    browser.kill()
    wait_until(lambda: not connections(link["a"]), 10, "the end of the connection")


def test_the_end_is_heard_over_tcp(outside, start, tmp_path):
    link, host, server = outside("tcponly")
    with open(tmp_path / "out", "wb") as file:
        viewer = start(sharer.view, link["b"], output=file, signaling=server.base)
    viewer.statistics.wait(lambda line: line["frames"] > 15, 15, "pictures")
    assert len(connections(link["b"])) == 1
    assert host.stop() == OK
    viewer.wait_for("Disconnected|Nothing to see yet", 8)
    assert not connections(link["b"])


def test_udp_is_preferred_where_it_passes(outside, start, tmp_path):
    link, host, server = outside("restricted")
    with open(tmp_path / "out", "wb") as file:
        viewer = start(sharer.view, link["b"], output=file, signaling=server.base)
    viewer.statistics.wait(lambda line: line["frames"] > 60, 15, "pictures")
    assert not connections(link["b"])


@pytest.mark.long
@pytest.mark.parametrize("verdict", ["reject with tcp reset", "drop"])
def test_a_connection_that_is_cut_is_made_again(outside, start, tmp_path, verdict):
    link, host, server = outside("tcponly")
    with open(tmp_path / "out", "wb") as file:
        viewer = start(sharer.view, link["b"], output=file, signaling=server.base)
    viewer.statistics.wait(lambda line: line["frames"] > 15, 15, "pictures")
    [before] = connections(link["b"])
    rule = ("ip", "filter", "forward", "tcp", "sport", before[0].rpartition(":")[2], *verdict.split())
    link["nat-b"].run("nft", "insert", "rule", *rule)
    viewer.statistics.wait(lambda line: before not in connections(link["b"]), 25, "a cut")
    frames = viewer.statistics.last["frames"]
    viewer.statistics.wait(lambda line: line["frames"] > frames + 60, 20, "more pictures")
    assert viewer.statistics.last["joins"] == 1
    assert host.text().count("A viewer joined") == 1


def test_tcp_takes_over_when_udp_is_shut_off(outside, start, tmp_path):
    link, host, server = outside("restricted")
    with open(tmp_path / "out", "wb") as file:
        viewer = start(sharer.view, link["b"], output=file, signaling=server.base)
    viewer.statistics.wait(lambda line: line["frames"] > 15, 15, "pictures")
    link["nat-b"].run("nft", "insert", "rule", "ip", "filter", "forward", "meta", "l4proto", "udp", "drop")
    viewer.statistics.wait(lambda line: connections(link["b"]), 25, "a connection")
    frames = viewer.statistics.last["frames"]
    viewer.statistics.wait(lambda line: line["frames"] > frames + 60, 20, "more pictures")
    assert host.text().count("A viewer joined") == 1


CROWD = """
import socket
def connect(source):
    made = socket.socket()
    made.bind((source, 0))
    made.connect(("127.0.0.1", 5000))
    return made
crowd = [connect(f"127.0.0.{host}") for host in range(21, 26) for _ in range(32)]
newcomer = connect("127.0.0.9")
newcomer.settimeout(2)
try:
    newcomer.recv(1)
    print("closed", flush=True)
except ConnectionResetError:
    print("closed", flush=True)
except TimeoutError:
    print("kept", flush=True)
"""


def test_connections_that_do_nothing_keep_no_newcomer_out(lan, share, start):
    host = share(lan, "--test-pattern", "--interface", "127.0.0.1", "--udp-port", "5000")
    crowd = start(Process, lan.command([SYSTEM_PYTHON, "-c", CROWD]), name="a crowd")
    assert crowd.wait(15) == OK
    assert crowd.text("out") == "kept"
    assert host.process.running
