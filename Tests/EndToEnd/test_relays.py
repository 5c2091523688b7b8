"""TURN: two who can't reach each other meet at coturn, which stands in netlab's internet."""

import re
import time
import urllib.request

import pytest
from harness import annexb, sharer
from harness.codes import NO_PERMISSION, OK, UNAVAILABLE
from harness.networks import Lab
from harness.recorder import Recorder, resumed
from harness.web import OFFER

OUTSIDE = Lab.ADDRESSES["internet"]
SECRET = ("--turn-secret", sharer.TurnServer.SECRET)


@pytest.fixture
def internet(lab, start):
    """A link with NATs; coturn and the signaling server stand between them. `told`: to what viewers are told."""

    def begin(*options, told=None):
        link = lab(*options, "both", "delay=10ms")
        # An address that is nowhere swallows what is sent there, as it does in the real one: coturn ends a session whose
        # datagram the kernel refuses.
        link["internet"].run("ip", "route", "add", "default", "dev", "lo")
        turn = start(sharer.TurnServer, link["internet"], OUTSIDE)
        words = ("--turn", told, *SECRET) if told else ()
        server = start(sharer.Server, link["internet"], *words, listen=f"{OUTSIDE}:8080")
        return link, turn, server

    return begin


def host(share, place, server, *options):
    made = share(place, "--test-pattern", "--signaling", server.base, *options, listen=None)
    made.statistics.wait(lambda line: line["state"] == "live", 10, "live")
    return made


def watch(start, place, path, server, *options):
    """Our viewer, until it has sixty pictures."""
    with open(path, "wb") as file:
        viewer = start(sharer.view, place, "--frames", "60", *options, output=file, signaling=server.base)
    assert viewer.wait(30) == OK, viewer.describe()
    assert annexb.probe(path)["pictures"] == 60
    return viewer


def browse(start, place, server):
    browser = start(sharer.chromium, place, f"{server.base}/r/demo", "--frames", "60", "--duration", "30")
    summary = browser.event("summary", 50)
    assert summary["frames"] >= 60, summary
    assert not summary["problems"], summary


def test_both_behind_symmetric_nats_meet_at_a_relay(internet, share, start, artifacts):
    link, turn, server = internet("--nat", "a=symmetric", "--nat", "b=symmetric")
    host(share, link["a"], server, "--turn", turn.url, *SECRET)
    watch(start, link["b"], artifacts / "own.h264", server, "--turn", turn.url, *SECRET)


@pytest.mark.parametrize("side", ["a", "b"])
def test_whoever_the_nat_gives_another_port_is_followed_through_the_relay_within_three_seconds(
    internet, share, start, artifacts, side
):
    link, turn, server = internet("--nat", "a=symmetric", "--nat", "b=symmetric")
    sharing = host(share, link["a"], server, "--turn", turn.url, *SECRET)
    recorder = Recorder(artifacts / "out.h264")
    viewer = start(
        sharer.view, link["b"], "--turn", turn.url, *SECRET, output=recorder.output, signaling=server.base)
    recorder.output.close()
    viewer.statistics.wait(lambda line: line["frames"] > 60, 30, "pictures")
    before = link.mapped_ports(side)
    link.rebind(side)
    begun, ended = time.time(), resumed(viewer)
    after = link.mapped_ports(side)
    assert before and not before & after, f"nobody had another port: {before}, {after}"
    assert viewer.statistics.last["joins"] == 1
    assert sharing.text().count("A viewer joined") == 1
    assert viewer.stop() == OK
    recorder.wait()
    assert recorder.longest_gap(begun, ended) < 3
    annexb.probe(recorder.path)


def test_viewers_use_the_relay_that_the_server_names(internet, share, start, artifacts):
    link, turn, server = internet("--nat", "a=symmetric", "--nat", "b=symmetric", told=f"turn:{OUTSIDE}")
    host(share, link["a"], server, "--turn", turn.url, *SECRET)
    watch(start, link["b"], artifacts / "told.h264", server)
    browse(start, link["b"], server)
    users = set(re.findall(r"user <(\d+:viewer)>", turn.process.text("out")))
    assert users, "no viewer asked for a relay"


def test_a_viewer_without_udp(internet, share, start, artifacts):
    link, turn, server = internet("--nat", "b=tcponly", told=f"turn:{OUTSIDE}?transport=tcp")
    host(share, link["a"], server, "--no-tcp")
    watch(start, link["b"], artifacts / "tcp.h264", server, "--turn", f"{turn.url}?transport=tcp", *SECRET)
    watch(start, link["b"], artifacts / "told.h264", server)
    browse(start, link["b"], server)


def test_a_sharer_without_udp(internet, share, start, artifacts):
    link, turn, server = internet("--nat", "a=tcponly")
    host(share, link["a"], server, "--turn", f"{turn.url}?transport=tcp", *SECRET)
    watch(start, link["b"], artifacts / "tcp.h264", server)
    browse(start, link["b"], server)


def answer(whep):
    request = urllib.request.Request(whep, OFFER.encode(), {"Content-Type": "application/sdp"}, method="POST")
    with urllib.request.urlopen(request, timeout=10) as response:
        return response.read().decode()


