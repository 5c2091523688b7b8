"""Sound: how late it is, how far from the picture, what is lost of it, and what it takes.

Times are the viewer's own: when a picture is to be shown and sound to be heard, against the moments of capture that the
sharer reports. Both ends are on one machine, and so on one clock.
"""

import contextlib
import time

from bench import Bench
from measure import median, processor_seconds

from harness import sharer, sound
from harness.examples import Example
from harness.networks import Lab, Lan
from harness.paths import scratch_file
from harness.processes import Process

# A packet of 20 ms, and Opus' look-ahead.
CODEC_DELAY = 26.5
SETTLE = 4.0


class Stage(contextlib.ExitStack):
    """Everything that is started in here ends with it."""

    def start(self, kind, *arguments, **settings):
        made = kind(*arguments, **settings)
        self.callback(made.kill)
        return made

    def close_later(self, made):
        self.callback(made.close)
        return made

    def view(self, place, whep, seconds, *options):
        """A viewer's last word."""
        with open(scratch_file(".out"), "wb") as output:
            viewer = self.start(
                sharer.view, place, "--duration", str(seconds), *options, output=output, whep=whep)
            viewer.wait(seconds + 20)
        return viewer.statistics.last

    def flashing(self, place, listen="127.0.0.1:8080"):
        server = self.start(sharer.Server, place, listen=listen)
        self.start(Example, place, "FlashAndClick").process.wait_for("Open http", 15, key="out")
        return server.base


def delay(seconds):
    """From the moment that a sound server hands sound over until it is decoded in a viewer; and since it was heard."""
    with Stage() as stage:
        lan = stage.close_later(Lan())
        server = stage.start(sound.SoundServer)
        stage.start(server.play, sound.tone(440, seconds + 30), latency=20)
        host = stage.start(sharer.Sharer, lan, "--test-pattern", env=server.env)
        last = stage.view(lan, host.whep, seconds, "--audio", scratch_file(".wav"))
        sharers = [line["sound"]["system"] for line in host.statistics.all() if "system" in line["sound"]][-1]
        handed = last["audioDelayMs"] - sharers["delayMs"] + sharers["waitMs"]
        return {"heardMs": last["audioDelayMs"], "ms": handed, "ratio": handed / CODEC_DELAY}


LINKS = {"clean link": None, "5 % lost, round trip 50 ms": ("both", "loss=5%", "delay=25ms")}


def lag(link, seconds):
    """By how much picture and sound are apart, 95 %: in our viewer and in Chromium."""
    with Stage() as stage:
        if LINKS[link] is None:
            here = there = stage.close_later(Lan())
            base = stage.flashing(here)
        else:
            lab = stage.close_later(Lab(*LINKS[link]))
            here, there = lab["a"], lab["b"]
            stage.flashing(here, "0.0.0.0:8080")
            base = f"http://{Lab.ADDRESSES['a']}:8080"
        last = stage.view(there, f"{base}/v1/rooms/demo/whep", seconds, "--audio", scratch_file(".wav"))
        browser = stage.start(
            sharer.chromium, there, f"{base}/r/demo", "--duration", str(seconds + 30), stdin=-1)
        browser.wait_for_state("live", 20)
        browser.command_line("click")
        browser.command_line("sync 5")  # its own delays settle
        browser.command_line(f"sync {min(seconds, 12)}")
        chromium = browser.events("sync")[-1]
        return {"view": last["videoLag95Ms"], "chromium": chromium["p95"], "chromiumMedian": chromium["median"]}


def concealed(seconds):
    """What share of the sound has to be guessed where every tenth packet is lost."""
    with Stage() as stage:
        lab = stage.close_later(Lab("both", "loss=10%", "delay=25ms"))
        server = stage.start(sound.SoundServer)
        stage.start(server.play, sound.tone(440, seconds + 30), latency=20)
        stage.start(
            sharer.Sharer, lab["a"], "--test-pattern", "--open", listen="0.0.0.0:8080", env=server.env)
        whep = f"http://{Lab.ADDRESSES['a']}:8080/v1/rooms/demo/whep"
        last = stage.view(lab["b"], whep, seconds, "--audio", scratch_file(".opus"))
        return last["soundLost"] / last["sound"]


def cpu(which, seconds, repeats):
    """What capturing, mixing, encoding, encrypting and sending both sources takes, as a share of a core.

    Of ours: the sharer's time less that without sound, on a still screen, with one viewer.
    """
    found = []
    for _ in range(repeats):
        with Bench("still") as bench:
            server = sound.SoundServer()
            bench.callback(server.kill)
            for device in ("speaker", "cable"):
                playing = server.play(sound.tone(440, 2 * seconds + 60), device, latency=20)
                bench.callback(playing.kill)
            if which == "ours":
                taken = [once(bench, server, choice, seconds) for choice in ("none", "both")]
                found.append(taken[1] - taken[0])
            else:
                found.append(pipeline(server, seconds))
    return median(found)


# The devices' own formats, pieces of 10 ms, and what our sharer sends; without feedback, and to a port nobody reads.
DEVICE = (
    "pulsesrc device={} buffer-time=40000 latency-time=10000 ! audio/x-raw,rate={},channels=2 ! queue ! audioconvert "
    "! audioresample ! audio/x-raw,rate=48000,format=F32LE ! mix."
)
SENDING = (
    "audiomixer name=mix ! audioconvert ! opusenc bitrate=96000 ! rtpopuspay "
    "! application/x-rtp,ssrc=(uint)1 ! srtpenc key={} ! udpsink host=127.0.0.1 port=9 sync=false async=false"
)
MASTER_KEY = "5a" * 30


def pipeline(server, seconds):
    """GStreamer's own elements, by hand."""
    words = [SENDING.format(MASTER_KEY), DEVICE.format("speaker.monitor", 48_000), DEVICE.format("microphone", 44_100)]
    command = ["gst-launch-1.0", "--quiet", *" ".join(words).split()]
    process = Process(command, name="gst-launch-1.0", env=server.env)
    try:
        return busy(process, seconds)
    finally:
        process.kill()


def busy(process, seconds):
    """The share of a core that a process takes once it has settled."""
    time.sleep(SETTLE)
    before = processor_seconds(process.pid)
    time.sleep(seconds)
    return (processor_seconds(process.pid) - before) / seconds


def once(bench, server, choice, seconds):
    host = sharer.Sharer(bench.lan, "--display", bench.display.name, "--audio", choice, env=server.env)
    try:
        with open(scratch_file(".out"), "wb") as output:
            viewer = sharer.view(
                bench.lan, "--audio", scratch_file(".opus"), output=output, whep=host.whep)
            viewer.wait_for("First picture", 15)
            taken = busy(host.process, seconds)
            viewer.stop()
            return taken
    finally:
        host.kill()
