"""`screenshare doctor`: what it finds is what is there."""

import json
import os
import signal
import time

import pytest
from harness import sharer
from harness.codes import OK, UNAVAILABLE
from harness.names import SilentNames, needs_root
from harness.networks import Lab
from harness.paths import SYSTEM_PYTHON
from harness.processes import Process, wait_until
from harness.sound import SoundServer

OUTSIDE = Lab.ADDRESSES["internet"]
SECOND = "10.77.0.253"
SECRET = ("--turn-secret", sharer.TurnServer.SECRET)
# Nobody is there, and nobody says so.
NOWHERE = "10.99.0.77"


class Diagnosis:
    """The outcome of `doctor --json`."""

    def __init__(self, done):
        self.code, self.errors = done.returncode, done.stderr
        told = json.loads(done.stdout)
        self.works, self.findings = told["canShare"], told["findings"]
        assert self.works == (self.code == OK) and self.code in (OK, UNAVAILABLE), done

    def all(self, check):
        return [finding for finding in self.findings if finding["check"] == check]

    def __getitem__(self, check):
        found = self.all(check)
        assert len(found) == 1, self.findings
        return found[0]

    def verdict(self, check):
        return self[check]["verdict"]

    def failures(self):
        return [finding["check"] for finding in self.findings if finding["verdict"] == "fail"]


def environment(**more):
    """Ours, without a display or a sound server of the machine's own."""
    own = {key: value for key, value in os.environ.items() if key not in ("DISPLAY", "WAYLAND_DISPLAY", "PULSE_SERVER")}
    return {**own, "XDG_RUNTIME_DIR": "/nowhere", "HOME": "/nowhere", **more}


@pytest.fixture
def doctor(run):
    """`doctor(lan, screen, "--stun", …)`: the outcome, within the fifteen seconds that are promised."""

    def examine(place, screen=None, *options, env=None):
        begun = time.monotonic()
        shown = ["--display", screen.name] if screen else []
        done = run("doctor", "--json", *shown, *options, place=place, timeout=30, env=env or environment())
        assert time.monotonic() - begun < 16, done
        return Diagnosis(done)

    return examine


@pytest.fixture
def internet(lab, start):
    """A link with NATs, and a namespace between that has two addresses."""

    def begin(*options):
        link = lab(*options, "both", "delay=10ms")
        link["internet"].run("ip", "addr", "add", f"{SECOND}/32", "dev", "lo")
        return link

    return begin


# Where everything is there


def test_a_machine_where_sharing_works(lan, display, start, doctor):
    screen = display(1280, 720)
    stun = start(sharer.StunServer, lan, lan.address)
    turn = start(sharer.TurnServer, lan, lan.address, port=3578)
    server = start(sharer.Server, lan, listen="127.0.0.1:8090")
    options = ("--signaling", server.base, "--stun", stun.url, "--turn", turn.url, *SECRET, "--udp-port", "5004")
    seen = doctor(lan, screen, *options)
    assert seen.works, seen.findings
    assert seen["display"]["values"]["width"] == 1280 and seen["display"]["values"]["sharedMemory"]
    assert seen["display"]["values"]["pictureMs"] > 0
    assert lan.address in seen["addresses"]["values"]["addresses"]
    assert seen["udpPort"]["values"]["port"] == 5004
    assert 0 < seen["udpPort"]["values"]["sendBufferBytes"] <= 1 << 22
    # With the very port that was asked for.
    assert seen["stun"]["values"]["address"] == f"{lan.address}:5004"
    assert seen["turn"]["values"]["relayedAddress"].startswith(f"{lan.address}:50")
    assert seen["nat"]["values"]["mapping"] == "none"
    assert seen["signaling"]["values"]["roundTripMs"] < 1000
    assert seen["rate"]["values"]["upBitsPerSecond"] > 1e7 and seen["rate"]["values"]["downBytes"] <= 1 << 20


