"""How text looks while it gets sharp: crops of a page as a viewer has it 0.3, 0.8, 1.5 and 4 s after it was shown.

    .venv/bin/python Benchmarks/crops.py [--link 2M] [--page B] [--crop X,Y] [--again] [--output Docs/text-crops.png]

One screen of pages (Tests/Support/textsource), shared by `screenshare` and then by Chromium's own getDisplayMedia, each
told 0.93 of what the link between carries. The viewer is Chromium for both, because its feedback is what Chromium
sends by; each frame is recorded as it is put together, and decoded afterwards. Prints medians of the four pages too.
"""

import argparse
import base64
import contextlib
import functools
import json
import math
import os
import queue
import subprocess
import sys
import time
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from statistics import median
from threading import Thread

import av
import numpy
from PIL import Image, ImageDraw, ImageFont
from playwright.sync_api import sync_playwright

sys.path.insert(0, str(Path(__file__).resolve().parent))

import pages  # noqa: E402

from harness import sharer  # noqa: E402
from harness.displays import Display  # noqa: E402
from harness.networks import Lab  # noqa: E402
from harness.paths import ARTIFACTS, ROOT, SUPPORT, VENV_PYTHON, support  # noqa: E402
from harness.processes import Peer, Process  # noqa: E402

MOMENTS = (0.3, 0.8, 1.5, 4.0)
CROP = (240, 120)
SHARE = 0.93
PORT = 8080
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update",
    "--autoplay-policy=no-user-gesture-required", "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding", "--disable-features=WebRtcHideLocalIpsWithMdns",
    "--auto-select-desktop-capture-source=Entire screen",
]

COMMON = """
const h264 = kind => kind.getCapabilities("video").codecs.filter(codec =>
  codec.mimeType === "video/H264" && /packetization-mode=1/.test(codec.sdpFmtpLine));
const gathered = connection => new Promise(done => {
  const look = () => connection.iceGatheringState === "complete" && done(connection.localDescription.sdp);
  connection.onicegatheringstatechange = look; look();
});
"""

SHARER = COMMON + """
let track;
async function capture() {
  const video = { width: 1920, height: 1080, frameRate: 30, cursor: "never", displaySurface: "monitor" };
  [track] = (await navigator.mediaDevices.getDisplayMedia({ video })).getVideoTracks();
  track.contentHint = "detail";
}
async function answer({ offer, bitrate }) {
  const connection = window.connection = new RTCPeerConnection();
  await connection.setRemoteDescription({ type: "offer", sdp: offer });
  const sender = connection.addTrack(track);
  connection.getTransceivers()[0].setCodecPreferences(h264(RTCRtpSender));
  await connection.setLocalDescription(await connection.createAnswer());
  const parameters = sender.getParameters();
  parameters.degradationPreference = "maintain-resolution";
  parameters.encodings[0].maxBitrate = bitrate;
  await sender.setParameters(parameters);
  return await gathered(connection);
}
"""

# Records as pages.recorded reads: microseconds since 1970 and the length, little-endian, then the frame.
VIEWER = COMMON + """
const worker = new Worker(URL.createObjectURL(new Blob([`
  onrtctransform = ({ transformer }) => transformer.readable.pipeThrough(new TransformStream({
    transform(frame, controller) {
      const at = BigInt(Math.round((performance.timeOrigin + performance.now()) * 1000));
      const record = new Uint8Array(12 + frame.data.byteLength), view = new DataView(record.buffer);
      view.setBigUint64(0, at, true); view.setUint32(8, frame.data.byteLength, true);
      record.set(new Uint8Array(frame.data), 12);
      postMessage(record);
      controller.enqueue(frame);
    }
  })).pipeTo(transformer.writable);
`])));
const records = [];
worker.onmessage = ({ data }) => records.push(data);
const connection = new RTCPeerConnection();
async function offer() {
  const transceiver = connection.addTransceiver("video", { direction: "recvonly" });
  transceiver.setCodecPreferences(h264(RTCRtpReceiver));
  transceiver.receiver.transform = new RTCRtpScriptTransform(worker);
  const video = document.body.appendChild(document.createElement("video"));
  video.muted = true;
  video.srcObject = new MediaStream([transceiver.receiver.track]);
  await connection.setLocalDescription(await connection.createOffer());
  const sdp = await gathered(connection);
  video.play();
  return sdp;
}
const join = sdp => connection.setRemoteDescription({ type: "answer", sdp });
const take = () => new Promise(done => {
  const reader = new FileReader();
  reader.onload = () => done(reader.result.split(",")[1]);
  reader.readAsDataURL(new Blob(records.splice(0)));
});
"""


