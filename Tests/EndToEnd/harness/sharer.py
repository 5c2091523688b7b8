"""`screenshare` as a person starts it, and the statistics it writes."""

import json
import os
import pty
import re
import signal
import subprocess

from .paths import PEERS, SYSTEM_PYTHON, VENV_PYTHON, firefox_decoder, scratch_file, screenshare
from .processes import Peer, Process, wait_until

LINK = r"https?://[^\s/]+/r/[^\s]+"


class Statistics:
    """A --stats-json file: one object a second."""

    def __init__(self, path=None):
        self.path = path or scratch_file(".jsonl")

    def all(self):
        lines = self.path.read_text().splitlines() if self.path.exists() else []
        parsed = []
        for line in lines:
            try:
                parsed.append(json.loads(line))
            except json.JSONDecodeError:
                break  # the line being written
        return parsed

    @property
    def last(self):
        found = self.all()
        return found[-1] if found else {}

    def wait(self, condition, timeout=10, what="statistics"):
        """The first line from now on that fulfils a condition."""
        seen = len(self.all())
        return wait_until(
            lambda: next((line for line in self.all()[seen:] if condition(line)), None), timeout, f"{what}: {self.last}"
        )


class Sharer:
    """`screenshare host` at a place, ready when it has printed its link."""

    def __init__(
        self, place, *options, room="demo", listen="127.0.0.1:8080", env=None, ready=True, terminal=False
    ):
        self.statistics = Statistics()
        settings = {}
        if terminal:
            self.keyboard, settings["stdin"] = pty.openpty()
        command = [screenshare(), "host", "--room", room, "--stats-json", self.statistics.path]
        if listen:
            command += ["--listen", listen]
        self.process = Process(place.command([*command, *options]), name="screenshare host", env=env, **settings)
        self.place = place
        if ready:
            self.link = self.process.wait_for(LINK, 15)[0]
            self.page, _, self.token = self.link.partition("#t=")
            base, _, room = self.page.partition("/r/")
            self.base = base
            self.whep = f"{base}/v1/rooms/{room}/whep"

    def type(self, keys):
        """As on the terminal that it was started on."""
        os.write(self.keyboard, keys.encode())

    def stop(self, number=signal.SIGINT, timeout=5):
        return self.process.stop(number, timeout)

    def kill(self):
        self.process.kill()

    def text(self):
        return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", self.process.text())


def paused(host):
    host.process.send(signal.SIGUSR1)
    host.process.wait_for("is paused", 5)


class Server:
    """`screenshare serve`: signaling alone."""

    def __init__(self, place, *options, listen="127.0.0.1:8080"):
        command = [screenshare(), "serve", "--listen", listen, *options]
        self.process = Process(place.command(command), name="screenshare serve")
        self.process.wait_for(rf"http://\S*:{listen.rpartition(':')[2]}\s", 15)
        self.base = f"http://{listen}"

    def kill(self):
        self.process.kill()


class StunServer:
    """coturn, answering STUN and nothing else; with `other`, a second address, it tells of that (RFC 5780)."""

    def __init__(self, place, address, port=3478, other=None):
        command = ["turnserver", "-n", "--stun-only", "--no-cli", "--no-tls", "--no-dtls", "--log-file", "stdout"]
        files = ["--pidfile", "/dev/null", "--userdb", scratch_file(".turn")]
        where = ["--listening-ip", address, "--listening-port", str(port)]
        where += ["--listening-ip", other] if other else []
        self.process = Process(place.command([*command, *files, *where]), name="coturn")
        self.process.wait_for("Total General servers", 10, key="out")
        self.url = f"stun:{address}:{port}"

    def kill(self):
        self.process.kill()


class TurnServer:
    """coturn as a relay, with a secret that it shares; `url` is without credentials.

    `authority` (see `Authority`) signs its certificate for TLS; `ports` are those that it relays by, its own beside
    another's."""

    SECRET = "north-sea-42"

    def __init__(self, place, address, port=3478, tls_port=5349, authority=None, ports=(50000, 50100)):
        command = ["turnserver", "-n", "-v", "--no-cli", "--no-dtls", "--log-file", "stdout", "--simple-log"]
        files = ["--pidfile", "/dev/null", "--userdb", scratch_file(".turn")]
        users = ["--realm", "example.org", "--use-auth-secret", "--static-auth-secret", self.SECRET]
        where = ["--listening-ip", address, "--relay-ip", address, "--listening-port", str(port)]
        where += ["--tls-listening-port", str(tls_port), "--min-port", str(ports[0]), "--max-port", str(ports[1])]
        tls = ["--cert", authority.certificate, "--pkey", authority.key] if authority else ["--no-tls"]
        self.process = Process(place.command([*command, *files, *users, *where, *tls]), name="coturn")
        self.process.wait_for("Total General servers", 10, key="out")
        self.url, self.tls_url = f"turn:{address}:{port}", f"turns:{address}:{tls_port}"
        self.place, self.port = place, port

    def carried(self):
        """Bytes that went to and fro in the TCP connections of its users so far."""
        words = ("ss", "-Hnti", "state", "established", "sport", "=", f":{self.port}")
        return sum(int(number) for number in re.findall(r"bytes_(?:acked|received):(\d+)", self.place.run(*words)))

    def relayed(self):
        """Bytes that went to and from peers, of the sessions that have ended."""
        found = re.findall(r"peer usage: .*?rb=(\d+), .*?sb=(\d+)", self.process.text("out"))
        return sum(int(number) for pair in found for number in pair)

    def wait_for_bytes(self, least):
        """coturn tells them a second after a session's end."""
        wait_until(lambda: self.relayed() >= least, 10, f"{least} bytes relayed: {self.relayed()}")

    def kill(self):
        self.process.kill()