def test_lines_for_people(lan, display, run):
    screen = display(1280, 720)
    done = run("doctor", "--display", screen.name, "--audio", "none", place=lan, env=environment())
    assert done.returncode == OK, done
    lines = done.stdout.splitlines()
    assert lines[0].startswith("ok    display") and "1280x720" in lines[0]
    assert any(line.startswith("warn  NAT") and "--stun" in line for line in lines)
    assert lines[-1].startswith("Sharing will work")
    failed = run("doctor", "--display", ":987", place=lan, env=environment())
    assert failed.returncode == UNAVAILABLE
    assert failed.stdout.startswith("fail  display") and "will not work" in failed.stderr
    assert "will not work" not in failed.stdout and ".." not in failed.stdout


def test_it_takes_what_host_takes(lan, display, doctor):
    told = ("--token", "sesame", "--allow-host", "meet.example.org", "--window", "none", "--size", "720p")
    assert doctor(lan, display(640, 480), *told, "--max-viewers", "3").works
    # No display is needed for it.
    assert not doctor(lan, None, "--test-pattern", "--audio", "none").all("display")


# The display


def test_no_display(lan, doctor):
    seen = doctor(lan)
    assert seen.failures() == ["display"]
    assert "DISPLAY" in seen["display"]["found"] and "--display" in seen["display"]["advice"]
    # A DISPLAY of the environment that leads nowhere.
    seen = doctor(lan, env=environment(DISPLAY=":987"))
    assert seen.failures() == ["display"] and ":987" in seen["display"]["found"]


def test_a_display_without_shared_memory(lan, display, doctor):
    seen = doctor(lan, display(640, 480, server=("-extension", "MIT-SHM")))
    assert seen.works and seen.verdict("display") == "warn" and "MIT-SHM" in seen["display"]["found"]
    assert not seen["display"]["values"]["sharedMemory"]


def test_a_display_without_damage(lan, display, doctor):
    seen = doctor(lan, display(640, 480, server=("-extension", "DAMAGE")))
    assert seen.failures() == ["display"] and "DAMAGE" in seen["display"]["found"]


# Sound


def test_sound(lan, display, after, doctor):
    screen = display(640, 480)
    silent = doctor(lan, screen)
    assert silent.works and silent.verdict("sound") == "warn"
    asked = doctor(lan, screen, "--audio", "both")
    assert asked.failures() == ["sound", "sound"]
    assert doctor(lan, screen, "--audio", "none").verdict("sound") == "ok"
    server = SoundServer()
    after(server.process.kill)
    found = doctor(lan, screen, "--audio", "both", env=environment(**server.env))
    assert found.works, found.findings
    system, microphone = found.all("sound")
    assert "Test-Speaker" in system["found"] and "Test-Microphone" in microphone["found"]
    assert system["values"]["sampleRate"] >= 8000
    wrong = doctor(lan, screen, "--mic", "pulse:none", env=environment(**server.env))
    assert wrong.failures() == ["sound"]


# Ports and addresses


def holder(start, place, code):
    """Something that holds a port for as long as the test runs."""
    code += "; print('ready', flush=True); import time; time.sleep(60)"
    process = start(Process, place.command([SYSTEM_PYTHON, "-c", code]))
    process.wait_for("ready", 10, key="out")


def test_a_udp_port_that_is_taken(lan, display, start, doctor):
    holder(start, lan, f"import socket; s = socket.socket(type=socket.SOCK_DGRAM); s.bind(('{lan.address}', 5004))")
    stun = start(sharer.StunServer, lan, lan.address)
    seen = doctor(lan, display(640, 480), "--udp-port", "5004", "--stun", stun.url)
    assert seen.failures() == ["udpPort"]
    assert "5004" in seen["udpPort"]["found"] and "another program has it" in seen["udpPort"]["found"]
    assert "--udp-port" in seen["udpPort"]["advice"]
    # The rest is looked at all the same.
    assert seen.verdict("stun") == "ok"


