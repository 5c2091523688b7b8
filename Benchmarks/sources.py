"""Programs that draw on a display what the benchmarks look at, and log when they drew it.

    sources.py film --display :N --log FILE --seconds S [--rate 24] [--edits E] [--plain]
    sources.py desktop --display :N --log FILE --seconds S
    sources.py pointer --display :N --seconds S
    sources.py clip FILE --rate R --seconds S
    sources.py pages FOLDER
    sources.py build --seconds S

`film` is a player on a display of 60 Hz: at each tick it puts the picture that is due on the screen, so that one of 24
a second is put three and two times in turn. At an edit the number jumps and the turn is broken (3, 3 or 2, 2). With
--plain each picture is put once, when it is due. Every picture carries its number, as screensource's clock is drawn.
The log has a line a put: "<realtime_us> <number> <1 if it is a repeat>".

`desktop` types, blinks, scrolls and drags at irregular times. Its log is a pickle a change: time in microseconds, x, y,
shape, and the grey pixels there from now on (zlib). `clip` is what `film` draws, as a film's file.
"""

import argparse
import math
import pickle
import random
import subprocess
import sys
import time
import zlib
from pathlib import Path

import numpy
from PIL import Image, ImageDraw, ImageFont

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Tests/Support/screensource"))

from timecode import crc8  # noqa: E402

REFRESH = 60
# Of the film's window, and of the blocks of its number.
PLACE, SIZE, BLOCK = (100, 100), (640, 360), 16
FONTS = "/usr/share/fonts/truetype/dejavu/"
PIXMAPS = 48