def test_relay_only_tells_no_address_of_its_own(lan, share, start, run, artifacts):
    turn = start(sharer.TurnServer, lan, lan.address)
    made = share(lan, "--test-pattern", "--relay-only", "--turn", turn.url, *SECRET)
    code = f"import sys; sys.path.insert(0, {str(sharer.PEERS.parent)!r}); import test_relays; "
    code += f"print(test_relays.answer({made.whep!r}))"
    told = lan.place.run(sharer.VENV_PYTHON, "-c", code)
    candidates = re.findall(r"a=candidate:.*", told)
    assert candidates and all(" typ relay raddr 0.0.0.0 rport 9" in line for line in candidates), told
    path = artifacts / "relayed.h264"
    with open(path, "wb") as file:
        viewer = start(sharer.view, lan, "--frames", "60", output=file)
    assert viewer.wait(30) == OK, viewer.describe()
    assert made.stop() == OK
    turn.wait_for_bytes(path.stat().st_size / 2)


def test_a_viewer_that_uses_nothing_but_relays(lan, share, start, artifacts):
    turn = start(sharer.TurnServer, lan, lan.address)
    share(lan, "--test-pattern")
    path = artifacts / "relayed.h264"
    with open(path, "wb") as file:
        options = ("--frames", "60", "--relay-only", "--turn", turn.url, *SECRET)
        viewer = start(sharer.view, lan, *options, output=file)
    assert viewer.wait(30) == OK, viewer.describe()
    # The file has more than was sent: still pictures are repeated in it.
    turn.wait_for_bytes(path.stat().st_size / 2)


def test_a_relay_over_tls(lan, share, start, artifacts):
    authority = sharer.Authority(lan.address)
    turn = start(sharer.TurnServer, lan, lan.address, authority=authority)
    options = ("--relay-only", "--turn", turn.tls_url, *SECRET)
    share(lan, "--test-pattern", *options, "--turn-ca", authority.root)
    path = artifacts / "tls.h264"
    with open(path, "wb") as file:
        viewer = start(sharer.view, lan, "--frames", "60", output=file)
    assert viewer.wait(30) == OK, viewer.describe()
    # Signed by nobody known; and by somebody known, for another address.
    elsewhere = sharer.Authority("10.99.0.2")
    impostor = start(sharer.TurnServer, lan, lan.address, port=3578, tls_port=5449, authority=elsewhere)
    for wrong in (options, ("--relay-only", "--turn", impostor.tls_url, *SECRET, "--turn-ca", elsewhere.root)):
        stranger = share(lan, "--test-pattern", *wrong, room="other", listen="127.0.0.1:8081", ready=False)
        assert stranger.process.wait(20) == UNAVAILABLE
        assert "can't be trusted" in stranger.text()


@pytest.mark.parametrize("query", ["", "?transport=tcp"])
def test_a_wrong_secret_is_told(lan, share, start, tmp_path, query):
    turn = start(sharer.TurnServer, lan, lan.address)
    wrong = {"SCREENSHARE_TURN": f"{turn.url}{query}", "SCREENSHARE_TURN_SECRET": "south-sea-43"}
    refused = share(lan, "--test-pattern", "--log-level", "trace", env=wrong, ready=False)
    assert refused.process.wait(15) == NO_PERMISSION, refused.process.describe()
    assert f"the TURN server {turn.url}" in refused.text() and "refuses" in refused.text()
    share(lan, "--test-pattern")
    with open(tmp_path / "out", "wb") as file:
        viewer = start(sharer.view, lan, "--log-level", "trace", output=file, env=wrong)
    assert viewer.wait(15) == NO_PERMISSION, viewer.describe()
    assert "refuses" in viewer.text()
    assert "south-sea" not in refused.text() + viewer.text()


def test_media_goes_on_over_another_relay_when_the_one_in_use_dies(internet, share, start, artifacts):
    link, first, server = internet("--nat", "a=symmetric", "--nat", "b=symmetric")
    second = start(sharer.TurnServer, link["internet"], OUTSIDE, port=3578, tls_port=5449, ports=(50200, 50300))
    relays = (first, second)
    ways = ["--stun", f"stun:{OUTSIDE}", *SECRET]
    for relay in relays:
        ways += ["--turn", f"{relay.url}?transport=tcp"]
    sharing = host(share, link["a"], server, *ways)
    recorder = Recorder(artifacts / "out.h264")
    viewer = start(sharer.view, link["b"], *ways, output=recorder.output, signaling=server.base)
    recorder.output.close()
    viewer.statistics.wait(lambda line: line["frames"] > 60, 30, "pictures")
    before = [relay.carried() for relay in relays]
    time.sleep(2)
    carried = [relay.carried() - then for relay, then in zip(relays, before)]
    assert max(carried) > 20_000, f"media goes by no relay: {carried}"
    begun = time.time()
    relays[carried.index(max(carried))].kill()
    ended = resumed(viewer)
    assert viewer.statistics.last["joins"] == 1
    assert sharing.text().count("A viewer joined") == 1
    assert viewer.stop() == OK
    recorder.wait()
    assert recorder.longest_gap(begun, ended) < 5
    annexb.probe(recorder.path)


def test_a_relay_that_comes_back_is_used_again(lan, share, start, tmp_path):
    turn = start(sharer.TurnServer, lan, lan.address)
    made = share(lan, "--test-pattern", "--relay-only", "--turn", f"{turn.url}?transport=tcp", *SECRET)
    turn.kill()
    made.process.wait_for("can't be reached|closed the connection", 10)
    start(sharer.TurnServer, lan, lan.address)
    made.process.wait_for("relays again", 15)
    with open(tmp_path / "out", "wb") as file:
        viewer = start(sharer.view, lan, "--frames", "30", output=file)
    assert viewer.wait(60) == OK, viewer.describe()
