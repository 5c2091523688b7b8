"""A delivered picture is always one moment of the screen.

Everything drawn here says the number of its moment in black and white squares, and goes from one moment to the next in
one request, or while the server listens to nobody else. So every mark in a picture has to say the same, however the
sharer fetched it: whole, in the rows that were damaged, or once more because too few rows were known.
"""

import random
import threading
import time
from unittest import mock

import av
import numpy as np
import pytest
from harness import sharer
from PIL import Image
from Xlib import X, ext
from Xlib import display as xdisplay

WIDTH, HEIGHT = 1280, 720
BITS, SQUARE, STRIPE = 6, 16, 48
# Moments are counted up to here and then from zero again.
MOMENTS = 2**BITS
WHITE = 0xFFFFFF
# Two small areas far apart; the rows between them are more than half of the screen, and not nearly all.
FAR_APART = [(48, 48), (1024, 480)]


def squares(moment):
    """The number's bits, and each of them inverted, so that a blurred or mixed mark is not taken for a number."""
    bits = [moment >> place & 1 for place in range(BITS)]
    return bits + [1 - bit for bit in bits]


def read(luma, x, y, scale=1.0):
    """The moment that the mark at a place says, seen in its upper and lower half; None where they disagree."""
    found = set()
    for part in (0.3, 0.7):
        rows = [round((y + part * SQUARE * 2) * scale) + row for row in (-1, 0, 1)]
        columns = [round((x + (index + 0.5) * SQUARE) * scale) for index in range(2 * BITS)]
        bits = [int(luma[rows, column - 1 : column + 2].mean() > 128) for column in columns]
        moment = sum(bit << place for place, bit in enumerate(bits[:BITS]))
        found.add(moment if bits == squares(moment) else None)
    return found.pop() if len(found) == 1 else None


class Canvas:
    """A drawable of a connection of its own, with what marks are drawn by."""

    def __init__(self, screen):
        # Of no use here, and its RandR fails at a server without MIT-SHM.
        with mock.patch.object(ext, "__extensions__", []):
            self.connection = xdisplay.Display(screen.name)
        self.name = screen.name
        self.screen = self.connection.screen()
        self.target = self.screen.root
        self.context = self.target.create_gc(subwindow_mode=X.IncludeInferiors, graphics_exposures=False)
        self.flip = self.target.create_gc(
            function=X.GXxor, foreground=WHITE, subwindow_mode=X.IncludeInferiors, graphics_exposures=False
        )

    def window(self, x, y, width, height):
        """Draws in a window of its own from now on."""
        window = self.screen.root.create_window(
            x, y, width, height, 0, X.CopyFromParent, background_pixel=0, override_redirect=True
        )
        window.map()
        self.connection.sync()
        self.target = window
        return window

    def pixmap(self, width, height):
        return self.target.create_pixmap(width, height, self.screen.root_depth)

    def fill(self, drawable, pixel, rectangles):
        self.context.change(foreground=pixel)
        drawable.poly_fill_rectangle(self.context, rectangles)

    def mark(self, drawable, x, y, moment, height=2 * SQUARE):
        self.fill(drawable, 0, [(x, y, 2 * BITS * SQUARE, height)])
        lit = [(x + index * SQUARE, y, SQUARE, height) for index, bit in enumerate(squares(moment)) if bit]
        self.fill(drawable, WHITE, lit)


class Mover:
    """Goes from moment to moment on a thread of its own until it is killed."""

    def __init__(self, canvas, go, pauses):
        self.canvas, self.go, self.pauses = canvas, go, pauses
        self.ended = threading.Event()
        self.moment = 0
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self):
        for pause in self.pauses:
            if self.ended.wait(pause):
                break
            self.moment += 1
            self.go(self.moment)
            self.canvas.connection.sync()
        self.canvas.connection.close()

    def kill(self):
        self.ended.set()
        self.thread.join()


def steady(rate):
    """Pauses for so many moments a second."""
    due = time.monotonic()
    while True:
        due = max(due + 1 / rate, time.monotonic() - 0.1)
        yield max(0, due - time.monotonic())


def restless():
    """Quick moments, and now and then a rest: the first change after it is fetched at once."""
    dice = random.Random(1)
    while True:
        yield from (dice.uniform(0, 0.03) for _ in range(12))
        yield 0.3


def lingering():
    """So long that a still page is sharpened between the moments."""
    dice = random.Random(4)
    while True:
        yield dice.uniform(0.2, 0.5)


