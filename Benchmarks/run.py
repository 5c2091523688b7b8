"""The project's figures on this machine: `screenshare host` beside GStreamer, same run, same screen, same viewers.

    make bench                            everything, about an hour and three quarters
    make bench ARGS="--quick"             fewer repeats, about twenty-five minutes
    make bench ARGS="--only cpu,join"     some of cpu, latency, memory, footprint, join, opening, crowd, viewers, pages,
                                          smallprint, comeback, cadence, content, pictures, sound, isolation, networks,
                                          flows
    make bench ARGS="--sharers gstreamer" one side only

Ends with a table in Markdown; all numbers are in .build-artifacts/bench/result.json. Nothing else should run meanwhile.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import cadence  # noqa: E402
import content  # noqa: E402
import figures  # noqa: E402
import flows  # noqa: E402
import footprint  # noqa: E402
import isolation  # noqa: E402
import networks  # noqa: E402
import opening  # noqa: E402
import pages  # noqa: E402
import sound  # noqa: E402
from bench import NAMES  # noqa: E402
from measure import machine  # noqa: E402
from report import SMALL_PRINT_LINK, table  # noqa: E402

from harness.paths import ARTIFACTS, ROOT, SYSTEM_PYTHON, MissingBinary, screenshare  # noqa: E402, F401

PARTS = (
    "cpu", "latency", "memory", "footprint", "join", "opening", "crowd", "viewers", "pages", "smallprint", "comeback", "cadence",
    "content", "pictures", "sound", "isolation", "networks", "flows",
)
REPEATS = {"cpu": 3, "latency": 6, "join": 20, "opening": 6, "viewers": 5, "pages": 3, "pictures": 5}
QUICK = {"cpu": 1, "latency": 2, "join": 8, "opening": 3, "viewers": 1, "pages": 1, "pictures": 2}
# How long is looked at; of films with edits, how many of those.
REPEATS["seconds"] = {
    "judder": 60, "lost": (300, 20), "desktop": 1800, "content": 30, "pictures": 10, "sound": 60, "isolation": 20,
}
QUICK["seconds"] = {
    "judder": 15, "lost": (40, 3), "desktop": 120, "content": 12, "pictures": 6, "sound": 20, "isolation": 10,
}
# Of a network; of some it is said for how long.
REPEATS["seconds"]["networks"], QUICK["seconds"]["networks"] = 50, 24
BESIDE_TCP = ("rfc8867-5.6", "rfc8867-5.6, cubic", "rfc8867-5.6, bbr")
NETWORK_SECONDS = {"loss5": 600, "rfc8867-5.1": 100, **dict.fromkeys(BESIDE_TCP, 120)}


def say(text):
    print(f"[{time.strftime('%H:%M:%S')}] {text}", file=sys.stderr, flush=True)


class Run:
    """Goes through the parts; the two sharers take turns, so that neither has the quieter hour."""

    def __init__(self, sharers, repeats):
        self.sharers, self.repeats = sharers, repeats
        self.results = {"machine": machine()}
        self.dice = figures.seeded()

    def each(self, part, cases, measure):
        results = self.results.setdefault(part, {})
        for case in cases:
            for which in self.sharers:
                say(f"{part} {case or ''} {NAMES[which]}")
                value = measure(which, case)
                say(f"    {json.dumps(value)[:160]}")
                results.setdefault(case or "all", {})[which] = value

    def cpu(self):
        cases = ("still", "typing", "scrolling", "motion")
        self.each("cpu", cases, lambda which, case: figures.cpu(which, case, self.repeats["cpu"]))

    def latency(self):
        repeats = self.repeats["latency"]
        cases = ("typing", "scrolling", "motion")
        self.each("latency", cases, lambda which, case: figures.latency(which, case, repeats, self.dice))

    def memory(self):
        build = Path(ARTIFACTS / "bench/x264_memory")
        source = ROOT / "Benchmarks/x264_memory.c"
        subprocess.run(["cc", "-O2", "-o", str(build), str(source), "-lx264"], check=True)
        self.each("memory", ("1280x720", "1920x1080"), figures.peak_memory)
        for size, found in self.results["memory"].items():
            found["encoder"] = figures.encoder_memory(build, size, *ENCODER[size])

    def footprint(self):
        self.own("footprint", footprint.CASES, footprint.figures)

    def join(self):
        self.each("join", (None,), lambda which, _: figures.joins(which, self.repeats["join"]))

    def opening(self):
        self.own("opening", opening.CASES, lambda case: opening.figures(case, self.repeats["opening"]))

    def crowd(self):
        self.each("crowd", ("typing", "motion"), lambda which, content: figures.crowd(which, content, CROWD))

    def viewers(self):
        self.each("viewers", (None,), lambda which, _: figures.per_viewer(which, self.repeats["viewers"]))

    def pages(self):
        rounds = self.repeats["pages"]
        self.each("pages", LINKS, lambda which, link: pages.figures(which, link, rounds))

    def smallprint(self):
        """Of a low screen; of a high one that is among the pages."""
        rounds = self.repeats["pages"]
        self.each("smallprint", ("1280x720",), lambda which, size: pages.figures(which, SMALL_PRINT_LINK, rounds, size))

    def own(self, part, cases, measure):
        """What is held against bounds alone."""
        results = self.results.setdefault(part, {})
        for case in cases if "ours" in self.sharers else ():
            say(f"{part} {case}")
            results[case] = measure(case)
            say(f"    {json.dumps(results[case])[:240]}")

    def cadence(self):
        seconds = self.repeats["seconds"]
        self.own("judder", cadence.CASES, lambda case: cadence.judder(case, seconds["judder"]))
        self.own("lost", ("motion", "auto"), lambda mode: cadence.lost(mode, *seconds["lost"]))
        self.own("desktop", ("auto",), lambda _: cadence.desktop(seconds["desktop"]))
        if "24 drawn, --mode motion" in self.results["judder"]:
            plot = cadence.plot(self.results["judder"]["24 drawn, --mode motion"])
            (ARTIFACTS / "bench/cadence.svg").write_text(plot)

    def content(self):
        seconds = self.repeats["seconds"]["content"]
        self.own("content", content.CASES, lambda case: content.real(case, seconds))

    def pictures(self):
        seconds, repeats = self.repeats["seconds"]["pictures"], self.repeats["pictures"]
        self.own("pictures", content.PICTURES, lambda case: content.per_picture(case, seconds, repeats))

    def sound(self):
        seconds = self.repeats["seconds"]["sound"]
        self.own("soundDelay", ("all",), lambda _: sound.delay(seconds))
        self.own("soundLag", sound.LINKS, lambda link: sound.lag(link, seconds))
        self.own("soundConcealed", ("all",), lambda _: sound.concealed(seconds))
        self.each("soundCPU", (None,), lambda which, _: sound.cpu(which, seconds, self.repeats["cpu"]))

    def isolation(self):
        seconds = self.repeats["seconds"]["isolation"]
        self.own("isolation", isolation.CASES, lambda case: isolation.figures(case, seconds))

    def networks(self):
        """The sharers in turns, and ours seen in a browser as well."""
        results = self.results.setdefault("networks", {})
        people = [*self.sharers]
        people += ["chromium"] if "gstreamer" in self.sharers else []
        people += ["browser"] if "ours" in self.sharers else []
        for case in networks.OURS:
            for who in people:
                seconds = self.repeats["seconds"]["networks"]
                if who == "ours" and self.repeats is REPEATS:
                    seconds = NETWORK_SECONDS.get(case, seconds)
                if found := networks.figures(who, case, seconds):
                    say(f"networks {case} {who}: {json.dumps(found)[:160]}")
                    results.setdefault(case, {})[who] = found

    def flows(self):
        """Several shares on one link, for as long as the RFC says; in quick runs for 40 s."""
        seconds = None if self.repeats is REPEATS else 40
        self.own("flows", flows.CASES, lambda case: flows.figures(case, seconds))

    def comeback(self):
        self.each("comeback", (4_000_000,), pages.comeback)


# The preset and number of references that `screenshare` encodes with: what x264 alone takes is measured with them.
ENCODER = {"1280x720": ("ultrafast", 1), "1920x1080": ("ultrafast", 5)}
# Bits per second of the link that pages of text change behind.
LINKS = (2_000_000, 1_000_000)
# How many join within a second.
CROWD = 50


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", type=lambda text: text.split(","), default=list(PARTS))
    parser.add_argument("--sharers", type=lambda text: text.split(","), default=["gstreamer", "ours"])
    parser.add_argument("--quick", action="store_true")
    arguments = parser.parse_args()
    if unknown := set(arguments.only) - set(PARTS):
        parser.error(f"--only takes {', '.join(PARTS)}, not {', '.join(unknown)}")
    return arguments


def main():
    arguments = parse()
    if "ours" in arguments.sharers:
        try:
            os.environ.setdefault("SCREENSHARE", str(ROOT / ".build-release/release/screenshare"))
            say(f"measuring {screenshare()}")
        except MissingBinary as reason:
            sys.exit(f"bench: {reason} (make release)")
    folder = ARTIFACTS / "bench"
    folder.mkdir(parents=True, exist_ok=True)
    run = Run(arguments.sharers, QUICK if arguments.quick else REPEATS)
    if run.results["machine"]["loadBefore"] > 0.5:
        say(f"the machine is busy (load {run.results['machine']['loadBefore']:.1f}): the figures will show it")
    for part in PARTS:
        if part in arguments.only:
            getattr(run, part)()
            (folder / "result.json").write_text(json.dumps(run.results, indent=2))
    text = table(run.results)
    (folder / "table.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