def test_the_signaling_port(lan, display, start, doctor):
    screen = display(640, 480)
    assert doctor(lan, screen).verdict("signalingPort") == "ok"
    holder(start, lan, "import socket; s = socket.socket(); s.bind(('127.0.0.1', 8080)); s.listen()")
    seen = doctor(lan, screen)
    assert seen.failures() == ["signalingPort"] and "another program has it" in seen["signalingPort"]["found"]
    start(sharer.Server, lan, listen="127.0.0.1:8085")
    taken = doctor(lan, screen, "--listen", "127.0.0.1:8085")
    assert taken.failures() == ["signalingPort"] and "--signaling" in taken["signalingPort"]["advice"]
    assert doctor(lan, screen, "--listen", "127.0.0.1:8086").works


def test_a_signaling_server_that_is_there_already_is_used(lan, display, start, doctor):
    screen = display(640, 480)
    server = start(sharer.Server, lan)
    seen = doctor(lan, screen)
    assert seen.works and "would be used" in seen["signalingPort"]["found"] and seen["signalingPort"]["values"]["local"]
    server.kill()
    start(sharer.Server, lan, listen="0.0.0.0:8080")
    seen = doctor(lan, screen)
    assert seen.works and "need a token" in seen["signalingPort"]["found"]


def test_a_server_that_is_there_is_asked_whether_it_would_take_the_room(lan, display, share, doctor):
    screen = display(640, 480)
    share(lan, "--test-pattern", "--open", listen="0.0.0.0:8080")
    taken = doctor(lan, screen, "--room", "demo")
    assert taken.verdict("signaling") == "fail" and "somebody shares" in taken["signaling"]["found"]
    other = doctor(lan, screen, "--room", "other")
    assert other.failures() == ["rate"], other.findings


def test_an_address_that_is_not_ours(lan, display, doctor):
    seen = doctor(lan, display(640, 480), "--interface", "10.98.0.1")
    assert seen.failures() == ["udpPort"] and "no such address" in seen["udpPort"]["found"]
    assert seen.verdict("addresses") == "warn" and "10.98.0.1" in seen["addresses"]["found"]


# STUN and TURN


def test_a_stun_server_that_does_not_answer(lan, display, start, doctor):
    screen = display(640, 480)
    silent = f"stun:{NOWHERE}"
    seen = doctor(lan, screen, "--stun", silent)
    assert seen.failures() == ["stun"] and "does not answer" in seen["stun"]["found"]
    stun = start(sharer.StunServer, lan, lan.address)
    both = doctor(lan, screen, "--stun", silent, "--stun", stun.url)
    assert both.works and [finding["verdict"] for finding in both.all("stun")] == ["warn", "ok"]


def test_a_name_that_nobody_knows(lan, display, doctor):
    names = ("--stun", "stun:stun.invalid", "--turn", "turn:turn.invalid", *SECRET)
    seen = doctor(lan, display(640, 480), *names)
    assert seen.failures() == ["stun", "turn"] and "looked up" in seen["stun"]["found"]


def test_turn_over_udp_tcp_and_tls(lan, display, start, doctor):
    screen = display(640, 480)
    authority = sharer.Authority(lan.address)
    turn = start(sharer.TurnServer, lan, lan.address, authority=authority)
    ways = ["--turn", turn.url, "--turn", f"{turn.url}?transport=tcp", "--turn", turn.tls_url]
    seen = doctor(lan, screen, *ways, *SECRET, "--turn-ca", authority.root)
    assert seen.works and [finding["verdict"] for finding in seen.all("turn")] == ["ok"] * 3, seen.findings
    unsigned = doctor(lan, screen, "--turn", turn.tls_url, *SECRET)
    assert unsigned.failures() == ["turn"] and "--turn-ca" in unsigned["turn"]["advice"]


