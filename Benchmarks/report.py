"""The table at the end: each figure, GStreamer's beside it, the limit, and whether it is kept."""

from networktable import flow_table, network_table

CPU_LIMITS = {"still": 0.02, "typing": 0.25, "scrolling": 0.6, "motion": 0.6}
LATENCY_LIMITS = {"typing": 0.5, "scrolling": 0.6, "motion": 0.6}
JOIN_LIMITS = {"p50": 150, "p95": 300}
CROWD_LIMIT = 500
VIEWER_LIMIT = 0.003
# How far from what they had alone others may be beside a bad viewer.
ISOLATION_LIMIT = 0.05
# Milliseconds, and bytes, after a page change behind a link of so many bits a second.
PAGE_LIMITS = {
    2_000_000: {"first": 250, "readable": 800, "0.98": 1000, "0.99": 1500, "overIntra": 1.1, "bytes": 400_000},
    1_000_000: {"first": 300, "readable": 1500, "0.98": 2000},
}
PAGE_NAMES = {
    "first": "first picture of it", "readable": "readable (OCR within 2 %)", "0.98": "luma SSIM 0.98",
    "0.99": "luma SSIM 0.99", "overIntra": "SSIM 0.99 ÷ one intra picture of it",
    "bytes": "all of it",
}
PAGE_UNITS = {"bytes": (1000, "kB"), "overIntra": (1, "")}
# Of small print behind this link: characters read wrongly 0.6 s after the change, beyond those of the page itself.
SMALL_PRINT_LINK, SMALL_PRINT_LIMIT = 1_000_000, 0.01
COMEBACK_LIMIT = 0.03
# Milliseconds without conversion; with it, of what the nearest slot of the grid allows.
JUDDER_LIMIT, JUDDER_SHARE, FLOOR_24_TO_30 = 0.5, 1.05, 9.6
SWITCHES_LIMIT = 1
# CPU of a picture, of what x264 alone takes; and pictures a second of a pointer in mode detail.
PICTURE_LIMITS = {"pointer": 1.2, "scrolling": 1.25, "scrolling, superfast": 1.15}
POINTER_RATE = 10
# Of sound: delay ÷ (packet + look-ahead); picture to sound, 95 %, in ms; share that is guessed; CPU.
SOUND_DELAY, SOUND_CONCEALED, SOUND_CPU = 1.5, 0.01, 0.015
SOUND_LAGS = {"clean link": 20, "5 % lost, round trip 50 ms": 40}
MEMORY_SMALL, MEMORY_LARGE, MEMORY_BESIDE = 50, 80, 30


class Rows:
    """Lines of figure, ours, theirs, limit and verdict."""

    def __init__(self):
        self.lines = ["| figure | screenshare | GStreamer | must reach | |", "|---|---|---|---|---|"]

    def add(self, figure, ours, theirs, limit, kept):
        verdict = "" if kept is None else "yes" if kept else "**no**"
        self.lines.append(f"| {figure} | {ours} | {theirs} | {limit} | {verdict} |")

    def ratio(self, figure, ours, theirs, limit, unit):
        """Ours may be at most `limit` of theirs."""
        both = ours is not None and theirs
        share = f" ({ours / theirs:.2f})" if both else ""
        kept = ours <= limit * theirs if both else None
        self.add(figure, shown(ours, unit) + share, shown(theirs, unit), f"≤ {limit} of GStreamer's", kept)

    def bound(self, figure, ours, theirs, limit, unit):
        """Ours may be at most `limit`."""
        kept = None if ours is None else ours <= limit
        self.add(figure, shown(ours, unit), shown(theirs, unit), f"≤ {shown(limit, unit)}", kept)


def shown(value, unit):
    if value is None:
        return "–"
    if unit == "%":
        return f"{value * 100:.2f} %" if value < 0.02 else f"{value * 100:.1f} %"
    return f"{value:.1f} {unit}" if unit else f"{value:.3f}"


def pair(results, *keys):
    """The same value of both sharers; None where one was not measured."""
    found = []
    for which in ("ours", "gstreamer"):
        value = results.get(which)
        for key in keys:
            value = value.get(key) if value else None
        found.append(value)
    return found


