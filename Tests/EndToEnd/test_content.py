"""What is shared decides how fast frames leave: films at their own rate, everything else at up to fifteen a second."""

import threading
import time

import pytest
from harness import sharer
from harness.measures import best_of
from harness.processes import Process
from Xlib import display as xdisplay

# Rates of pictures are held to bounds; player, sharer and viewer take a quarter of a processor.
pytestmark = pytest.mark.quiet

DESK = (13.0, 15.6)


@pytest.fixture
def film(start):
    """`film(screen, 24)`: something that plays in a window of 960×540, by a player that shows each picture when it is due.

    ffplay shows some a whole picture late where the machine is slow, which is no film's cadence.
    """

    def play(screen, rate):
        picture = f"av://lavfi:testsrc2=size=960x540:rate={rate}"
        plain = ["--no-config", "--no-terminal", "--no-audio", "--no-osc", "--osd-level=0", "--cursor-autohide=no"]
        window = ["--vo=x11", "--framedrop=no", "--no-border", "--geometry=960x540+100+100"]
        return start(Process, ["mpv", *plain, *window, picture], name="mpv", env={"DISPLAY": screen.name})

    return play


@pytest.fixture
def wandering_pointer(after):
    """`wandering_pointer(screen)`: a pointer that is moved over the screen sixty times a second."""

    def begin(screen):
        ended = threading.Event()

        def move():
            connection = xdisplay.Display(screen.name)
            root = connection.screen().root
            step = 0
            while not ended.wait(1 / 60):
                step += 7
                root.warp_pointer(150 + step % 850, 150 + step // 3 % 450)
                connection.sync()
            connection.close()

        thread = threading.Thread(target=move)
        thread.start()

        def end():
            ended.set()
            thread.join()

        after(end)

    return begin


@pytest.fixture
def log(start):
    """`log(screen, 30)`: a terminal of some 600×650 beside that, which so many lines a second are written to."""

    def write(screen, rate):
        lines = f"import time\nfor n in range(10**6): print(n, 'compiling', 'x' * (n % 60), flush=True); time.sleep({1 / rate})"
        command = ["xterm", "-geometry", "95x48+1100+100", "-e", "python3", "-c", lines]
        return start(Process, command, name="xterm", env={"DISPLAY": screen.name})

    return write


def plays(rate):
    """Whether a line of statistics tells of a film of that rate."""
    return lambda line: line.get("content") == "video" and line.get("cadence") == rate


def rates(host, seconds):
    """Frames a second of so many of the next statistics."""
    seen = len(host.statistics.all())
    time.sleep(seconds + 0.5)
    return [line["fps"] for line in host.statistics.all()[seen : seen + seconds]]


def watch(lan, start, host):
    viewer = start(sharer.gstreamer, lan, host.whep, "--no-decode", "--duration", "120")
    viewer.event("first", 20)
    return viewer


def test_a_pointer_over_a_page_makes_ten_frames_a_second_at_most(lan, start, display, share, wandering_pointer):
    screen = display(1280, 720)
    host = share(lan, "--display", screen.name, "--mode", "detail")
    watch(lan, start, host)
    wandering_pointer(screen)
    time.sleep(2)
    moving = rates(host, 4)
    assert 7 <= sum(moving) / 4 <= 10.1, moving


@pytest.mark.parametrize("rate", [24, 25])
def test_a_film_is_found_and_followed_under_a_moving_pointer_until_it_ends(
    lan, start, display, share, film, wandering_pointer, rate
):
    screen = display(1280, 720)
    host = share(lan, "--display", screen.name)
    watch(lan, start, host)
    playing = film(screen, rate)
    host.statistics.wait(plays(rate), 10, "a film")
    # The first second began before.
    best_of(lambda: rates(host, 5)[1:], lambda alone: sum(alone) / 4 == pytest.approx(rate, abs=0.5))
    wandering_pointer(screen)
    moving = rates(host, 6)[1:]
    # On a busy machine the pointer costs the film's clock a moment now and then.
    assert sum(moving) / 5 == pytest.approx(rate, abs=3), moving
    assert host.statistics.last["content"] == "video"
    playing.kill()
    host.statistics.wait(lambda line: line["content"] == "app", 5, "no film")
    text = host.text()
    assert f"A video plays, {rate} pictures a second." in text and "The video has ended." in text


def test_a_log_that_is_written_beside_a_film_does_not_end_it(lan, start, display, share, film, log):
    screen = display(1920, 1080)
    host = share(lan, "--display", screen.name)
    watch(lan, start, host)
    film(screen, 24)
    host.statistics.wait(plays(24), 10, "a film")
    seen = len(host.statistics.all())
    writing = log(screen, 30)
    fps = rates(host, 8)
    writing.kill()
    time.sleep(3)
    lines = host.statistics.all()[seen:]
    assert all(map(plays(24), lines)), lines
    assert sum(fps[1:]) / 7 == pytest.approx(24, abs=2), fps
    assert "The video has ended." not in host.text()


def test_a_film_that_begins_beside_a_log_is_found(lan, start, display, share, film, log):
    screen = display(1920, 1080)
    host = share(lan, "--display", screen.name)
    watch(lan, start, host)
    log(screen, 30)
    time.sleep(4)
    assert not any(line.get("content") == "video" for line in host.statistics.all())
    film(screen, 24)
    host.statistics.wait(plays(24), 10, "a film")


def test_a_film_goes_on_where_the_screen_gets_another_size(lan, start, display, share, film):
    screen = display(1280, 720)
    host = share(lan, "--display", screen.name)
    watch(lan, start, host)
    film(screen, 24)
    host.statistics.wait(plays(24), 10, "a film")
    seen = len(host.statistics.all())
    screen.resize(1152, 648)
    host.process.wait_for("Sharing 1152x648", 5)
    assert sum(rates(host, 5)[1:]) / 4 == pytest.approx(24, abs=3)
    assert all(line["content"] == "video" for line in host.statistics.all()[seen:])
    assert "The video has ended." not in host.text()


@pytest.mark.parametrize("mode", ["scroll", "type"])
def test_scrolling_and_typing_are_no_film(lan, start, display, share, mode):
    screen = display(1280, 720)
    screen.show(mode)
    host = share(lan, "--display", screen.name)
    watch(lan, start, host)

    def stretch():
        fps = rates(host, 8)
        assert max(fps) <= DESK[1], fps
        return fps[1:]

    # Who types rests in between.
    best_of(stretch, lambda fps: mode != "scroll" or min(fps) >= DESK[0])
    assert not any(line.get("content") == "video" for line in host.statistics.all())


def test_a_forced_rate_is_kept_whatever_plays(lan, start, display, share):
    screen = display(1280, 720)
    screen.show("video24")
    host = share(lan, "--display", screen.name, "--fps", "30")
    watch(lan, start, host)
    fps = rates(host, 4)
    assert all(23 <= rate <= 31.5 for rate in fps[1:]), fps
    assert "content" not in host.statistics.last or host.statistics.last["content"] is None