# Programs of their own, each with a browser in its network.


@contextlib.contextmanager
def browser(script, headless):
    """A page with a script in it, at an address that browsers take for secure."""
    with sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=CHROMIUM, headless=headless, args=FLAGS)
        page = made.new_page()
        text = f"<!doctype html><meta charset=utf-8><body><script>{script}</script>"
        page.route("**/*", lambda route: route.fulfill(body=text, content_type="text/html"))
        page.goto("http://localhost/")
        yield page
        made.close()


def report(event, **values):
    print(json.dumps({"event": event, **values}), flush=True)


def be_sharer(address, bitrate):
    """Shares the screen of $DISPLAY with whoever posts an offer."""
    offers = queue.SimpleQueue()

    class Whep(BaseHTTPRequestHandler):
        def do_POST(self):
            answers = queue.SimpleQueue()
            offers.put((self.rfile.read(int(self.headers["Content-Length"])).decode(), answers))
            self.send_response(201)
            self.send_header("Location", "/")
            self.end_headers()
            self.wfile.write(answers.get().encode())

    server = ThreadingHTTPServer((address, PORT), Whep)
    Thread(target=server.serve_forever, daemon=True).start()
    with browser(SHARER, headless=False) as page:
        page.evaluate("capture()")
        report("ready")
        while True:
            page.wait_for_timeout(20)
            if not offers.empty():
                sdp, answers = offers.get()
                answers.put(page.evaluate("told => answer(told)", {"offer": sdp, "bitrate": bitrate}))


def be_viewer(whep, path):
    """Records what comes until a line is read from stdin."""
    with browser(VIEWER, headless=True) as page:
        request = urllib.request.Request(whep, page.evaluate("offer()").encode(), {"Content-Type": "application/sdp"})
        with urllib.request.urlopen(request, timeout=20) as response:
            page.evaluate("sdp => join(sdp)", response.read().decode())
        report("joined")
        (ended := Thread(target=sys.stdin.readline, daemon=True)).start()
        with open(path, "wb") as record:
            while ended.is_alive():
                page.wait_for_timeout(500)
                record.write(base64.b64decode(page.evaluate("take()") or ""))
    report("done")


# The measurement.


def recording(which):
    return ARTIFACTS / f"bench/crops-{which}.record"


def drawn():
    """Where the pages are."""
    folder = ARTIFACTS / "bench/pages-1920x1080"
    if not (folder / "pages.json").exists():
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run([VENV_PYTHON, SUPPORT / "textsource/pages.py", folder], check=True)
    return folder


