"""Rooms and tokens: who may share, who may watch, and what the others are told."""

import json
import os
import re
import signal
import subprocess

import pytest
from harness import sharer
from harness.codes import NO_PERMISSION, OK, UNAVAILABLE, USAGE
from harness.paths import SYSTEM_PYTHON, screenshare
from harness.processes import Process, wait_until
from harness.web import http


def view_code(lan, *options, timeout=15):
    process = Process(lan.command([screenshare(), "view", *map(str, options)]), name="screenshare view")
    return process.wait(timeout), process.text()


def test_a_room_is_listed_while_it_is_shared(lan, share):
    host = share(lan, "--test-pattern")
    status, _, body = http(lan, "GET", f"{host.base}/v1/rooms")
    assert status == 200 and "demo" in body
    assert http(lan, "GET", f"{host.base}/healthz")[0] == 200
    assert json.loads(http(lan, "GET", f"{host.base}/openapi.json")[2])["openapi"].startswith("3.")


def test_whep_answers_options_head_and_wrong_requests_as_it_should(lan, share):
    host = share(lan, "--test-pattern")
    status, headers, _ = http(lan, "OPTIONS", host.whep)
    assert status == 200 and headers["accept-post"] == "application/sdp"
    assert http(lan, "HEAD", host.whep)[0] == 200
    for body, kind, expected in (("hello", "text/plain", 415), ("not sdp", "application/sdp", 400)):
        status, headers, text = http(lan, "POST", host.whep, body, {"Content-Type": kind})
        assert status == expected
        assert headers["content-type"].startswith("application/problem+json")
        assert json.loads(text)["status"] == status
    status, headers, _ = http(lan, "POST", host.whep, "v" * 70_000, {"Content-Type": "application/sdp"})
    assert status == 413
    assert http(lan, "DELETE", f"{host.whep}/{'0' * 32}")[0] == 404


def test_where_nobody_shares_one_is_told_to_come_back(lan, share, start):
    host = share(lan, "--test-pattern")
    refused = start(sharer.aiortc, lan, host.whep.replace("demo", "nobody")).event("refused")
    assert refused["status"] == 409 and int(refused["retryAfter"]) > 0


def test_a_host_behind_a_proxy_answers_to_the_name_it_is_told(lan, share):
    name = {"Host": "share.example.org"}
    host = share(lan, "--test-pattern", "--allow-host", "share.example.org")
    assert http(lan, "GET", host.page, headers=name)[0] == 200
    assert http(lan, "GET", host.page, headers={"Host": "other.example.org"})[0] == 421
    origin = {**name, "Origin": "https://share.example.org", "Content-Type": "application/sdp"}
    assert http(lan, "POST", host.whep, "not sdp", origin)[0] == 400, "and to its page"


def test_a_server_is_named_without_a_path(run):
    for command in (["host", "--test-pattern"], ["view"]):
        done = run(*command, "--room", "demo", "--signaling", "https://example.org/meet")
        assert done.returncode == USAGE and "without a path" in done.stderr


DUMB_SHARER = """
import json, sys, urllib.request
base = sys.argv[1]
def call(method, url, body=None, token=None):
    headers = {"Content-Type": "application/json", **({"Authorization": f"Bearer {token}"} if token else {})}
    return urllib.request.urlopen(urllib.request.Request(base + url, body and body.encode(), headers, method=method))
receipt = json.load(call("POST", "/v1/rooms/demo/share", "{}"))
print("ready", flush=True)
stream = call("GET", receipt["eventsUrl"], token=receipt["secret"])
for line in stream:
    if line.startswith(b"event:"):
        print(line.decode().strip(), flush=True)
print("stream ended", flush=True)
"""


PATIENT_VIEWER = """
import sys, urllib.error, urllib.request
offer = b"v=0\\r\\no=- 1 2 IN IP4 127.0.0.1\\r\\ns=-\\r\\nt=0 0\\r\\nm=video 9 UDP/TLS/RTP/SAVPF 96\\r\\na=recvonly\\r\\n"
request = urllib.request.Request(sys.argv[1], offer, {"Content-Type": "application/sdp"}, method="POST")
try:
    print(urllib.request.urlopen(request).status, flush=True)
except urllib.error.HTTPError as error:
    print(error.status, error.headers["Retry-After"], flush=True)
"""