def table(results):
    rows = Rows()
    for case, found in results.get("cpu", {}).items():
        rows.ratio(f"CPU of the sharer, {case}", *pair(found, "cpu"), CPU_LIMITS[case], "%")
    for case, found in results.get("latency", {}).items():
        for share in ("p50", "p95"):
            figure = f"drawn → decoded, {case}, {share}"
            rows.ratio(figure, *pair(found, share), LATENCY_LIMITS[case], "ms")
    for size, found in results.get("memory", {}).items():
        memory_rows(rows, size, found)
    for case, found in results.get("footprint", {}).items():
        rows.bound(f"peak RSS, 1080p shared at 720p, {case}", found["peak"], None, MEMORY_SMALL, "MB")
    for _, found in results.get("join", {}).items():
        for share, limit in JOIN_LIMITS.items():
            rows.bound(f"POST → first picture, {share}", *pair(found, share), limit, "ms")
    for case, found in results.get("opening", {}).items():
        for what, key in {"the page opened in Chromium": "page", "`view` started": "view"}.items():
            rows.add(f"{what} → first picture, {case}", shown(found[key], "ms"), "–", "–", None)
    for content, found in results.get("crowd", {}).items():
        figure = f"fifty join within a second, {content}: POST → first picture, p95"
        rows.bound(figure, *pair(found, "p95"), CROWD_LIMIT, "ms")
        rows.bound("… IDRs for one who watches", *pair(found, "idrs"), 1, "")
    for _, found in results.get("viewers", {}).items():
        rows.bound("CPU of each further viewer at 4 Mbit/s", *pair(found, "cost"), VIEWER_LIMIT, "%")
        rows.bound("… by the event loops alone", pair(found, "loops")[0], None, VIEWER_LIMIT, "%")
    for link, found in results.get("pages", {}).items():
        page_rows(rows, link, found)
    for size, found in results.get("smallprint", {}).items():
        small_print_rows(rows, size, found)
    for _, found in results.get("comeback", {}).items():
        figure = "bytes of a page that comes back ÷ of its first showing, 4 Mbit/s"
        rows.bound(figure, *pair(found, "ratio"), COMEBACK_LIMIT, "")
    cadence_rows(rows, results)
    for case, found in results.get("pictures", {}).items():
        picture_rows(rows, case, found)
    sound_rows(rows, results)
    for case, found in results.get("isolation", {}).items():
        for key in ("pictures", "quantiser"):
            kept = abs(found[key] - 1) <= ISOLATION_LIMIT
            rows.add(f"others' {key} beside a viewer with {case} ÷ alone", shown(found[key], ""), "–", "0.95–1.05", kept)
    more = [*content_table(results.get("content")), *network_table(results.get("networks")), *flow_table(results.get("flows"))]
    return "\n".join([*rows.lines, *more, "", footer(results)]) + "\n"


def cadence_rows(rows, results):
    for case, found in results.get("judder", {}).items():
        if "--fps 30" in case:
            share = found["rms"] / FLOOR_24_TO_30
            rows.bound(f"judder ÷ {FLOOR_24_TO_30} ms, {case}", share, None, JUDDER_SHARE, "")
        else:
            rows.bound(f"judder, RMS, {case}", found["rms"], None, JUDDER_LIMIT, "ms")
    for mode, found in results.get("lost", {}).items():
        of = f"of {found['pictures']}, --mode {mode}"
        none(rows, f"pictures lost once locked, {of}", found["missing"])
        none(rows, f"repeats passed on once locked, {of}", found["repeats"])
    for found in results.get("desktop", {}).values():
        of = f"{found['seconds'] / 60:.0f} min of desktop, {found['stood']} states"
        none(rows, f"wrong drops, {of}", found["dropped"])
        switches = found["switches"]
        rows.add("… wrong changes of content", switches, "–", f"≤ {SWITCHES_LIMIT}", switches <= SWITCHES_LIMIT)


