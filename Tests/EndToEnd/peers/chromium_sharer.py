"""Another reference that figures are held against: a screen shared by a page in Debian's Chromium.

Viewers join by WHEP at http://LISTEN/v1/rooms/demo/whep, as they do with `screenshare host`; what they offer is answered
by a peer connection of the page, and Chromium has an encoder for each. Prints "READY URL" when the screen is captured.
"""

import argparse
import os
import queue
import sys

from playwright.sync_api import Error, sync_playwright
from whep_server import Refused, serve

CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
# The window stands beside the screen: it would be captured too.
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--auto-select-desktop-capture-source=Entire screen",
    "--disable-features=WebRtcHideLocalIpsWithMdns",
    "--window-position=8000,8000",
    "--window-size=200,200",
]

CAPTURE = """async ({ fps, hint }) => {
  window.stream = await navigator.mediaDevices.getDisplayMedia({ video: { frameRate: fps } });
  const [track] = window.stream.getVideoTracks();
  track.contentHint = hint;
  const { width, height } = track.getSettings();
  window.peers = [];
  return `${width}x${height}`;
}"""

ANSWER = """async ({ offer, bitrate, fps }) => {
  const peer = new RTCPeerConnection();
  window.peers.push(peer);
  await peer.setRemoteDescription({ type: "offer", sdp: offer });
  const [track] = window.stream.getVideoTracks();
  const sender = peer.addTrack(track, window.stream);
  await peer.setLocalDescription();
  const parameters = sender.getParameters();
  for (const encoding of parameters.encodings) {
    encoding.maxBitrate = bitrate;
    encoding.maxFramerate = fps;
  }
  await sender.setParameters(parameters);
  await new Promise(done => {
    const check = () => peer.iceGatheringState === "complete" && done();
    peer.addEventListener("icegatheringstatechange", check);
    check();
  });
  return peer.localDescription.sdp;
}"""


# What only the thread of the page may do: (offer, where its answer goes).
OFFERS = queue.Queue()


def join(offer):
    answered = queue.Queue()
    OFFERS.put((offer, answered))
    answer = answered.get()
    if isinstance(answer, Error):
        raise Refused(str(answer))
    return 1, answer


def answer(page, arguments):
    size = page.evaluate(CAPTURE, {"fps": arguments.fps, "hint": arguments.hint})
    print(f"captures {size}", file=sys.stderr, flush=True)
    print(f"READY http://{arguments.listen}/v1/rooms/demo/whep", flush=True)
    while True:
        try:
            offer, answered = OFFERS.get(timeout=0.2)
        except queue.Empty:
            # Lets the browser's own messages through.
            page.wait_for_timeout(1)
            continue
        try:
            settings = {"offer": offer, "bitrate": arguments.bitrate, "fps": arguments.fps}
            answered.put(page.evaluate(ANSWER, settings))
        except Error as error:
            answered.put(error)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--display", required=True)
    parser.add_argument("--listen", default="127.0.0.1:8090")
    parser.add_argument("--fps", type=int, default=30)
    parser.add_argument("--bitrate", type=int, default=4_000_000)
    parser.add_argument("--hint", default="motion", choices=("", "motion", "detail", "text"), help="the track's content")
    arguments = parser.parse_args()
    serve(arguments.listen, join, lambda _: True)
    with sync_playwright() as playwright:
        environment = {**os.environ, "DISPLAY": arguments.display}
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, headless=False, args=FLAGS, env=environment)
        page = browser.new_page()
        # Screens may only be captured by pages that count as secure, as this machine's own do.
        page.route("http://localhost/", lambda route: route.fulfill(body="<title>A screen</title>", content_type="text/html"))
        page.goto("http://localhost/")
        try:
            answer(page, arguments)
        except KeyboardInterrupt:
            pass
        browser.close()


if __name__ == "__main__":
    main()