class Narrow(contextlib.ExitStack):
    """A sharer of a screen of pages, and a viewer behind a link of so many bits a second."""

    def __init__(self, which, link):
        super().__init__()
        self.lab = self.kept(Lab(), "close")
        self.lab.set("up", f"rate={link}bit")
        self.display = self.kept(Display(1920, 1080), "close")
        files = [drawn() / f"{name}.ppm" for name in pages.NAMES]
        command = [support("textsource"), "--display", self.display.name, *files]
        whep = self.share(which, int(link * SHARE))
        self.source = self.kept(Process(command, name="textsource", stdin=subprocess.PIPE))
        self.source.wait_for("READY", 10, key="out")
        self.viewer = self.start("b", ["--view", whep, recording(which)], stdin=subprocess.PIPE)
        self.viewer.event("joined", 30)
        time.sleep(8)

    def kept(self, made, end="kill"):
        self.callback(getattr(made, end))
        return made

    def start(self, side, options, **settings):
        command = self.lab[side].command([VENV_PYTHON, __file__, *options])
        return self.kept(Peer(command, name=options[0], **settings))

    def share(self, which, bitrate):
        place = self.lab["a"]
        if which == "screenshare":
            options = ["--display", self.display.name, "--open", "--bitrate", str(bitrate), "--size", "native"]
            return self.kept(sharer.Sharer(place, *options, listen=f"{place.address}:{PORT}")).whep
        made = self.start("a", ["--share", place.address, bitrate], env={"DISPLAY": self.display.name})
        made.event("ready", 30)
        return f"http://{place.address}:{PORT}/"

    def show(self, name, seconds):
        """When it was shown, in microseconds since 1970."""
        self.source.child.stdin.write(f"show {pages.NAMES.index(name)}\n".encode())
        self.source.child.stdin.flush()
        time.sleep(seconds)
        return int(self.source.text("out").split()[-1])


class Page(pages.Page):
    """A known page, in colour too."""

    def __init__(self, name):
        super().__init__(drawn(), name, ocr=None)
        self.image = Image.open(drawn() / f"{name}.png").convert("RGB")

    def see_by(self, weights):
        """Luma by another matrix."""
        self.luma = 16 + (numpy.asarray(self.image, numpy.float32) @ numpy.array(weights, numpy.float32)) * 219 / 255


class Change(pages.Change):
    """The pictures after a page was shown; of each only what is needed is kept."""

    def __init__(self, page, at, others, corner):
        super().__init__(page, at, others)
        (self.x, self.y), self.crops = corner, []

    def take(self, at, size, frame):
        before = len(self.pictures)
        super().take(at, size, frame)
        if len(self.pictures) > before:
            self.pictures[-1]["luma"] = None
            self.keep(at, frame)

    def keep(self, at, frame):
        width, height = CROP
        crop = frame.to_ndarray(format="rgb24")[self.y : self.y + height, self.x : self.x + width]
        self.crops.append((at, Image.fromarray(crop)))

    @functools.cached_property
    def new(self):
        return super().new

    def crop(self, seconds):
        """What a viewer had that long after the page was shown, and whether it was that page."""
        crop = [crop for at, crop in self.crops if at <= self.at + seconds * 1e6][-1]
        return crop, bool(self.new) and self.new[0]["ms"] <= seconds * 1000


# BT.709 is what `screenshare` says in its stream; Chromium's is BT.601.
WEIGHTS = {1: (0.2126, 0.7152, 0.0722), 6: (0.299, 0.587, 0.114)}


def record(which, link, pause=6):
    """Shows each page once; when each was shown, and what arrived, go to files."""
    with Narrow(which, link) as narrow:
        shown = [(name, narrow.show(name, pause)) for name in pages.ORDER]
        narrow.viewer.go()
        narrow.viewer.event("done", 20)
    recording(which).with_suffix(".json").write_text(json.dumps(shown))


def changes(which, corner):
    """What was recorded, page by page."""
    known = {name: Page(name) for name in pages.NAMES}
    path = recording(which)
    shown = json.loads(path.with_suffix(".json").read_text())
    found = [Change(known[name], at, known, corner) for name, at in shown]
    ends = [at for _, at in shown[1:]] + [float("inf")]
    previous = None
    for at, size, frame in decoded(path):
        if previous is None:
            for page in known.values():
                page.see_by(WEIGHTS.get(frame.colorspace, WEIGHTS[6]))
        change = next((change for change, end in zip(found, ends) if change.at <= at < end), None)
        if change:
            if not change.crops:
                change.keep(change.at, previous)
            change.take(at, size, frame)
        previous = frame
    return found