def scrolling(canvas, width, height, between=None):
    """Stripes from top to bottom that move up by one, all in one request; or in halves with something in between."""
    tall = canvas.pixmap(width, MOMENTS * STRIPE + height)
    for index in range(MOMENTS + height // STRIPE + 1):
        canvas.fill(tall, 0x204060 if index % 2 else 0xC0B090, [(0, index * STRIPE, width, STRIPE)])
        for x in (STRIPE, width - STRIPE - 2 * BITS * SQUARE):
            canvas.mark(tall, x, index * STRIPE + 8, index % MOMENTS)

    def go(moment):
        top = moment % MOMENTS * STRIPE
        parts = [(0, height)] if between is None else [(0, height // 2), (height // 2, height - height // 2)]
        for number, (y, rows) in enumerate(parts):
            if number:
                between()
            canvas.target.copy_area(canvas.context, tall, 0, top + y, width, rows, 0, y)

    go(0)
    canvas.connection.sync()
    return go


def stripe_places(width, height):
    """Where whole stripes stand, and how far each is ahead of the first."""
    rows = range(height // STRIPE)
    return [(x, row * STRIPE + 8, row) for row in rows for x in (STRIPE, width - STRIPE - 2 * BITS * SQUARE)]


def flipping(canvas, places, between=None):
    """Marks that change in one request; or one after the other with something in between."""
    for x, y in places:
        canvas.mark(canvas.target, x, y, 0)
    canvas.connection.sync()

    def go(moment):
        pairs = zip(squares((moment - 1) % MOMENTS), squares(moment % MOMENTS))
        changed = [index for index, (before, after) in enumerate(pairs) if before != after]
        areas = [[(x + index * SQUARE, y, SQUARE, 2 * SQUARE) for index in changed] for x, y in places]
        if between is None:
            areas = [sum(areas, [])]
        for number, area in enumerate(areas):
            if number:
                between()
            canvas.target.poly_fill_rectangle(canvas.flip, area)

    return go


def grabbed(canvas, go):
    """The same while the server answers nobody else."""

    def alone(moment):
        canvas.connection.grab_server()
        go(moment)
        canvas.connection.ungrab_server()

    return alone


def page_of_text(canvas, dice, page, x=4, width=WIDTH, ink=0):
    canvas.fill(page, WHITE, [(0, 0, WIDTH, HEIGHT)])
    canvas.context.change(font=canvas.connection.open_font("fixed"), foreground=ink)
    for y in range(14, HEIGHT, 15):
        letters = bytes(dice.choice(b"abcdefghijklmnopqrstuvwxyz       ") for _ in range(width // 6))
        page.poly_text(canvas.context, x, y, [letters])


def turning(canvas, flip, places, every):
    """A new page of text with every so manieth moment, in one request with the marks; between them only the marks."""
    unseen = canvas.pixmap(WIDTH, HEIGHT)
    dice = random.Random(2)

    def go(moment):
        if moment % every:
            return flip(moment)
        page_of_text(canvas, dice, unseen)
        for x, y in places:
            canvas.mark(unseen, x, y, moment % MOMENTS)
        canvas.target.copy_area(canvas.context, unseen, 0, 0, WIDTH, HEIGHT, 0, 0)

    go(0)
    canvas.connection.sync()
    return go


# Grey text in these columns at even and at odd moments; a mark between them.
HALVES = [(16, 496), (768, 1248)]
MIDDLE = (528, 344)


def swapping(canvas):
    """One half of the screen is full of grey text and the other blank; then the other way round."""
    unseen = canvas.pixmap(WIDTH, HEIGHT)
    dice = random.Random(5)

    def go(moment):
        left, right = HALVES[moment % 2]
        page_of_text(canvas, dice, unseen, left, right - left, ink=0x707070)
        canvas.mark(unseen, *MIDDLE, moment % MOMENTS)
        canvas.target.copy_area(canvas.context, unseen, 0, 0, WIDTH, HEIGHT, 0, 0)

    go(0)
    canvas.connection.sync()
    return go


class Seen:
    """What each picture says at each of its places; a place may be ahead of the others by some moments."""

    def __init__(self, path, places, scale=1.0):
        self.path, self.pictures = path, []
        for luma in decoded(path):
            says = [read(luma, x, y, scale) for x, y, _ in places]
            ahead = [step for _, _, step in places]
            values = [None if one is None else (one - step) % MOMENTS for one, step in zip(says, ahead)]
            if len(set(values)) > 1 and not self.torn:
                Image.fromarray(luma).save(path.with_suffix(".png"))
            self.pictures.append(values)

    @property
    def torn(self):
        return [values for values in self.pictures if len(set(values)) > 1]

    @property
    def moments(self):
        """How many different ones follow each other."""
        first = [values[0] for values in self.pictures]
        return sum(before != after for before, after in zip(first, first[1:]))

    def assert_whole(self, least):
        assert not self.torn, f"{len(self.torn)} of {len(self.pictures)} pictures are torn ({self.path}): {self.torn[:3]}"
        assert not any(None in values for values in self.pictures), "marks can't be read"
        assert self.moments >= least, f"only {self.moments} moments in {len(self.pictures)} pictures"


def decoded(path):
    with av.open(str(path)) as recording:
        for frame in recording.decode(video=0):
            plane = frame.planes[0]
            yield np.frombuffer(plane, np.uint8).reshape(plane.height, plane.line_size)[:, : plane.width]


@pytest.fixture
def canvas(display):
    """`canvas()`: a screen and something to draw on it with."""

    def make(*server):
        screen = display(WIDTH, HEIGHT, server=server)
        return Canvas(screen)

    return make


@pytest.fixture
def move(after):
    """`move(canvas, go, pauses)`: until the test is over."""

    def begin(*arguments):
        after(Mover(*arguments).kill)

    return begin


@pytest.fixture
def watch(lan, share, start, artifacts):
    """`watch(canvas, places, "--fps", "30")`: shares the screen and records what a viewer gets of it."""

    def record(canvas, places, *options, scale=1.0, seconds=5):
        share(lan, "--display", canvas.name, *options)
        path = artifacts / "seen.h264"
        with open(path, "wb") as file:
            viewer = start(sharer.view, lan, "--duration", seconds, output=file)
        assert viewer.wait(20) == 0, viewer.describe()
        return Seen(path, [(*place, 0) if len(place) == 2 else place for place in places], scale)

    return record


NO_SHARED_MEMORY = ["-extension", "MIT-SHM"]


@pytest.mark.parametrize(
    "server, options, scale",
    [([], [], 1.0), ([], ["--fps", "30", "--size", "640x360"], 0.5), (NO_SHARED_MEMORY, ["--fps", "30"], 1.0)],
    ids=["whole", "scaled", "through the connection"],
)
def test_stripes_that_scroll_over_the_screen_are_of_one_moment_from_top_to_bottom(
    canvas, watch, move, server, options, scale
):
    drawn = canvas(*server)
    move(drawn, scrolling(drawn, WIDTH, HEIGHT), steady(60))
    watch(drawn, stripe_places(WIDTH, HEIGHT), *options, scale=scale).assert_whole(least=40)


@pytest.mark.parametrize("is_alone", [False, True], ids=["part of the screen", "shared alone"])
def test_stripes_in_a_window_are_of_one_moment(canvas, watch, move, is_alone):
    x, y, width, height = 330, 170, 624, 385
    drawn = canvas()
    window = drawn.window(x, y, width, height)
    move(drawn, scrolling(drawn, width, height), steady(250))
    places = stripe_places(width, height)
    if is_alone:
        return watch(drawn, places, "--fps", "30", "--window", hex(window.id)).assert_whole(least=40)
    onscreen = [(x + left, y + top, ahead) for left, top, ahead in places]
    watch(drawn, onscreen, "--fps", "30").assert_whole(least=40)


def test_two_areas_far_apart_that_change_at_once_never_differ(canvas, watch, move):
    drawn = canvas()
    move(drawn, flipping(drawn, FAR_APART), restless())
    watch(drawn, FAR_APART).assert_whole(least=30)


def test_nor_do_they_when_only_one_was_known_to_change_before_the_other_did(canvas, watch, move):
    """The sharer hears of the first area, and its question waits until the second has changed too."""
    drawn = canvas()
    dice = random.Random(3)

    def between():
        drawn.connection.sync()
        time.sleep(dice.choice([0, 0.001, 0.005, 0.02]))

    move(drawn, grabbed(drawn, flipping(drawn, FAR_APART, between)), restless())
    watch(drawn, FAR_APART).assert_whole(least=30)


def test_nor_while_a_page_around_them_is_sharpened_in_parts(canvas, watch, move):
    drawn = canvas()
    move(drawn, turning(drawn, flipping(drawn, FAR_APART), FAR_APART, every=7), lingering())
    watch(drawn, FAR_APART, "--bitrate", "500k", seconds=9).assert_whole(least=10)


@pytest.mark.parametrize("kind", ["stripes", "areas"])
def test_a_source_that_is_torn_itself_is_seen_to_be(canvas, watch, move, kind):
    """What the tests above would see if a picture were of two moments."""
    drawn = canvas()

    def between():
        drawn.connection.sync()
        time.sleep(0.02)

    if kind == "stripes":
        go, places = scrolling(drawn, WIDTH, HEIGHT, between), stripe_places(WIDTH, HEIGHT)
    else:
        go, places = flipping(drawn, FAR_APART, between), FAR_APART
    move(drawn, go, steady(20))
    seen = watch(drawn, places, "--fps", "30", seconds=4)
    # What stands across the border of the two requests says nothing.
    of_two = [values for values in seen.torn if len(set(values) - {None}) == 2]
    assert len(of_two) >= 5, f"{len(seen.torn)} torn of {len(seen.pictures)}: {seen.torn[:3]}"


def test_nothing_of_a_page_stays_when_the_next_one_is_there(canvas, watch, move):
    drawn = canvas()
    move(drawn, swapping(drawn), steady(0.8))
    seen = watch(drawn, [MIDDLE], "--bitrate", "1M", seconds=9)
    seen.assert_whole(least=5)
    left_behind = []
    for number, (luma, (moment,)) in enumerate(zip(decoded(seen.path), seen.pictures)):
        blank = slice(*HALVES[1 - moment % 2])
        ink = int((luma[:, blank] < 190).sum())
        if ink > 20:
            left_behind.append((number, moment, ink))
    assert not left_behind, f"{len(left_behind)} pictures show two pages (picture, moment, pixels): {left_behind[:5]}"
