"""The bars of `--test-pattern` (Sources/Core/Media/TestPattern), in its upper half."""

from .painter import BARS

# Name → middle of the bar as fractions of width and height, and its colour.
PLACES = {name: ((index + 0.5) / 8, 0.25, rgb) for index, (name, rgb) in enumerate(BARS.items())}


def probes(places):
    """Has a browser tell the colours of these places of the picture that it shows."""
    return [word for x, y, _ in places.values() for word in ("--probe", f"{x},{y}")]


def seen(summary, places):
    """Which colours it told, by the names of the places."""
    return dict(zip(places, map(tuple, summary["colours"])))