def test_a_server_that_is_stopped_answers_who_waits_and_ends_its_streams(lan, start):
    server = start(sharer.Server, lan)
    dumb = start(Process, lan.command([SYSTEM_PYTHON, "-c", DUMB_SHARER, server.base]), name="a sharer that never answers")
    dumb.wait_for("ready", 10, key="out")
    whep = f"{server.base}/v1/rooms/demo/whep"
    waiting = start(Process, lan.command([SYSTEM_PYTHON, "-c", PATIENT_VIEWER, whep]), name="a viewer that waits")
    dumb.wait_for("event: offer", 10, key="out")
    assert server.process.stop(signal.SIGTERM) == OK
    waiting.wait_for(r"503 \d", 5, key="out")
    dumb.wait_for("stream ended", 5, key="out")


def test_a_taken_room_is_refused(lan, share, run):
    host = share(lan, "--test-pattern")
    second = run("host", "--room", "demo", "--test-pattern", "--signaling", host.base, place=lan)
    assert second.returncode == UNAVAILABLE
    assert second.stderr.count("asking once more") == 1 and "choose another name" in second.stderr


def test_a_share_that_is_started_anew_right_after_it_was_killed_gets_its_room(lan, share, start):
    server = start(sharer.Server, lan)
    options = ("--test-pattern", "--signaling", server.base)
    share(lan, *options, listen=None).stop(signal.SIGKILL)
    again = share(lan, *options, listen=None)
    assert "asking once more" in again.text()


def test_a_room_whose_viewers_had_another_token_is_not_waited_for(lan, share, start, run):
    server = start(sharer.Server, lan)
    options = ("--test-pattern", "--signaling", server.base)
    share(lan, *options, "--token", "sesame", listen=None).stop(signal.SIGKILL)
    second = run("host", "--room", "demo", *options, place=lan)
    assert second.returncode == UNAVAILABLE and re.search(r"or try again in \d\d s", second.stderr), second.stderr
    assert "asking once more" not in second.stderr


def test_an_unknown_room_and_an_absent_server_end_the_wait(lan, share):
    host = share(lan, "--test-pattern")
    code, text = view_code(lan, "--room", "nobody", "--signaling", host.base, "--wait", 1)
    assert code == UNAVAILABLE and "nobody is sharing" in text.lower()
    code, _ = view_code(lan, "--room", "demo", "--signaling", "http://127.0.0.1:9", "--wait", 1)
    assert code == UNAVAILABLE


def test_a_token_is_demanded_and_taken(lan, share, start, tmp_path):
    host = share(lan, "--test-pattern", "--token", "open-sesame")
    for wrong in ([], ["--token", "wrong"]):
        code, text = view_code(lan, "--room", "demo", "--signaling", host.base, "--wait", 2, *wrong)
        assert code == NO_PERMISSION, text
    with open(tmp_path / "out", "wb") as file:
        right = start(sharer.view, lan, "--token", "open-sesame", "--frames", "5", output=file)
    assert right.wait(15) == OK
    greeting, _, log = host.text().partition("The share is live")
    assert "open-sesame" in greeting and "open-sesame" not in log


def test_listening_beyond_loopback_makes_a_token_of_its_own(lan, share, start):
    host = share(lan, "--test-pattern", listen="0.0.0.0:8080")
    assert host.token and re.match(rf"http://{re.escape(lan.address)}:8080/r/demo#t=", host.link)
    refused = start(sharer.aiortc, lan, host.whep, "--duration", "5")
    assert refused.event("refused")["status"] in (401, 403)
    start(sharer.aiortc, lan, host.whep, "--token", host.token, "--duration", "20").event("first")
    # The browser takes it from the link.
    summary = start(sharer.chromium, lan, host.link, "--frames", "10").event("summary", 30)
    assert summary["frames"] >= 10
    # Nobody else shares at this machine's address, in this room or in another.
    kind = {"Content-Type": "application/json"}
    for room in ("demo", "evil"):
        assert http(lan, "POST", f"{host.base}/v1/rooms/{room}/share", "{}", kind)[0] in (401, 403)


def test_where_there_is_no_ipv4_the_link_of_a_server_for_ipv4_opens_and_it_is_told_how_others_get_in(lan, share):
    lan.place.run("ip", "addr", "del", f"{lan.address}/24", "dev", "lan0")
    host = share(lan, "--test-pattern", listen="0.0.0.0:8080")
    assert http(lan, "GET", host.page)[0] == 200
    assert "--listen '[::]:8080'" in host.text()
    assert host.stop() == OK
    host = share(lan, "--test-pattern", listen="[::]:8080")
    assert http(lan, "GET", host.page)[0] == 200
    assert host.base == "http://[fd99::1]:8080" and "--listen" not in host.text()


