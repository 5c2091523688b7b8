"""The table of bad networks: each figure of networks.py, others' beside it, the limit, and whether it is kept."""

# Latency p50 and p95 in milliseconds, pictures a second.
SEEN = {
    "loss5": (45, 90, 30), "loss10": (80, 180, 29), "wifi-bad": (60, 120, 29), "lte": (100, 200, 25),
    "dsl-1mbit": (120, 250, 15),
}
EXTRA = {"loss5": 0.12}
FREEZES = {"loss5": 0}
FROZEN = {"wifi-bad": 0.0, "lte": 0.02}
SHOWN, LONGEST_GAP = {"loss10": 0.99}, {"loss10": 300}
# Times round trip and feedback interval; the round trip of the steps' link.
RELIEF, STEP_ROUND_TRIP = 6, 50
USED_AFTER = 2000
UTILISATION, QUEUE_BEHIND_STEPS, VARIABLE_RATE = 0.85, 60, 20
SHARE_AGAINST_TCP = (0.3, 0.7)
FRESH = 250
# One picture more or less at either end of a run is not a lower rate.
RATE_TOLERANCE = 0.995
WHO = ("ours", "browser", "gstreamer", "chromium")
NAMES = {
    "loss5": "5 % lost, round trip 50 ms", "loss10": "10 % lost, round trip 100 ms", "step-4-1": "4 → 1 Mbit/s",
    "step-1-4": "1 → 4 Mbit/s",
}


class NetworkRows:
    def __init__(self):
        head = "network | figure | screenshare | seen in Chromium | GStreamer | Chromium | must reach | "
        self.lines = ["", f"| {head}|", "|---|---|---|---|---|---|---|---|"]

    def add(self, case, figure, values, limit, kept):
        base, _, rest = case.partition(", ")
        name = NAMES.get(base, base) + (f", {rest}" if rest else "")
        verdict = "" if kept is None else "yes" if kept else "**no**"
        self.lines.append(f"| {name} | {figure} | {' | '.join(values)} | {limit} | {verdict} |")

    def compare(self, case, figure, found, key, limit, unit="", most=True):
        """Ours may be at most, or must be at least, `limit`; None asks for nothing."""
        values = [value_of(found, who, key) for who in WHO]
        ours = values[0]
        kept = None
        if limit is not None and found.get("ours"):
            kept = ours is not None and (ours <= limit if most else ours >= limit)
        text = "–" if limit is None else f"{'≤' if most else '≥'} {shown(limit, unit)}"
        self.add(case, figure, [shown(value, unit) for value in values], text, kept)


def value_of(found, who, key):
    return (found.get(who) or {}).get(key)


def shown(value, unit):
    if value is None:
        return "–"
    if unit == "%":
        return f"{value * 100:.1f} %"
    return f"{value:.4g} {unit}".strip()


def network_table(results):
    if not results:
        return []
    rows = NetworkRows()
    for case, found in results.items():
        base = case.partition(",")[0]
        seen(rows, case, base, found)
        repaired(rows, case, base, found)
        if base.startswith("step"):
            stepped(rows, case, found)
        if base == "rfc8867-5.1":
            varied(rows, case, found)
        if base == "rfc8867-5.6":
            shared(rows, case, found)
        if base.startswith("blackout"):
            back(rows, case, found)
    return rows.lines


def seen(rows, case, base, found):
    if base.startswith(("step", "blackout", "rfc8867")):
        return
    p50, p95, rate = SEEN.get(base, (None, None, None))
    rows.compare(case, "drawn → decoded, p50", found, "p50", p50, "ms")
    rows.compare(case, "drawn → decoded, p95", found, "p95", p95, "ms")
    pictures(rows, case, found, rate)


def pictures(rows, case, found, rate):
    values = [value_of(found, who, "fps") for who in WHO]
    kept = rate and found.get("ours") and values[0] >= rate * RATE_TOLERANCE
    limit = "–" if rate is None else f"≥ {rate}"
    rows.add(case, "pictures a second", [shown(value, "") for value in values], limit, kept if rate else None)