class Authority:
    """Somebody who signs certificates: `root` is its own, `certificate` is for an IP address."""

    def __init__(self, address):
        self.root, self.certificate, self.key = (scratch_file(".pem") for _ in range(3))
        signing, request, extensions = scratch_file(".pem"), scratch_file(".csr"), scratch_file(".cnf")
        extensions.write_text(f"subjectAltName=IP:{address}\n")
        new = ["openssl", "req", "-nodes", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
        ca = [*new, "-x509", "-days", "2", "-subj", "/CN=Test", "-keyout", signing, "-out", self.root]
        ask = [*new, "-subj", f"/CN={address}", "-keyout", self.key, "-out", request]
        sign = ["openssl", "x509", "-req", "-days", "2", "-in", request, "-CA", self.root, "-CAkey", signing]
        sign += ["-CAcreateserial", "-extfile", extensions, "-out", self.certificate]
        for command in (ca, ask, sign):
            subprocess.run([str(part) for part in command], check=True, capture_output=True)


def view(place, *options, output, whep=None, room="demo", signaling="http://127.0.0.1:8080", **settings):
    """`screenshare view` writing to an open file; its statistics are at `.statistics`."""
    statistics = Statistics()
    where = ["--whep", whep] if whep else ["--room", room]
    if signaling and not whep:
        where += ["--signaling", signaling]
    command = [screenshare(), "view", *where, "--stats-json", statistics.path, *options]
    process = Process(place.command(command), name="screenshare view", stdout=output, **settings)
    process.statistics = statistics
    return process


def aiortc(place, whep, *options, **settings):
    return Aiortc(place.command([VENV_PYTHON, PEERS / "aiortc_viewer.py", "--whep", whep, *options]), **settings)


def gstreamer(place, whep, *options, **settings):
    return Peer(place.command([SYSTEM_PYTHON, PEERS / "gst_viewer.py", "--whep", whep, *options]), **settings)


class Chromium(Peer):
    """The page in a browser; commands go in by `command` (stdin=-1)."""

    def command_line(self, words):
        done = len(self.events("done"))
        self.child.stdin.write(f"{words}\n".encode())
        self.child.stdin.flush()
        self.nth_event("done", done + 1)

    def wait_for_state(self, pattern, timeout):
        """Until the page's state, the last one told, matches."""

        def matches():
            states = self.events("state")
            return states and re.fullmatch(pattern, states[-1]["state"])

        wait_until(matches, timeout, f"state {pattern}: {self.events('state')}")


class Aiortc(Peer):
    def wait_for_size(self, fits, timeout, behind=0):
        """The first "size" event that fits, behind so many others."""
        return wait_until(
            lambda: next((e for e in self.events("size")[behind:] if fits(e["width"], e["height"])), None),
            timeout,
            "new size",
        )


def chromium(place, page, *options, **settings):
    return Chromium(place.command([VENV_PYTHON, PEERS / "chromium_viewer.py", "--page", page, *options]), **settings)


def firefox(place, page, *options, **settings):
    program = PEERS / "firefox_viewer.py"
    return Peer(
        place.command([VENV_PYTHON, program, "--page", page, "--decoder", firefox_decoder(), *options]), **settings)


class ReferenceSharer:
    """A sharer that is not ours, for the benchmarks and for trying the peers."""

    def __init__(self, place, display, *options, listen="127.0.0.1:8090"):
        command = [self.PYTHON, PEERS / self.PROGRAM, "--display", display, "--listen", listen, *options]
        self.process = Process(place.command(command), name=self.PROGRAM)
        self.place = place
        self.whep = self.process.wait_for(r"READY (\S+)", 20, key="out")[1]
        self.page = self.whep.replace("/v1/rooms/demo/whep", "/r/demo")

    def kill(self):
        self.process.kill()


class GStreamerSharer(ReferenceSharer):
    PYTHON, PROGRAM = SYSTEM_PYTHON, "gst_sharer.py"


class ChromiumSharer(ReferenceSharer):
    PYTHON, PROGRAM = VENV_PYTHON, "chromium_sharer.py"