def test_a_server_at_all_addresses_starts_where_ipv6_is_switched_off_and_there_is_no_network(lan, share):
    lan.place.run("ip", "addr", "del", f"{lan.address}/24", "dev", "lan0")
    lan.place.run("sysctl", "-q", "-w", "net.ipv6.conf.all.disable_ipv6=1")
    host = share(lan, "--test-pattern", listen="[::]:8080")
    assert host.base == "http://127.0.0.1:8080" and http(lan, "GET", host.page)[0] == 200


def test_a_server_that_runs_already_and_that_others_reach_has_a_token_made_too(lan, share, start):
    start(sharer.Server, lan, listen="0.0.0.0:8080")
    base = f"http://{lan.address}:8080"
    host = share(lan, "--test-pattern", listen=None)
    assert host.token and "already runs" in host.text() and "others in the network reach it" in host.text()
    assert "demo" not in http(lan, "GET", f"{base}/v1/rooms")[2]
    refused = start(sharer.aiortc, lan, f"{base}/v1/rooms/demo/whep", "--duration", "5")
    assert refused.event("refused")["status"] == 401
    assert host.stop() == OK
    opened = share(lan, "--test-pattern", "--open", listen=None)
    assert not opened.token and "demo" in http(lan, "GET", f"{base}/v1/rooms")[2]


def test_one_s_own_server_on_loopback_is_taken_for_that_where_the_network_has_no_ipv4(lan, share, start):
    lan.place.run("ip", "addr", "del", f"{lan.address}/24", "dev", "lan0")
    start(sharer.Server, lan)
    host = share(lan, "--test-pattern", listen=None)
    assert "already runs" in host.text() and "others in the network" not in host.text() and not host.token


def test_a_hostile_page_gets_nothing(lan, share):
    """Another origin, or another host name that points here (DNS rebinding)."""
    host = share(lan, "--test-pattern")
    sdp = {"Content-Type": "application/sdp"}
    assert http(lan, "POST", host.whep, "v=0\r\n", {**sdp, "Origin": "http://evil.example"})[0] == 403
    assert http(lan, "GET", f"{host.base}/v1/rooms", None, {"Host": "evil.example"})[0] == 421


def test_a_sharer_that_loses_its_server_comes_back_and_media_does_not_notice(lan, share, start):
    server = start(sharer.Server, lan)
    host = share(lan, "--test-pattern", "--signaling", server.base, listen=None)
    viewer = start(sharer.aiortc, lan, f"{server.base}/v1/rooms/demo/whep", "--duration", "60")
    viewer.event("first")
    server.kill()
    start(sharer.Server, lan)
    wait_until(lambda: "demo" in http(lan, "GET", f"{server.base}/v1/rooms")[2], 15, "the room again", poll=0.5)
    start(sharer.aiortc, lan, f"{server.base}/v1/rooms/demo/whep", "--duration", "20").event("first")
    viewer.stop()
    assert viewer.event("summary")["longestGapMs"] < 500
    assert host.process.running


def test_who_shares_at_another_s_server_takes_its_place_when_that_has_gone(lan, share, start):
    first = share(lan, "--test-pattern", room="first", listen=None)
    second = share(lan, "--test-pattern", room="second", listen=None)
    assert "already runs" in second.text() and second.base == first.base
    assert first.stop() == OK
    second.process.wait_for("takes its place", 8)
    # It registers anew when its next try is due.
    wait_until(lambda: "second" in http(lan, "GET", f"{first.base}/v1/rooms")[2], 10, "the room again", poll=0.2)
    viewer = start(sharer.view, lan, "--frames", "5", room="second", output=subprocess.DEVNULL, signaling=first.base)
    assert viewer.wait(10) == OK, viewer.describe()
    assert second.stop() == OK


NEXT_SERVER = """
import http.server, time
class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        print(self.path, self.rfile.read(int(self.headers["Content-Length"] or 0)), flush=True)
        self.send_error(503)
    do_GET = do_PUT = do_DELETE = lambda self: self.send_error(404)
while True:
    try:
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 8080), Handler)
        break
    except OSError:
        time.sleep(0.02)
print("ready", flush=True)
server.serve_forever()
"""


def test_a_share_is_not_brought_to_another_user_s_server_that_takes_the_place_of_its_own(lan, share, start):
    if os.geteuid() != 0:
        pytest.skip("ONE USER: only root can be another")
    server = start(sharer.Server, lan)
    host = share(lan, "--test-pattern", "--token", "sesame", listen=None)
    assert "already runs" in host.text()
    other = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", SYSTEM_PYTHON, "-c", NEXT_SERVER]
    next_server = start(Process, lan.command(other), name="another user's server")
    server.kill()
    next_server.wait_for("ready", 5, key="out")
    host.process.wait_for("another user's signaling server", 15)
    assert next_server.text("out") == "ready", "neither the token nor the screen is for it"
    assert host.process.running
