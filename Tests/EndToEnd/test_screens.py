"""What can be shared: displays, monitors, regions, windows; and what happens when they change."""

import signal
import time

import pytest
from harness import sharer
from harness.codes import UNAVAILABLE
from harness.measures import best_of
from harness.painter import BARS
from harness.pictures import assert_colours, from_i420

RED, BLUE, GREEN, YELLOW = BARS["red"], BARS["blue"], BARS["green"], BARS["yellow"]
# Off the middle, where the pointer stands on a fresh display.
PLACE = (0.3, 0.3)


@pytest.fixture
def picture(start, artifacts):
    """`picture(lan, host)`: what a viewer who joins now sees after a moment."""
    taken = []

    def take(place, host, seconds=1.5):
        raw = artifacts / f"seen-{len(taken)}.yuv"
        taken.append(raw)
        viewer = start(sharer.aiortc, place, host.whep, "--duration", seconds + 0.5, "--save", raw)
        viewer.event("left", 15)
        summary = viewer.events("summary")[0]
        seen = from_i420(raw, summary["width"], summary["height"])
        seen.save(raw.with_suffix(".png"))
        raw.unlink()
        return seen

    return take


def test_a_monitor_and_a_region_by_name(lan, display, painter, share, picture):
    screen = display(1600, 600)
    screen.add_monitor("right", 800, 0, 800, 600)
    brush = painter(screen)
    brush.fill(0, 0, 800, 600, RED)
    brush.fill(800, 0, 800, 600, BLUE)
    seen = picture(lan, share(lan, "--display", screen.name, "--monitor", "right"))
    assert (seen.width, seen.height) == (800, 600)
    assert_colours(seen, {"monitor": (*PLACE, BLUE)})
    region = ["--region", "401x301+600+100", "--room", "region"]
    host = share(lan, "--display", screen.name, *region, room="region", listen="127.0.0.1:8081")
    seen = picture(lan, host)
    assert (seen.width // 2, seen.height // 2) in ((200, 150), (201, 151)) and seen.width % 2 == seen.height % 2 == 0
    assert_colours(seen, {"left": (0.25, 0.5, RED), "right": (0.75, 0.5, BLUE)})


def test_a_large_screen_is_fitted_and_its_aspect_kept(lan, display, painter, share, picture):
    screen = display(2560, 1600)
    places = painter(screen).bars(2560, 1600)
    seen = picture(lan, share(lan, "--display", screen.name, "--size", "1280x720"))
    # 16:10 in 16:9: bars of black at the sides.
    assert (seen.width, seen.height) == (1280, 720)
    inner = {name: ((64 + x * 1152) / 1280, y, rgb) for name, (x, y, rgb) in places.items()}
    assert_colours(seen, {**inner, "bar": (0.02, 0.5, (0, 0, 0)), "other bar": (0.98, 0.5, (0, 0, 0))})


@pytest.mark.parametrize(
    ("options", "size"),
    [
        ([], "1728x1080"),
        (["--mode", "detail"], "2560x1600"),
        (["--mode", "text", "--size", "720p"], "1152x720"),
        (["--max-pixels", "1000000"], "1264x790"),
    ],
    ids=lambda value: value if isinstance(value, str) else " ".join(value) or "nothing asked",
)
def test_the_size_is_what_was_asked_for_or_else_the_modes(lan, display, share, start, options, size):
    host = share(lan, "--display", display(2560, 1600).name, *options)
    start(sharer.gstreamer, lan, host.whep, "--no-decode", "--duration", "30")
    host.process.wait_for(rf"Sharing 2560x1600 as {size}\.", 15)


def test_depth_30(lan, display, painter, share, picture):
    screen = display(640, 480, depth=30)
    brush = painter(screen)
    brush.fill(0, 0, 640, 480, (0, 0, 0))
    brush.fill_pixel(0, 0, 640, 480, 1023 << 20 | 512 << 10)
    seen = picture(lan, share(lan, "--display", screen.name))
    assert_colours(seen, {"orange": (*PLACE, (255, 128, 0))})


@pytest.mark.parametrize("size", [(1024, 768), (1001, 701)], ids=lambda size: f"{size[0]}x{size[1]}")
def test_a_resized_screen_goes_on_within_half_a_second(lan, display, share, start, size):
    screen = display(1280, 960, "static", "--tc-hz", "30")
    host = share(lan, "--display", screen.name)
    viewer = start(sharer.aiortc, lan, host.whep, "--immediate", "--duration", "60")
    viewer.event("first")

    def seconds():
        before = len(viewer.events("size"))
        screen.resize(*size)
        resized = time.monotonic()
        changed = viewer.wait_for_size(lambda *seen: seen != (1280, 960), 5, before)
        assert abs(changed["width"] - size[0]) <= 1 and abs(changed["height"] - size[1]) <= 1
        assert changed["width"] % 2 == changed["height"] % 2 == 0
        screen.resize(1280, 960)
        viewer.wait_for_size(lambda *seen: seen == (1280, 960), 5, before)
        return changed["at"] - resized

    best_of(seconds, lambda taken: taken <= 0.5)
    assert host.process.running


def test_a_window_shows_its_own_pixels_also_when_covered_or_moved(lan, display, painter, share, picture):
    screen = display(1280, 720)
    brush = painter(screen)
    window = brush.window("the red one", 100, 100, 400, 300, RED)
    host = share(lan, "--display", screen.name, "--window", "the red one")
    assert_colours(picture(lan, host), {"alone": (*PLACE, RED)})
    brush.window("the blue one", 50, 50, 600, 500, BLUE).lift()
    assert_colours(picture(lan, host), {"covered": (*PLACE, RED)})
    window.move(700, 350)
    window.fill(0, 0, 200, 300, GREEN)
    seen = picture(lan, host)
    assert (seen.width, seen.height) == (400, 300)
    assert_colours(seen, {"left": (0.25, 0.5, GREEN), "right": (0.75, 0.5, RED)})


def test_a_window_is_resized_hidden_shown_again_and_ends_the_share_when_closed(lan, display, painter, share, start):
    screen = display(1280, 720)
    window = painter(screen).window("mine", 100, 100, 400, 300, YELLOW)
    host = share(lan, "--display", screen.name, "--window", hex(window.id))
    viewer = start(sharer.aiortc, lan, host.whep, "--immediate", "--duration", "60")
    viewer.event("first")
    window.resize(501, 333)
    viewer.wait_for_size(lambda *seen: abs(seen[0] - 501) <= 1 and abs(seen[1] - 333) <= 1, 3)
    window.hide()
    host.process.wait_for("is minimised or hidden", 5)
    # A size by which the picture behind its return is known.
    window.resize(440, 280)
    window.show()
    host.process.wait_for(r"The source is visible again\.", 5)
    viewer.wait_for_size(lambda *seen: abs(seen[0] - 440) <= 1 and abs(seen[1] - 280) <= 1, 3)
    window.destroy()
    assert host.process.wait(5) == UNAVAILABLE
    assert "was closed. Share another one" in host.process.text()
    viewer.event("closed", 5)


def test_the_pointer_is_drawn_unless_told_not_to(lan, display, painter, share, picture):
    screen = display(640, 480)
    brush = painter(screen)
    brush.fill(0, 0, 640, 480, GREEN)
    screen.run("xsetroot", "-cursor_name", "dot")
    screen.run("xdotool", "mousemove", "320", "240")
    with_pointer = picture(lan, share(lan, "--display", screen.name))
    host = share(lan, "--display", screen.name, "--no-cursor", room="bare", listen="127.0.0.1:8081")
    without = picture(lan, host)
    assert_colours(without, {"bare": (*PLACE, GREEN)})
    around = with_pointer.rgb[225:256, 305:336].astype(int)
    assert abs(around - GREEN).max() > 100, "no pointer in the picture"


def test_no_shared_memory_is_said_and_works(lan, display, share, picture):
    screen = display(640, 480, server=["-extension", "MIT-SHM"])
    screen.run("xsetroot", "-solid", "#0000ff")
    host = share(lan, "--display", screen.name)
    assert_colours(picture(lan, host), {"blue": (*PLACE, BLUE)})
    host.process.wait_for("memory", 3)


def test_an_unknown_monitor_window_display_or_place_is_a_clear_error(display, run):
    screen = display(640, 480)
    for options in (
        ["--display", ":987"],
        ["--display", screen.name, "--monitor", "nowhere"],
        ["--display", screen.name, "--window", "no such title"],
        ["--display", screen.name, "--region", "100x100+5000+0"],
    ):
        done = run("host", "--room", "demo", "--listen", "127.0.0.1:0", *options)
        assert done.returncode == UNAVAILABLE, done.stderr
        assert options[-1].strip(":") in done.stderr


def test_a_wayland_session_is_refused_with_advice(run):
    done = run("host", "--room", "demo", env={"PATH": "/usr/bin:/bin", "WAYLAND_DISPLAY": "wayland-0"})
    assert done.returncode == UNAVAILABLE
    assert "Wayland" in done.stderr and "X11" in done.stderr


def test_a_stopped_sharer_does_not_spin_when_it_wakes(lan, display, share):
    """A suspended process catches up without burning the processor."""
    screen = display(640, 480, "type")
    host = share(lan, "--display", screen.name)
    host.process.send(signal.SIGSTOP)
    time.sleep(2)
    host.process.send(signal.SIGCONT)
    line = host.statistics.wait(lambda line: line["state"] == "live", 5, "live")
    later = host.statistics.wait(lambda other: other["time"] > line["time"] + 1, 5, "a second more")
    assert later["cpu"] < 0.5
