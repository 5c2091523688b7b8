"""A run as a table: each tenth of a second what was sent, what waited, what was seen, what the sharer wanted."""

import math

from tap import TCP

# Of the sharer's statistics; of its viewer whatever is there.
OWN = ("bitrate", "fps", "width", "height", "quantiser", "framesDropped", "keyframes")


def binned(records, began, width, value):
    """Values by bin."""
    found = {}
    for record in records:
        found.setdefault(math.floor((record[0] - began) / width), []).append(value(record))
    return found


def rows(run, width):
    began = run.began
    lengths = {
        "sentKbits": run.media.first,
        "extraKbits": run.media.extra,
        "arrivedKbits": [p for p in run.tap.arrived["b"] if p.protocol != TCP],
        "tcpKbits": [p for p in run.tap.arrived["b"] if p.protocol == TCP],
    }
    rates = {
        name: binned([(p.at, p.length) for p in packets], began, width, lambda record: record[1])
        for name, packets in lengths.items()
    }
    queue = binned(run.samples, began, width, lambda sample: sample.queue * 1000)
    ways = binned(run.media.delays(), began, width, lambda record: record[1] * 1000)
    ages = binned([(p.at, p.latency) for p in run.fresh], began, width, lambda record: record[1])
    for index in range(int((run.ended - began) / width)):
        at = began + index * width
        row = {"t": round(index * width, 2), "capacityKbits": capacity(run.steps, index * width)}
        row |= {name: round(sum(found.get(index, ())) * 8 / width / 1000) for name, found in rates.items()}
        row["queueMs"] = rounded(max(queue.get(index, ()), default=None))
        row["wayMs"] = rounded(max(ways.get(index, ()), default=None))
        row["pictures"] = len(ages.get(index, ()))
        row["latencyMs"] = rounded(max(ages.get(index, ()), default=None))
        yield row | said(run, at)


def capacity(steps, at):
    rate = [step.rate for step in steps if step.at <= at][-1]
    return "" if rate == float("inf") else round(rate / 1000)


def rounded(value):
    return "" if value is None or math.isnan(value) else round(value, 1)


def said(run, at):
    """What the sharer's last statistics before that say."""
    line = next((line for line in reversed(run.lines) if line["at"] <= at), {})
    peer = next(iter(line.get("peers", ())), {})
    names = sorted({name for other in run.lines for one in other.get("peers", ()) for name in one})
    own = {f"host.{name}": line.get(name, "") for name in OWN}
    return own | {f"viewer.{name}": peer.get(name, "") for name in names if name != "id"}