def sound_rows(rows, results):
    for found in results.get("soundDelay", {}).values():
        rows.bound("sound handed over by the device → decoded ÷ 26.5 ms", found["ratio"], None, SOUND_DELAY, "")
    for link, found in results.get("soundLag", {}).items():
        for where, name in (("view", "`view`"), ("chromium", "Chromium")):
            figure = f"picture to sound, 95 %, {link}, {name}"
            rows.bound(figure, found[where], None, SOUND_LAGS[link], "ms")
    for share in results.get("soundConcealed", {}).values():
        rows.bound("sound guessed where 10 % are lost", share, None, SOUND_CONCEALED, "%")
    for found in results.get("soundCPU", {}).values():
        rows.bound("CPU of sound, microphone and system", found.get("ours"), found.get("gstreamer"), SOUND_CPU, "%")


def none(rows, figure, count):
    rows.add(figure, count, "–", 0, count == 0)


def picture_rows(rows, case, found):
    figure = f"CPU of a picture ÷ x264 alone, {case}"
    # A share that stepped down does less than x264 beside it.
    is_steady = found["presets"] == [found["asked"]]
    if not is_steady:
        figure += f" (stepped down: {', '.join(found['presets'])})"
    rows.bound(figure, found["ratio"] if is_steady else None, None, PICTURE_LIMITS[case], "")
    if case == "pointer":
        rows.bound("… pictures a second", found["fps"], None, POINTER_RATE, "/s")


def content_table(found):
    if not found:
        return []
    head = "on the screen | pictures a second | CPU | kbit/s | quantiser at rest | taken for | cadence | missing | kept"
    lines = ["", f"| {head} |", "|---|---|---|---|---|---|---|---|---|"]
    for case, seen in found.items():
        missing = "–" if seen["missing"] is None else seen["missing"]
        cadences = ", ".join(str(rate or "none") for rate in seen["cadences"]) or "–"
        numbers = f"{seen['fps']:.1f} | {shown(seen['cpu'], '%')} | {seen['bitrate'] / 1000:.0f}"
        verdict = "yes" if seen["kept"] else "**no**"
        contents = ", ".join(str(kind) for kind in seen["contents"])
        quantiser = f"{seen['quantiser']:.0f}"
        lines.append(f"| {case} | {numbers} | {quantiser} | {contents} | {cadences} | {missing} | {verdict} |")
    return lines


def page_rows(rows, link, found):
    for key, limit in PAGE_LIMITS[int(link)].items():
        figure = f"page change behind {int(link) // 1_000_000} Mbit/s: {PAGE_NAMES[key]}"
        scale, unit = PAGE_UNITS.get(key, (1, "ms"))
        ours, theirs = (None if value is None else value / scale for value in pair(found, key))
        rows.bound(figure, ours, theirs, limit / scale, unit)
    if int(link) == SMALL_PRINT_LINK:
        small_print_rows(rows, "1920x1080", found)


def small_print_rows(rows, size, found):
    where = f"page change behind {SMALL_PRINT_LINK // 1_000_000} Mbit/s, {size}"
    figure = f"{where}: 10–12 px text read wrongly after 0.6 s, beyond the page's own"
    rows.bound(figure, *pair(found, "errorsAfter600"), SMALL_PRINT_LIMIT, "%")
    most = (shown(value, "%") for value in pair(found, "mostErrorsAfter600"))
    rows.add("… on the page that comes out worst", *most, "–", None)


def memory_rows(rows, size, found):
    ours, theirs = pair(found, "peak")
    if size == "1280x720":
        rows.bound("peak RSS, 10 viewers, 1080p shared at 720p", ours, theirs, MEMORY_SMALL, "MB")
        return
    rows.bound("peak RSS, 10 viewers, 1080p", ours, theirs, MEMORY_LARGE, "MB")
    shared, _ = pair(found, "shared")
    beside = None if ours is None else ours - shared - found["encoder"]
    rows.bound("… without x264's own and the screen's segment", beside, None, MEMORY_BESIDE, "MB")


def footer(results):
    on = results["machine"]
    words = [f"{on['cores']} × {on['processor']}", f"Linux {on['kernel']}", *on["gstreamer"]]
    own = [found["ours"]["viewerP50"] for found in results.get("latency", {}).values() if "ours" in found]
    lines = [", ".join(words) + f", load before {on['loadBefore']:.2f}."]
    if own:
        lines.append(f"Of each latency, decoding at the viewer is {min(own):.1f}–{max(own):.1f} ms (p50).")
    return "\n".join(lines)