@pytest.mark.parametrize("query", ["", "?transport=tcp"])
def test_a_wrong_turn_password(lan, display, start, doctor, query):
    turn = start(sharer.TurnServer, lan, lan.address)
    env = environment(SCREENSHARE_TURN=f"{turn.url}{query}", SCREENSHARE_TURN_SECRET="south-sea-43")
    seen = doctor(lan, display(640, 480), env=env)
    assert seen.failures() == ["turn"]
    assert "refuses" in seen["turn"]["found"] and "--turn-password" in seen["turn"]["advice"]
    assert "south-sea" not in json.dumps(seen.findings) + seen.errors


def test_a_turn_server_that_is_not_there(lan, display, doctor):
    seen = doctor(lan, display(640, 480), "--turn", f"turn:{lan.address}:9?transport=tcp", *SECRET)
    assert seen.failures() == ["turn"] and "connection refused" in seen["turn"]["found"]


# NAT


@pytest.mark.parametrize("kind", ["cone", "restricted"])
def test_a_nat_that_gives_everybody_the_same_address(internet, display, start, doctor, kind):
    link = internet("--nat", f"a={kind}")
    stun = start(sharer.StunServer, link["internet"], OUTSIDE, other=SECOND)
    seen = doctor(link["a"], display(640, 480), "--stun", stun.url)
    assert seen.works and seen.verdict("nat") == "ok"
    assert seen["nat"]["values"]["mapping"] == "endpointIndependent"
    assert seen["stun"]["values"]["address"].startswith(Lab.ADDRESSES["a"])
    assert 15 < seen["stun"]["values"]["roundTripMs"] < 200


def test_a_symmetric_nat(internet, display, start, doctor):
    link = internet("--nat", "a=symmetric")
    screen = display(640, 480)
    stun = start(sharer.StunServer, link["internet"], OUTSIDE, other=SECOND)
    seen = doctor(link["a"], screen, "--stun", stun.url)
    assert seen.works and seen.verdict("nat") == "warn"
    assert seen["nat"]["values"]["mapping"] == "addressAndPortDependent"
    assert seen["nat"]["found"].startswith("symmetric") and "A TURN server is needed" in seen["nat"]["advice"]
    turn = start(sharer.TurnServer, link["internet"], OUTSIDE, port=3578)
    relieved = doctor(link["a"], screen, "--stun", stun.url, "--turn", turn.url, *SECRET)
    assert relieved.verdict("nat") == "ok" and relieved["nat"]["found"].startswith("symmetric")


def test_a_symmetric_nat_by_two_servers(internet, display, start, doctor):
    link = internet("--nat", "a=symmetric")
    screen = display(640, 480)
    servers = [start(sharer.StunServer, link["internet"], address) for address in (OUTSIDE, SECOND)]
    both = doctor(link["a"], screen, "--stun", servers[0].url, "--stun", servers[1].url)
    assert both["nat"]["values"]["mapping"] == "dependent" and both["nat"]["found"].startswith("symmetric")
    one = doctor(link["a"], screen, "--stun", servers[0].url)
    assert one["nat"]["values"]["mapping"] == "unknown" and "second STUN server" in one["nat"]["advice"]


def test_where_no_udp_gets_out(internet, display, start, doctor):
    link = internet("--nat", "a=tcponly")
    screen = display(640, 480)
    stun = start(sharer.StunServer, link["internet"], OUTSIDE)
    turn = start(sharer.TurnServer, link["internet"], OUTSIDE, port=3578)
    blocked = doctor(link["a"], screen, "--stun", stun.url)
    assert blocked.failures() == ["stun"] and "transport=tcp" in blocked["stun"]["advice"]
    relayed = doctor(link["a"], screen, "--stun", stun.url, "--turn", f"{turn.url}?transport=tcp", *SECRET)
    assert relayed.works and relayed.verdict("turn") == "ok" and relayed.verdict("stun") == "warn"


# The signaling server


