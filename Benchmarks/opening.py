"""How long somebody far away, or behind a narrow link, waits for the first picture: from opening the page in Chromium, and from
the start of `view`."""

import statistics

from harness import sharer
from harness.networks import Lab, Place
from harness.paths import scratch_file
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
    recorder, began = Recorder(), scratch_file(".began")
    # netlab itself takes a tenth of a second to begin.
    note = ["sh", "-c", f'date +%s.%N > {began}; exec "$@"', "sh"]
    place = Place([*lab["b"].prefix, *note], lab["b"].address)
    process = sharer.view(place, output=recorder.output, signaling=f"http://{Lab.ADDRESSES['a']}:8080")
    recorder.output.close()
    try:
        process.statistics.wait(lambda line: line["frames"] > 0, 30, "a picture")
    finally:
        process.stop(timeout=10)
        recorder.wait()
    return (next(iter(recorder.units()))[0] - float(began.read_text())) * 1000
