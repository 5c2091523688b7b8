"""The bars of `--test-pattern` (Sources/Core/Media/TestPattern.swift), in its upper half."""

from .painter import BARS

# Name → middle of the bar as fractions of width and height, and its colour.
PLACES = {name: ((index + 0.5) / 8, 0.25, rgb) for index, (name, rgb) in enumerate(BARS.items())}
