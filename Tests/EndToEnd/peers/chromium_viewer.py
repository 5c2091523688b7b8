"""Debian's Chromium, headless, at the viewer page: what does a person see there? One JSON object a line on stdout.

    {"event": "state", "state": "..."}       each change of what the page says is happening
    {"event": "narrow", "shown": ...}        whether it says that the connection takes too little
    {"event": "first", "ms": ..., "width": ..., "height": ...}      from opening the page to the first picture shown;
                                             "sincePostMs" from its POST; "loaded", [path, bytes that
                                             came, bytes of it] of each thing that was asked for until then
    {"event": "summary", "frames": ..., "colours": [[r, g, b], ...],
                                             "videos": [...], "problems": [...]}
                                             "fps" from the first picture to the last;
                                             "longestGapMs" between two pictures; "longestGapEnded", when that was,
                                             milliseconds since 1970

--probe X,Y (fractions) reads colours from the picture through a canvas. A line on stdin is a command while it runs:
"screenshot PATH", "colours", "key K", "click", "sound", "sync SECONDS", "inbound", "pictures", "quit".

    {"event": "sound", "frequency": ..., "level": ..., "sides": [...], "muted": ..., "saysMuted": ...}
                                             of what comes, by an analyser node; "sides" has frequency and level of
                                             left and right, and what stands beside it is the left's; "muted" is the
                                             player
    {"event": "inbound", "report": {...}}    the browser's own figures of the video
    {"event": "pictures", "pictures": [[at, drawn], ...]}           with --timecode: when each was shown, milliseconds
                                             since 1970, and what screensource's clock in it says
"""

import argparse
import json
import os
import queue
import sys
import threading
import time
from pathlib import Path

from playwright.sync_api import sync_playwright

TIMECODE = Path(__file__).resolve().parents[2] / "Support/screensource/timecode.js"
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
FLAGS = [
    "--no-sandbox",
    "--autoplay-policy=no-user-gesture-required",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
]

# Counts what is really shown, and remembers when the first picture was.
COUNTER = """() => {
  window.seen = { frames: 0, first: null, last: null, longest: 0, longestEnded: null, posted: null };
  const Plain = window.RTCPeerConnection;
  window.RTCPeerConnection = class extends Plain {
    constructor(...settings) { super(...settings); window.peer = this; }
  };
  const plain = window.fetch;
  window.fetch = (...request) => {
    if (request[1]?.method === "POST") window.seen.posted = performance.now();
    if (window.offers) request[1] = { ...request[1], body: window.offers(request[1]?.body) };
    return plain.apply(window, request);
  };
  const watch = video => {
    const step = now => {
      const seen = window.seen;
      if (seen.last !== null && now - seen.last > seen.longest) {
        seen.longest = now - seen.last; seen.longestEnded = performance.timeOrigin + now;
      }
      seen.first ??= now; seen.last = now; seen.frames += 1;
      video.requestVideoFrameCallback(step);
    };
    video.requestVideoFrameCallback(step);
  };
  const find = () => {
    const video = document.querySelector("video");
    if (video) watch(video); else setTimeout(find, 10);
  };
  find();
}"""

# Offers feedback by RFC 8888 alone.
CCFB_FLAG = "--force-fieldtrials=WebRTC-RFC8888CongestionControlFeedback/Enabled,offer:true/"
CCFB = """() => {
  window.offers = body => typeof body !== "string" ? body : body.split("\\r\\n").filter(line =>
    !line.includes("transport-cc") && !line.includes("transport-wide-cc-extensions")).join("\\r\\n");
}"""

LOADED = """() => performance.getEntriesByType("resource").map(entry =>
  [new URL(entry.name).pathname, entry.encodedBodySize, entry.decodedBodySize])"""

COLOURS = """places => {
  const video = document.querySelector("video"), canvas = document.createElement("canvas");
  canvas.width = video.videoWidth; canvas.height = video.videoHeight;
  const context = canvas.getContext("2d", { willReadFrequently: true });
  context.drawImage(video, 0, 0);
  return places.map(([x, y]) => {
    const side = 9, left = Math.floor(x * canvas.width) - 4, top = Math.floor(y * canvas.height) - 4;
    const data = context.getImageData(Math.max(0, left), Math.max(0, top), side, side).data;
    const sum = [0, 0, 0];
    for (let i = 0; i < data.length; i += 4) for (let k = 0; k < 3; k++) sum[k] += data[i + k];
    return sum.map(value => Math.round(value / (data.length / 4) * 10) / 10);
  });
}"""