def repaired(rows, case, base, found):
    if base in FREEZES:
        seconds = value_of(found, "ours", "seconds")
        name = "freezes" if seconds is None else f"freezes in {seconds:.0f} s"
        rows.compare(case, name, found, "freezes", FREEZES[base])
    if base in EXTRA:
        rows.compare(case, "bytes beyond the pictures ÷ theirs", found, "extra", EXTRA[base], "%")
    if base in FROZEN:
        rows.compare(case, "share of the time frozen", found, "frozen", FROZEN[base], "%")
    if base in SHOWN:
        rows.compare(case, "pictures shown ÷ sent", found, "shown", SHOWN[base], "%", most=False)
        rows.compare(case, "longest gap", found, "longestGapMs", LONGEST_GAP[base], "ms")


def worst(found, who, key, name):
    """The longest of several; None where one never came about, or where there is none."""
    values = [one[name] for one in (found.get(who) or {}).get(key, ()) if name in one]
    return None if not values or None in values else max(values)


def stepped(rows, case, found):
    down = case.startswith("step-4")
    name = "reliefMs" if down else "usedAfterMs"
    values = [worst(found, who, "steps", name) for who in WHO]
    limit = USED_AFTER
    if down:
        limit = RELIEF * (STEP_ROUND_TRIP + (value_of(found, "ours", "feedbackMs") or 0))
    figure = "queue below 50 ms after" if down else "90 % of it used after"
    kept = values[0] is not None and values[0] <= limit if found.get("ours") else None
    rows.add(case, figure, [never(found, who, value) for who, value in zip(WHO, values)], f"≤ {limit:.0f} ms", kept)


def never(found, who, value):
    return "–" if not found.get(who) else "never" if value is None else f"{value:.0f} ms"


def varied(rows, case, found):
    rows.compare(case, "capacity used", found, "utilisation", UTILISATION, "%", most=False)
    name, limit = "queueP95BehindSteps", QUEUE_BEHIND_STEPS
    rows.compare(case, "delay of the queue behind the steps, p95", found, name, limit, "ms")
    pictures(rows, case, found, VARIABLE_RATE)
    rows.compare(case, "keyframes that nobody asked for", found, "keyframesUnasked", 0)


def shared(rows, case, found):
    low, high = SHARE_AGAINST_TCP
    values = [value_of(found, who, "shareAgainstTCP") for who in WHO]
    kept = values[0] is not None and low <= values[0] <= high if found.get("ours") else None
    limit = f"{low * 100:.0f}–{high * 100:.0f} %"
    rows.add(case, "share beside a TCP flow", [shown(value, "%") for value in values], limit, kept)


def back(rows, case, found):
    values = [worst(found, who, "blackouts", "freshAfterMs") for who in WHO]
    kept = values[0] is not None and values[0] <= FRESH if found.get("ours") else None
    texts = [never(found, who, value) for who, value in zip(WHO, values)]
    rows.add(case, "fresh picture after its end", texts, f"≤ {FRESH} ms", kept)


def flow_table(results):
    """Several shares on one link: facts."""
    if not results:
        return []
    head = "RFC 8867 | kbit/s of each share | pictures a second, least | capacity used | queue p50/p95 | beside"
    rows = ["", f"| {head} |", "|---|---|---|---|---|---|"]
    for case, found in results.items():
        kbits = " / ".join(str(one) for one in found["kbits"])
        slowest = ", ".join(
            f"{min(one for one in found[key] if one is not None):.3g}" for key in ("pictures", "leastPictures"))
        used = f"{found['used'] * 100:.0f} %"
        queue = f"{found['queueP50']:.0f} / {found['queueP95']:.0f} ms"
        rows.append(f"| {case} | {kbits} | {slowest} | {used} | {queue} | {beside(found)} |")
    return rows


def beside(found):
    words = []
    if found.get("fairness") is not None:
        words.append(f"fairness (Jain) {found['fairness']:.2f}")
    if "usedBack" in found:
        words.append(f"way back used {found['usedBack'] * 100:.0f} %")
    if "othersMeanwhileKbits" in found:
        before, meanwhile = found["othersBeforeKbits"], found["othersMeanwhileKbits"]
        words.append(f"the others {before} → {meanwhile} kbit/s during the pause")
    if found.get("downloads"):
        words.append(f"{found['downloads']} downloads, {found['downloadSeconds']:.2f} s each, {found['tcp'] * 100:.0f} %")
    return "; ".join(words)
