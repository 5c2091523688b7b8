"""One case of networks.py, one line of figures. CASE may be any of networks.py, a profile of netlab, or what netlab's
`set` takes, such as "both delay=25ms rate=2mbit"."""

import argparse
import csv
import json
import os
import sys

BIN = 0.1


def parse():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("case")
    parser.add_argument("seconds", nargs="?", type=float, default=50)
    parser.add_argument("--size", default="1280x720")
    parser.add_argument("--content", default="video30", help="a mode of screensource: video30, scroll, type ...")
    parser.add_argument("--viewer", choices=("view", "gst", "gst-feedback", "chromium"), default="view")
    parser.add_argument("--sharer", choices=("ours", "gstreamer", "chromium"), default="ours")
    parser.add_argument("--binary", help="another screenshare")
    parser.add_argument("--bitrate", type=int, help="at most; default 4000000, for step-1-4 twice that")
    parser.add_argument("--fps", type=int, default=30, help="24 or 30; 0: as the sharer sees fit")
    parser.add_argument("--tcp", default="reno", help="reno, cubic or bbr: of the flow beside the share in RFC 8867 5.6")
    parser.add_argument("--host-option", action="append", default=[], metavar="OPTION", help="for the sharer; repeat")
    parser.add_argument("--join", action="store_true", help="join over the bad link, and measure from then on")
    parser.add_argument("--csv", metavar="PATH", help="a line each 100 ms")
    parser.add_argument("--json", metavar="PATH", help="all figures")
    return parser.parse_args()


def line(case, found):
    """The figures that people look at, one after the other."""
    keys = (
        "p50", "p95", "max", "fps", "freezes", "frozen", "longestGapMs", "shown", "keyframes", "keyframesUnasked",
        "kbits", "extra", "lossOnTheWay", "feedbackMs", "askedAfterMs", "askedAfterP95",
        "utilisation", "queueP50", "queueP95", "queueP95BehindSteps",
        "shareAgainstTCP", "wayP50", "wayP95", "unreadable", "decodeMs",
    )
    words = [f"{key}={found[key]}" for key in keys if found.get(key) is not None]
    for step in found.get("steps", ()):
        value = step.get("reliefMs", step.get("usedAfterMs"))
        words.append(f"{step['from']:g}→{step['to']:g}@{step['at']}s={value}ms")
    for one in found.get("blackouts", ()):
        words.append(f"blackout{one['seconds']:g}s→fresh={one['freshAfterMs']}ms")
    if first := found["viewer"].get("firstFrameMs"):
        words.append(f"joinMs={first:.0f}")
    machine = found["machine"]
    words += [f"linkLateP95={machine['late_ms']['p95']}", f"overrun={machine['packets_overrun']}"]
    words.append(f"load={machine['load']:.1f}")
    return f"{case}: {' '.join(words)}"


def write_csv(path, run):
    from timeline import rows

    made = list(rows(run, BIN))
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, list(made[0]))
        writer.writeheader()
        writer.writerows(made)


def main():
    arguments = parse()
    if arguments.binary:
        os.environ["SCREENSHARE"] = os.path.abspath(arguments.binary)
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    import bench  # noqa: F401  where the harness is found
    import networks

    bitrate = arguments.bitrate or networks.BITRATES.get(arguments.case, networks.BITRATE)
    settings = networks.Settings(
        arguments.size, arguments.content, arguments.sharer, arguments.viewer, tuple(arguments.host_option), bitrate,
        arguments.fps, arguments.join, arguments.tcp)
    run, found = networks.measure(arguments.case, arguments.seconds, settings)
    if arguments.json:
        with open(arguments.json, "w") as file:
            json.dump(found, file, indent=2)
    if arguments.csv:
        write_csv(arguments.csv, run)
    print(line(arguments.case, found), flush=True)


if __name__ == "__main__":
    main()
