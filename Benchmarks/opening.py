"""How long somebody far away, or behind a narrow link, waits for the first picture: from opening the page in Chromium, and from
the start of `view`."""

import statistics
import time

from harness import sharer
from harness.networks import Lab
from harness.recorder import Recorder

CASES = {
    "round trip 100 ms": ("both", "delay=50ms"),
    "1 Mbit/s, round trip 20 ms": ("both", "delay=10ms", "rate=1mbit"),
}


def figures(case, times):
    """Milliseconds, medians; of the page also those from its offer on. Each time in a new network, at a new share."""
    found = [once(CASES[case]) for _ in range(times)]
    return {key: statistics.median(run[key] for run in found) for key in found[0]}


def once(words):
    lab = Lab(*words)
    try:
        host = sharer.Sharer(lab["a"], "--test-pattern", "--open", listen="0.0.0.0:8080")
        try:
            return {**page(lab), "view": view(lab)}
        finally:
            host.kill()
    finally:
        lab.run("down", lab.name)


def page(lab):
    browser = sharer.chromium(lab["b"], f"http://{Lab.ADDRESSES['a']}:8080/r/demo", "--duration", "30")
    try:
        first = browser.event("first", 30)
        return {"page": first["ms"], "sincePost": first["sincePostMs"]}
    finally:
        browser.kill()


def view(lab):
    recorder = Recorder()
    began = time.time()
    process = sharer.view(lab["b"], output=recorder.output, signaling=f"http://{Lab.ADDRESSES['a']}:8080")
    recorder.output.close()
    try:
        process.statistics.wait(lambda line: line["frames"] > 0, 30, "a picture")
    finally:
        process.stop(timeout=10)
        recorder.wait()
    return (next(iter(recorder.units()))[0] - began) * 1000
