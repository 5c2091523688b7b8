"""Debian's Firefox, headless, at the viewer page; says what it shows as `chromium_viewer.py` does, one JSON object a line.

    {"event": "state", "state": "..."}       each change of what the page says is happening
    {"event": "sound", ...}                  once with --sound, before the summary
    {"event": "summary", "frames": ..., "longestGapMs": ..., "longestGapEnded": ..., "colours": [...], "width": ...,
                                             "height": ...}

It is driven by Marionette, Firefox' own protocol: JSON with its length in front, over TCP.
"""

import argparse
import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path

from chromium_viewer import COLOURS, COUNTER, LOOK, SOUND, place, report

FIREFOX = os.environ.get("FIREFOX", "/usr/bin/firefox-esr")
PORT = 2828
SETTINGS = {
    "marionette.port": PORT,
    "media.autoplay.default": 0,
    # Nothing is fetched: there is no network but the test's.
    "app.update.enabled": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "browser.safebrowsing.downloads.remote.enabled": False,
    "extensions.update.enabled": False,
}


class Firefox:
    """A browser with a profile of its own and one page; it ends with `close`."""

    def __init__(self, decoder):
        self.home = Path(tempfile.mkdtemp(prefix="firefox-"))
        lines = [f"user_pref({json.dumps(key)}, {json.dumps(value)});\n" for key, value in SETTINGS.items()]
        (self.home / "user.js").write_text("".join(lines))
        command = [FIREFOX, "--headless", "--marionette", "--no-remote", "--profile", self.home, "about:blank"]
        # Root's plugins have no sandbox in a container that has none to give.
        env = {**os.environ, "HOME": str(self.home), "MOZ_GMP_PATH": decoder, "MOZ_DISABLE_GMP_SANDBOX": "1"}
        self.child = subprocess.Popen(
            [str(part) for part in command], env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        self.socket = self.connect(time.monotonic() + 40)
        self.received, self.number = b"", 0
        self.receive()  # a greeting
        self.command("WebDriver:NewSession", capabilities={})

    def connect(self, deadline):
        while True:
            try:
                return socket.create_connection(("127.0.0.1", PORT), 40)
            except OSError:
                if time.monotonic() > deadline or self.child.poll() is not None:
                    raise
                time.sleep(0.1)

    def receive(self):
        while b":" not in self.received:
            self.more()
        length, _, rest = self.received.partition(b":")
        while len(rest) < int(length):
            self.more()
            rest = self.received.partition(b":")[2]
        self.received = rest[int(length):]
        return json.loads(rest[: int(length)])

    def more(self):
        piece = self.socket.recv(65536)
        if not piece:
            raise ConnectionError("Firefox has gone")
        self.received += piece

    def command(self, name, **parameters):
        self.number += 1
        words = json.dumps([0, self.number, name, parameters]).encode()
        self.socket.sendall(f"{len(words)}:".encode() + words)
        _, _, error, result = self.receive()
        if error:
            raise RuntimeError(f"{name}: {error['message']}")
        return result

    def call(self, function, *arguments):
        """What a function of the page, plain or asynchronous, gives."""
        script = f"const [done] = [...arguments].slice(-1); Promise.resolve(({function})(...arguments)).then(done);"
        return self.command("WebDriver:ExecuteAsyncScript", script=script, args=list(arguments))["value"]

    def wait_for_decoder(self, deadline):
        """The browser asks its plugins after its start what they can do."""
        offers = """async () => {
          const peer = new RTCPeerConnection(); peer.addTransceiver("video", { direction: "recvonly" });
          const offer = await peer.createOffer(); peer.close(); return offer.sdp.includes("H264/90000");
        }"""
        while not self.call(offers):
            if time.monotonic() > deadline:
                raise RuntimeError("Firefox offers no H.264")
            time.sleep(0.2)

    def close(self):
        self.child.terminate()
        try:
            self.child.wait(10)
        except subprocess.TimeoutExpired:
            self.child.kill()
        shutil.rmtree(self.home, ignore_errors=True)


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--page", required=True)
    parser.add_argument("--decoder", required=True, help="the folder of a plugin for H.264")
    parser.add_argument("--duration", type=float, default=6, help="seconds after the first picture")
    parser.add_argument("--probe", action="append", default=[], type=place, metavar="X,Y")
    parser.add_argument("--at-once", action="store_true", help="without waiting until the browser knows its plugins")
    parser.add_argument("--sound", action="store_true", help="listen before the end")
    return parser.parse_args()


def watch(firefox, arguments):
    firefox.command("WebDriver:Navigate", url=arguments.page)
    firefox.call(COUNTER)
    state, over, look = None, time.monotonic() + 40, None
    while time.monotonic() < over:
        look, before = firefox.call(LOOK), look
        if look["state"] != state:
            state = look["state"]
            report("state", state=state)
        if look["seen"]["frames"] and not (before and before["seen"]["frames"]):
            over = time.monotonic() + arguments.duration
        time.sleep(0.1)
    if arguments.sound:
        report("sound", **firefox.call(SOUND))
    report(
        "summary", frames=look["seen"]["frames"], longestGapMs=round(look["seen"]["longest"], 1),
        longestGapEnded=look["seen"]["longestEnded"], width=look["width"], height=look["height"], state=state,
        colours=firefox.call(COLOURS, arguments.probe) if look["width"] else [])


def main():
    arguments = parse()
    firefox = Firefox(arguments.decoder)
    try:
        if not arguments.at_once:
            firefox.wait_for_decoder(time.monotonic() + 20)
        watch(firefox, arguments)
    finally:
        firefox.close()


if __name__ == "__main__":
    main()