def test_the_rate_is_that_of_the_link(lab, display, start, doctor):
    link = lab("--internet", "up", "rate=2mbit", "delay=10ms", "down", "rate=6mbit", "delay=10ms")
    server = start(sharer.Server, link["internet"], listen=f"{OUTSIDE}:8080")
    seen = doctor(link["a"], display(640, 480), "--signaling", server.base)
    assert seen.works, seen.findings
    values = seen["rate"]["values"]
    assert 1.3e6 < values["upBitsPerSecond"] < 2e6, values
    assert 3.5e6 < values["downBitsPerSecond"] < 6e6, values
    assert 18 < seen["signaling"]["values"]["roundTripMs"] < 200
    # Plain HTTP beyond this machine.
    assert seen.verdict("signaling") == "warn" and "TLS" in seen["signaling"]["advice"]
    link.set("up", "rate=400kbit")
    assert doctor(link["a"], display(640, 480), "--signaling", server.base).verdict("rate") == "warn"


def test_a_signaling_server_that_is_none(lan, display, start, doctor):
    screen = display(640, 480)
    gone = doctor(lan, screen, "--signaling", "http://127.0.0.1:9")
    assert gone.failures() == ["signaling"] and "nothing listens" in gone["signaling"]["found"]
    web = start(Process, lan.command([SYSTEM_PYTHON, "-m", "http.server", "--bind", "127.0.0.1", "8091"]))
    wait_until(
        lambda: doctor(lan, screen, "--signaling", "http://127.0.0.1:8091")["signaling"]["found"].count("no signaling"),
        10,
        web,
    )
    server = start(sharer.Server, lan, listen="127.0.0.1:8092")
    secure = server.base.replace("http://", "https://")
    assert "secure" in doctor(lan, screen, "--signaling", secure)["signaling"]["found"]


RUDE_SERVER = r"""
import http.server, json
class Rude(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = json.dumps({"type": "about:blank", "title": "No", "status": 403, "detail": "\x1b[2Jnot here"}).encode()
        self.send_response(403)
        self.send_header("Content-Type", "application/problem+json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
server = http.server.HTTPServer(("127.0.0.1", 8091), Rude)
print("listening", flush=True)
server.serve_forever()
"""


def test_what_a_server_says_does_not_steer_the_terminal(lan, start, run):
    rude = start(Process, lan.command([SYSTEM_PYTHON, "-c", RUDE_SERVER]), name="rude server")
    rude.wait_for("listening", 5, key="out")
    done = run("doctor", "--signaling", "http://127.0.0.1:8091", place=lan, env=environment())
    assert "[2Jnot here" in done.stdout and "\x1b" not in done.stdout


def test_a_room_in_use_is_told(lan, display, share, doctor):
    share(lan, "--test-pattern")
    seen = doctor(lan, display(640, 480), "--signaling", "http://127.0.0.1:8080", "--room", "demo")
    assert seen.verdict("signaling") == "fail" and "demo" in seen["signaling"]["found"]


def test_nothing_takes_longer_than_fifteen_seconds(lan, display, doctor):
    screen = display(640, 480)
    screen.server.child.send_signal(signal.SIGSTOP)
    try:
        lost = ("--signaling", f"http://{NOWHERE}:8080", "--stun", f"stun:{NOWHERE}", "--stun", "stun:10.99.0.78")
        relays = ("--turn", f"turn:{NOWHERE}", "--turn", f"turn:{NOWHERE}?transport=tcp", *SECRET)
        seen = doctor(lan, screen, *lost, *relays)
    finally:
        screen.server.child.send_signal(signal.SIGCONT)
    assert seen.failures() == ["display", "signaling", "stun", "stun", "turn", "turn"]


@needs_root
def test_nor_does_it_where_the_name_servers_are_silent(lan, start, artifacts, doctor):
    seen = doctor(SilentNames(lan, start, artifacts), None, "--test-pattern", "--listen", "host.example.org:8080")
    assert seen.failures() == ["signalingPort"] and "looked up" in seen["signalingPort"]["found"]