def white_blocks(number):
    """Where blocks of the number are white."""
    value = number << 8 | crc8(number)
    return [(i % 20 * BLOCK, i // 20 * BLOCK) for i in range(40) if value >> (39 - i) & 1]


def film_pictures(count):
    """So many pictures of something that moves everywhere, and begins again behind them, without numbers."""
    dice = numpy.random.default_rng(7)
    texture = sum(
        numpy.asarray(Image.fromarray(dice.integers(0, 256, (side, side, 3), numpy.uint8)).resize((1024, 1024)), float)
        * share
        for side, share in ((12, 0.5), (48, 0.3), (192, 0.2))
    ).astype(numpy.uint8)
    for k in range(count):
        turn = 2 * math.pi * k / count
        x, y = int(190 + 180 * math.cos(turn)), int(330 + 160 * math.sin(turn))
        yield texture[y : y + SIZE[1], x : x + SIZE[0]]


def with_number(picture, number):
    picture = picture.copy()
    picture[: 2 * BLOCK, : 20 * BLOCK] = 0
    for x, y in white_blocks(number):
        picture[y : y + BLOCK, x : x + BLOCK] = 255
    return picture


class Canvas:
    """A window whose changes appear whole: they are made out of sight and copied in one request."""

    def __init__(self, display, place, size):
        from Xlib import X
        from Xlib import display as xdisplay

        self.x = X
        self.display = xdisplay.Display(display)
        screen = self.display.screen()
        self.depth = screen.root_depth
        self.window = screen.root.create_window(*place, *size, 0, self.depth, override_redirect=True)
        self.context = self.window.create_gc(graphics_exposures=False)
        self.back = self.pixmap(size)
        self.window.map()
        self.display.sync()

    def pixmap(self, size):
        return self.window.create_pixmap(*size, self.depth)

    def upload(self, target, x, y, pixels):
        """RGB or grey pixels, in strips that fit a request."""
        height, width = pixels.shape[:2]
        rgb = numpy.broadcast_to(pixels.reshape(height, width, -1), (height, width, 3))
        words = numpy.zeros((height, width, 4), numpy.uint8)
        words[..., :3] = rgb[..., ::-1]
        rows = 250_000 // (width * 4)
        for top in range(0, height, rows):
            strip = words[top : top + rows]
            target.put_image(
                self.context, x, y + top, width, len(strip), self.x.ZPixmap, self.depth, 0, strip.tobytes()
            )

    def fill(self, colour, boxes):
        self.context.change(foreground=colour)
        self.back.poly_fill_rectangle(self.context, boxes)

    def show(self, x, y, width, height):
        self.window.copy_area(self.context, self.back, x, y, width, height, x, y)
        self.display.sync()
        return time.time_ns() // 1000


def sleep_until(instant):
    time.sleep(max(0, instant - time.monotonic()))


# MARK: A film


def holds(rate, seconds, edits, dice):
    """The number of each picture and for how many ticks it stands: 3 and 2 in turn for 24 a second."""
    step, passed, number, error, before = REFRESH / rate, 0, 0, 0.0, 0.0
    cuts = [seconds * REFRESH * (k + dice.uniform(0.7, 1.0)) / (edits + 1) for k in range(edits)]
    while passed < seconds * REFRESH:
        if cuts and passed >= cuts[0]:
            cuts.pop(0)
            number = (number // 10_000 + 1) * 10_000
            error = before  # the last picture's hold comes again
        before, error = error, error + step
        ticks, error = math.floor(error + 0.5), error - math.floor(error + 0.5)
        yield number, ticks
        number, passed = number + 1, passed + ticks


def film(arguments):
    canvas = Canvas(arguments.display, PLACE, SIZE)
    pictures = []
    for pixels in film_pictures(PIXMAPS):
        pictures.append(canvas.pixmap(SIZE))
        canvas.upload(pictures[-1], 0, 0, pixels)
    canvas.display.sync()
    schedule = list(holds(arguments.rate, arguments.seconds, arguments.edits, random.Random(arguments.edits)))
    print("READY", flush=True)
    with open(arguments.log, "w") as log:
        play(canvas, pictures, schedule, arguments, log)


def play(canvas, pictures, schedule, arguments, log):
    began, tick = time.monotonic() + 0.1, 0
    for count, (number, ticks) in enumerate(schedule):
        canvas.back.copy_area(canvas.context, pictures[count % PIXMAPS], 0, 0, *SIZE, 0, 0)
        canvas.fill(0, [(0, 0, 20 * BLOCK, 2 * BLOCK)])
        canvas.fill(0xFFFFFF, [(x, y, BLOCK, BLOCK) for x, y in white_blocks(number)])
        for again in range(1 if arguments.plain else ticks):
            sleep_until(began + (count / arguments.rate if arguments.plain else (tick + again) / REFRESH))
            log.write(f"{canvas.show(0, 0, *SIZE)} {number} {int(again > 0)}\n")
        tick += ticks


def clip(arguments):
    """H.264 in MP4, as a person has it; each picture with its number."""
    width, height = SIZE
    command = ["ffmpeg", "-v", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width}x{height}"]
    settings = ["-pix_fmt", "yuv420p", "-crf", "16", "-preset", "veryfast", "-threads", "1", arguments.file]
    pictures = list(film_pictures(PIXMAPS))
    with subprocess.Popen([*command, "-r", str(arguments.rate), "-i", "-", *settings], stdin=subprocess.PIPE) as child:
        for number in range(int(arguments.rate * arguments.seconds)):
            child.stdin.write(with_number(pictures[number % PIXMAPS], number).tobytes())


# MARK: A desktop

SCREEN = (1280, 720)
EDITOR = (40, 60, 560, 600)
PAGE = (640, 60, 600, 600)
WINDOW = (260, 180)
LINE, LETTER = 20, 9
TEXT = "the picture that is new leaves in its slot and what was shown before is not sent again because nobody sees it"


def text_lines(count, width, dice):
    """Dark text on white, as one tall picture."""
    image = Image.new("L", (width, count * LINE), 255)
    draw, font = ImageDraw.Draw(image), ImageFont.truetype(FONTS + "DejaVuSansMono.ttf", 14)
    for line in range(count):
        words = dice.sample(TEXT.split(), dice.randint(2, 8))
        draw.text((8, line * LINE), f"{line:3} " + " ".join(words), 20, font)
    return numpy.asarray(image)


class Desktop:
    """What stands on the screen, and what a person does to it."""

    def __init__(self, canvas, log):
        self.canvas, self.log, self.dice = canvas, log, random.Random(5)
        self.page = text_lines(400, PAGE[2], self.dice)
        self.font = ImageFont.truetype(FONTS + "DejaVuSansMono.ttf", 15)
        self.under = numpy.full(SCREEN[::-1], 90, numpy.uint8)
        self.window = numpy.full(WINDOW[::-1], 200, numpy.uint8)
        self.window[:24] = 40
        self.window[40:-20, 20:-20] = text_lines(6, WINDOW[0] - 40, self.dice)
        self.dragged = (300, 250)
        self.cursor, self.lit, self.top = (0, 0), False, 0
        self.fill(*EDITOR, 250)
        self.scroll_to(0)
        self.shown = None
        self.update((0, 0, *SCREEN))

    def fill(self, x, y, width, height, value):
        self.under[y : y + height, x : x + width] = value

    def scroll_to(self, top):
        x, y, width, height = PAGE
        self.top = top
        self.under[y : y + height, x : x + width] = self.page[top : top + height]

    def update(self, box):
        """Shows a part of what stands there now; what looks as before is no change."""
        x, y = max(0, box[0]), max(0, box[1])
        right, bottom = min(SCREEN[0], box[0] + box[2]), min(SCREEN[1], box[1] + box[3])
        whole = self.under.copy()
        left, top = self.dragged
        whole[top : top + WINDOW[1], left : left + WINDOW[0]] = self.window
        part = whole[y:bottom, x:right]
        if self.shown is not None and numpy.array_equal(part, self.shown[y:bottom, x:right]):
            return
        self.shown = whole
        self.canvas.upload(self.canvas.back, x, y, part)
        at = self.canvas.show(x, y, right - x, bottom - y)
        pickle.dump((at, x, y, part.shape, zlib.compress(part.tobytes(), 1)), self.log)

    def cell(self):
        column, row = self.cursor
        return EDITOR[0] + 8 + column * LETTER, EDITOR[1] + 8 + row * LINE, LETTER, LINE

    def blink(self):
        self.lit = not self.lit
        x, y, width, height = self.cell()
        self.fill(x, y, 2, height, 0 if self.lit else 250)
        self.update((x, y, width, height))

    def key(self):
        x, y, width, height = self.cell()
        letter = Image.new("L", (width, height), 250)
        ImageDraw.Draw(letter).text((0, 1), self.dice.choice("abcdefghkmnopqrstuvwxyz"), 20, self.font)
        self.under[y : y + height, x : x + width] = numpy.asarray(letter)
        column, row = self.cursor
        self.cursor = (column + 1, row) if column < 55 else (0, (row + 1) % 28)
        self.update((x, y, width, height))

    def scroll(self, lines):
        limit = self.page.shape[0] - PAGE[3]
        self.scroll_to(max(0, min(limit, self.top + lines * LINE)))
        self.update(PAGE)

    def drag(self, dx, dy):
        x, y = self.dragged
        self.dragged = (
            max(0, min(SCREEN[0] - WINDOW[0], x + dx)), max(0, min(SCREEN[1] - WINDOW[1], y + dy))
        )
        left, top = min(x, self.dragged[0]), min(y, self.dragged[1])
        self.update((left, top, abs(x - self.dragged[0]) + WINDOW[0], abs(y - self.dragged[1]) + WINDOW[1]))

    def live(self, seconds):
        """One thing after another, as a person does them, until the time is up."""
        end, dice = time.monotonic() + seconds, self.dice
        doings = (self.type_for, self.rest_for, self.scroll_for, self.spin_for, self.drag_for)
        while time.monotonic() < end:
            dice.choice(doings)(min(end, time.monotonic() + dice.uniform(1, 5)))

    def type_for(self, end):
        while time.monotonic() < end:
            self.key()
            time.sleep(max(0.03, self.dice.gauss(0.14, 0.06)))

    def rest_for(self, end):
        while time.monotonic() < end:
            self.blink()
            time.sleep(0.53)

    def scroll_for(self, end):
        """A line or more at a time, with a wheel."""
        way = self.dice.choice((-1, 1))
        while time.monotonic() < end:
            self.scroll(way * self.dice.choice((1, 3)))
            time.sleep(self.dice.choice((0.03, 0.08, 0.12, 0.4)) * self.dice.uniform(0.7, 1.3))

    def spin_for(self, end):
        """Smoothly, at the display's rate, for a moment; then a rest."""
        way, began = self.dice.choice((-1, 1)), time.monotonic()
        for tick in range(self.dice.randint(10, 50)):
            sleep_until(began + tick / REFRESH)
            self.scroll(way)
        sleep_until(end)

    def drag_for(self, end):
        angle = self.dice.uniform(0, 2 * math.pi)
        while time.monotonic() < end:
            angle += self.dice.gauss(0, 0.3)
            speed = self.dice.uniform(2, 14)
            self.drag(int(speed * math.cos(angle)), int(speed * math.sin(angle)))
            time.sleep(1 / REFRESH if self.dice.random() > 0.05 else 0.25)


def desktop(arguments):
    canvas = Canvas(arguments.display, (0, 0), SCREEN)
    with open(arguments.log, "wb") as log:
        made = Desktop(canvas, log)
        print("READY", flush=True)
        made.live(arguments.seconds)


# MARK: The rest


def pointer(arguments):
    """Sixty steps a second."""
    from Xlib import display as xdisplay

    display = xdisplay.Display(arguments.display)
    root, began = display.screen().root, time.monotonic()
    print("READY", flush=True)
    for tick in range(int(arguments.seconds * REFRESH)):
        sleep_until(began + tick / REFRESH)
        root.warp_pointer(150 + tick * 7 % 850, 150 + tick * 7 // 3 % 450)
        display.sync()


def pages(arguments):
    """A text as PDF and as HTML."""
    dice, folder = random.Random(3), Path(arguments.file)
    words = TEXT.split()
    lines = [" ".join(dice.choices(words, k=12)) for _ in range(1600)]
    font, sheets = ImageFont.truetype(FONTS + "DejaVuSerif.ttf", 26), []
    for first in range(0, 1600, 40):
        sheet = Image.new("L", (1240, 1754), 255)
        ImageDraw.Draw(sheet).multiline_text((100, 100), "\n".join(lines[first : first + 40]), 0, font, spacing=10)
        sheets.append(sheet)
    sheets[0].save(folder / "text.pdf", save_all=True, append_images=sheets[1:], resolution=150)
    body = "".join(f"<h2>Part {i // 40}</h2>" * (i % 40 == 0) + f"<p>{line}</p>" for i, line in enumerate(lines))
    (folder / "text.html").write_text(f"<!doctype html><meta charset=utf-8><title>Text</title><body>{body}")


def build(arguments):
    """A compiler's output: many short lines at once, long waits, now and then a warning of several lines."""
    dice, end, step = random.Random(9), time.monotonic() + arguments.seconds, 0
    names = ["Frame", "Grid", "Codec", "Packet", "Socket", "Picture", "Screen", "Clock", "Queue", "Viewer"]
    while time.monotonic() < end:
        step += 1
        name = "".join(dice.sample(names, 2))
        print(f"[{step}/2400] Compiling {dice.choice(names)}Core {name}.c -O2 -Wall -o build/{name.lower()}.o")
        if dice.random() < 0.06:
            print(f"{name}.c:{dice.randint(3, 900)}:{dice.randint(1, 80)}: \033[35mwarning:\033[0m unused variable")
            print(f"    int {name.lower()} = {dice.randint(0, 99)};\n        ^~~~~~~~~", flush=True)
        sys.stdout.flush()
        time.sleep(dice.choice((0.004, 0.02, 0.05, 0.15, 0.6)) * dice.uniform(0.5, 1.5))
    time.sleep(3600)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", choices=("film", "desktop", "pointer", "clip", "pages", "build"))
    parser.add_argument("file", nargs="?")
    parser.add_argument("--display")
    parser.add_argument("--log")
    parser.add_argument("--rate", type=float, default=24)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--edits", type=int, default=0)
    parser.add_argument("--plain", action="store_true")
    arguments = parser.parse_args()
    globals()[arguments.program](arguments)


if __name__ == "__main__":
    main()
