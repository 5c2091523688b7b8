"""Sound: how late it is, how far from the picture, what is lost of it, and what it takes. Against bounds alone.

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
        stage.start(server.play, sound.tone(440, seconds + 30))
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
        stage.start(server.play, sound.tone(440, seconds + 30))
        stage.start(
            sharer.Sharer, lab["a"], "--test-pattern", "--open", listen="0.0.0.0:8080", env=server.env)
        whep = f"http://{Lab.ADDRESSES['a']}:8080/v1/rooms/demo/whep"
        last = stage.view(lab["b"], whep, seconds, "--audio", scratch_file(".opus"))
        return last["soundLost"] / last["sound"]


def cpu(seconds, repeats):
    """The sharer's time with both sources, less that without sound, on a still screen; as a share of a core."""
    found = []
    for _ in range(repeats):
        with Bench("still") as bench:
            server = sound.SoundServer()
            bench.callback(server.kill)
            for device in ("speaker", "cable"):
                playing = server.play(sound.tone(440, 2 * seconds + 60), device)
                bench.callback(playing.kill)
            taken = [once(bench, server, choice, seconds) for choice in ("none", "both")]
            found.append(taken[1] - taken[0])
    return median(found)


def once(bench, server, choice, seconds):
    host = sharer.Sharer(bench.lan, "--display", bench.display.name, "--audio", choice, env=server.env)
    try:
        with open(scratch_file(".out"), "wb") as output:
            viewer = sharer.view(
                bench.lan, "--audio", scratch_file(".opus"), output=output, whep=host.whep)
            viewer.wait_for("First picture", 15)
            time.sleep(SETTLE)
            before = processor_seconds(host.process.pid)
            time.sleep(seconds)
            after = processor_seconds(host.process.pid)
            viewer.stop()
    finally:
        host.kill()
    return (after - before) / seconds