def decoded(path):
    decoder = av.CodecContext.create("h264", "r")
    decoder.thread_count = 1
    decoder.flags |= av.codec.context.Flags.low_delay
    for at, unit in pages.recorded(path):
        for frame in decoder.decode(av.Packet(unit)):
            # A sharer may make it smaller than it is; a viewer sees it as large.
            yield at, len(unit), frame if frame.width == 1920 else frame.reformat(1920, 1080, interpolation="BICUBIC")


def figures(found):
    """Medians over the pages, in ms; a page that never got there counts as infinitely late."""

    def middle(values):
        return f"{median([math.inf if value is None else value for value in values]):.0f}"

    return {
        "first": middle([change.new[0]["ms"] if change.new else None for change in found]),
        "0.98": middle([change.reaches(0.98) for change in found]),
        "0.99": middle([change.reaches(0.99) for change in found]),
        "bytes": middle([change.bytes for change in found]),
    }


# The picture.

GAP, LEFT, TOP = 16, 215, 52


def sheet(page, corner, found, caption):
    (x, y), (width, height), rows = corner, (2 * side for side in CROP), ["original", *found]
    image = Image.new("RGB", (LEFT + len(MOMENTS) * (width + GAP), TOP + len(rows) * (height + GAP) + TOP), "white")
    draw = ImageDraw.Draw(image)
    plain, bold = (ImageFont.truetype(f"DejaVuSans{style}.ttf", 26) for style in ("", "-Bold"))
    original = page.image.crop((x, y, x + CROP[0], y + CROP[1]))
    for row, name in enumerate(rows):
        top = TOP + row * (height + GAP)
        draw.text((GAP, top + height // 2 - 16), name, "black", bold)
        for column, seconds in enumerate(MOMENTS):
            left = LEFT + column * (width + GAP)
            if row == 0:
                draw.text((left, GAP), f"after {seconds:g} s", "black", plain)
            crop, is_new = found[name].crop(seconds) if row else (original, True)
            image.paste(crop.resize((width, height), Image.Resampling.NEAREST), (left, top))
            draw.rectangle((left - 1, top - 1, left + width, top + height), outline="silver")
            if not is_new:
                draw.rectangle((left, top, left + 280, top + 36), fill="white")
                draw.text((left + 8, top + 2), "still the page before", "black", plain)
    draw.text((GAP, image.height - TOP + 4), caption, "black", plain)
    return image


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--link", type=lambda text: int(float(text.rstrip("M")) * 1e6), default=2_000_000)
    parser.add_argument("--page", choices=pages.ORDER, default="B")
    parser.add_argument("--crop", type=lambda text: tuple(map(int, text.split(","))), default=(56, 352))
    parser.add_argument("--again", action="store_true", help="make another picture of what was recorded last")
    parser.add_argument("--output", type=Path, default=ROOT / "Docs/text-crops.png")
    parser.add_argument("--share", nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("--view", nargs=2, help=argparse.SUPPRESS)
    return parser.parse_args()


def main():
    arguments = parse()
    if arguments.share:
        return be_sharer(arguments.share[0], int(arguments.share[1]))
    if arguments.view:
        return be_viewer(*arguments.view)
    found = {}
    for which in ("screenshare", "Chromium"):
        if not arguments.again:
            record(which, arguments.link)
        measured = changes(which, arguments.crop)
        print(which, json.dumps(figures(measured)), flush=True)
        found[which] = measured[pages.ORDER.index(arguments.page)]
    link = f"behind {arguments.link / 1e6:g} Mbit/s, of which both may use {SHARE}"
    caption = f"{CROP[0]}×{CROP[1]} pixels of 1920×1080, twice as large, {link}"
    picture = sheet(found["screenshare"].page, arguments.crop, found, caption)
    picture.quantize(256).save(arguments.output, optimize=True)


if __name__ == "__main__":
    main()