# The loudest frequency and its level, of both channels; the tap stays for later looks.
SOUND = """async () => {
  const video = document.querySelector("video"), track = video.srcObject?.getAudioTracks()[0];
  const none = { frequency: 0, level: 0, sides: [] };
  const shown = { muted: video.muted, saysMuted: document.getElementById("muted")?.hidden === false };
  if (!track) return { ...none, ...shown };
  if (window.tap?.track !== track) {
    const context = new AudioContext(), splitter = context.createChannelSplitter(2);
    await context.resume();
    context.createMediaStreamSource(new MediaStream([track])).connect(splitter);
    const analysers = [0, 1].map(channel => {
      const analyser = context.createAnalyser();
      analyser.fftSize = 8192; analyser.smoothingTimeConstant = 0;
      splitter.connect(analyser, channel);
      return analyser;
    });
    window.tap = { track, context, analysers };
    await new Promise(resolve => setTimeout(resolve, 300));
  }
  const { context, analysers } = window.tap;
  const heard = analysers.map(analyser => {
    const bins = new Float32Array(analyser.frequencyBinCount), samples = new Float32Array(analyser.fftSize);
    analyser.getFloatFrequencyData(bins);
    analyser.getFloatTimeDomainData(samples);
    const best = bins.indexOf(Math.max(...bins));
    return {
      frequency: best * context.sampleRate / analyser.fftSize,
      level: Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length),
    };
  });
  return { ...heard[0], sides: heard, ...shown };
}"""

# By how many milliseconds the picture that is shown is older than the sound that is heard, by the sharer's clock: the
# browser's own figures (estimatedPlayoutTimestamp of both streams, W3C WebRTC statistics), ten times a second.
SYNC = """async seconds => {
  const lags = [];
  for (let i = 0; i < seconds * 10; i++) {
    const times = {};
    for (const report of (await window.peer.getStats()).values())
      if (report.type === "inbound-rtp") times[report.kind] = report.estimatedPlayoutTimestamp;
    if (times.audio && times.video) lags.push(times.audio - times.video);
    await new Promise(resolve => setTimeout(resolve, 100));
  }
  const at = (values, share) => values.sort((a, b) => a - b)[Math.ceil(values.length * share) - 1];
  return { count: lags.length, median: at([...lags], 0.5), p95: at(lags.map(Math.abs), 0.95) };
}"""

INBOUND = """async () => {
  for (const report of (await window.peer.getStats()).values())
    if (report.type === "inbound-rtp" && report.kind === "video") return report;
  return {};
}"""

# Reads the clock of each picture that is shown, from a copy of its corner: two rows of twenty blocks.
CLOCK = """() => {
  window.pictures = [];
  const canvas = document.createElement("canvas");
  const context = canvas.getContext("2d", { willReadFrequently: true });
  const step = video => video.requestVideoFrameCallback(now => {
    step(video);
    const block = 24 * video.videoWidth / 1920, width = Math.ceil(20 * block), height = Math.ceil(2 * block);
    if (canvas.width !== width) { canvas.width = width; canvas.height = height; }
    context.drawImage(video, 0, 0, width, height, 0, 0, width, height);
    const data = context.getImageData(0, 0, width, height).data;
    window.pictures.push([performance.timeOrigin + now, decodeTimecode(data, 4 * width, block, 4)]);
  });
  const find = () => {
    const video = document.querySelector("video");
    if (video) step(video); else setTimeout(find, 10);
  };
  find();
}"""

LOOK = """() => {
  const video = document.querySelector("video");
  return {
    seen: window.seen, width: video?.videoWidth ?? 0, height: video?.videoHeight ?? 0,
    state: document.body?.dataset.state ?? "", title: document.title,
    narrow: document.getElementById("narrow")?.hidden === false,
    overflow: document.documentElement.scrollWidth > window.innerWidth,
  };
}"""


VIDEOS = """() => [...document.querySelectorAll("video")].map(video => ({
  name: video.id, width: video.videoWidth, height: video.videoHeight,
  frames: video.getVideoPlaybackQuality().totalVideoFrames,
}))"""


def report(event, **values):
    print(json.dumps({"event": event, **values}), flush=True)


def place(text):
    x, y = text.split(",")
    return [float(x), float(y)]


def rate(seen):
    """Pictures a second, from the first to the last."""
    span = (seen["last"] - seen["first"]) / 1000 if seen["frames"] > 1 else 0
    return round((seen["frames"] - 1) / span, 2) if span else 0


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--page", required=True)
    parser.add_argument("--duration", type=float, default=10, help="seconds after opening the page")
    parser.add_argument("--frames", type=int, default=0, help="end once so many pictures were shown")
    parser.add_argument("--probe", action="append", default=[], type=place, metavar="X,Y")
    parser.add_argument("--screenshot", metavar="PATH")
    parser.add_argument("--size", default="1280x800", help="of the browser window")
    parser.add_argument("--timecode", action="store_true", help="read screensource's clock from each picture")
    parser.add_argument("--ccfb", action="store_true", help="offer feedback by RFC 8888, and no transport-wide numbers")
    parser.add_argument("--scheme", choices=("light", "dark"), default="light")
    return parser.parse_args()


class Watcher:
    """The page, looked at fifty times a second."""

    def __init__(self, page, arguments):
        self.page, self.arguments = page, arguments
        self.state, self.first, self.narrow = None, False, False
        self.problems = []
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("console", lambda message: message.type == "error" and self.problems.append(message.text))

    def look(self):
        look = self.page.evaluate(LOOK)
        if look["state"] != self.state:
            self.state = look["state"]
            report("state", state=look["state"], title=look["title"])
        if look["narrow"] != self.narrow:
            self.narrow = look["narrow"]
            report("narrow", shown=look["narrow"])
        seen = look["seen"] or {"frames": 0, "first": None}
        if seen["first"] is not None and not self.first:
            self.first = True
            since_post = seen["posted"] and round(seen["first"] - seen["posted"], 1)
            size = {"width": look["width"], "height": look["height"]}
            loaded = self.page.evaluate(LOADED)
            report("first", ms=round(seen["first"], 1), sincePostMs=since_post, loaded=loaded, **size)
        return look

    def colours(self):
        return self.page.evaluate(COLOURS, self.arguments.probe)

    def obey(self, line):
        verb, _, rest = line.strip().partition(" ")
        if verb == "screenshot":
            self.page.wait_for_timeout(500)  # what fades has faded
            self.page.screenshot(path=rest)
        elif verb == "colours":
            report("colours", colours=self.colours())
        elif verb == "sound":
            report("sound", **self.page.evaluate(SOUND))
        elif verb == "sync":
            report("sync", **self.page.evaluate(SYNC, float(rest)))
        elif verb == "inbound":
            report("inbound", report=self.page.evaluate(INBOUND))
        elif verb == "pictures":
            report("pictures", pictures=self.page.evaluate("() => window.pictures"))
        elif verb == "pause":
            self.page.evaluate("() => document.querySelector('video').pause()")
        elif verb == "click":
            self.page.mouse.click(200, 200)
        elif verb == "key":
            self.page.keyboard.press(rest)
        report("done", command=line.strip())
        return verb != "quit"

    def run(self):
        lines = queue.SimpleQueue()
        threading.Thread(target=lambda: [lines.put(line) for line in sys.stdin], daemon=True).start()
        over = time.monotonic() + self.arguments.duration
        look = self.look()
        while time.monotonic() < over:
            look = self.look()
            if self.arguments.frames and look["seen"]["frames"] >= self.arguments.frames:
                break
            if not lines.empty() and not self.obey(lines.get()):
                break
            self.page.wait_for_timeout(20)
        self.finish(look)

    def finish(self, look):
        if self.arguments.screenshot:
            self.page.screenshot(path=self.arguments.screenshot)
        report(
            "summary",
            frames=look["seen"]["frames"],
            fps=rate(look["seen"]),
            longestGapMs=round(look["seen"]["longest"], 1),
            longestGapEnded=look["seen"]["longestEnded"],
            width=look["width"],
            height=look["height"],
            state=look["state"],
            overflow=look["overflow"],
            videos=self.page.evaluate(VIDEOS),
            colours=self.colours() if self.arguments.probe and look["width"] else [],
            problems=self.problems,
        )


def main():
    arguments = parse()
    width, height = map(int, arguments.size.split("x"))
    with sync_playwright() as playwright:
        flags = [*FLAGS, CCFB_FLAG] if arguments.ccfb else FLAGS
        browser = playwright.chromium.launch(executable_path=CHROMIUM, headless=True, args=flags)
        context = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=arguments.scheme, service_workers="block"
        )
        page = context.new_page()
        page.add_init_script(f"({COUNTER})()")
        if arguments.ccfb:
            page.add_init_script(f"({CCFB})()")
        if arguments.timecode:
            page.add_init_script(f"{TIMECODE.read_text()}\n({CLOCK})()")
        watcher = Watcher(page, arguments)
        page.goto(arguments.page)
        watcher.run()
        browser.close()


if __name__ == "__main__":
    main()
