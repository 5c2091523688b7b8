"""However it ends, it ends cleanly, in time, and the exit code says how (sysexits)."""

import fcntl
import os
import pty
import signal
import subprocess
import termios
import time

import pytest
from harness import annexb, sharer
from harness.codes import IO_ERROR, OK, UNAVAILABLE, USAGE
from harness.measures import best_of
from harness.paths import screenshare
from harness.processes import Process, drain, wait_until
from harness.sharer import paused


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda number: number.name)
def test_the_sharer_ends_within_two_seconds_and_tells_its_viewers(lan, share, start, number):
    host = share(lan, "--test-pattern")
    viewer = start(sharer.aiortc, lan, host.whep, "--duration", "30")
    viewer.event("first")
    assert host.stop(number, timeout=2) == OK
    viewer.event("closed", 5)


def test_a_share_with_a_duration_ends_by_itself(lan, share):
    host = share(lan, "--test-pattern", "--duration", "2")
    assert host.process.wait(5) == OK


def test_statistics_that_cannot_be_written_are_told_and_the_share_goes_on(lan, start):
    command = [screenshare(), "host", "--room", "demo", "--test-pattern", "--listen", "127.0.0.1:8080"]
    host = start(Process, lan.command([*command, "--stats-json", "/dev/full", "--duration", "3"]), name="host")
    host.wait_for("statistics can't be written", 5)
    assert host.wait(8) == IO_ERROR, host.describe()


def test_a_reader_of_statistics_that_stops_reading_holds_nothing_up(lan, start):
    reading, writing = os.pipe()
    fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, 4096)
    os.write(writing, b" " * 4096)
    command = [screenshare(), "host", "--room", "demo", "--test-pattern", "--stats-json", "-"]
    host = start(Process, lan.command(command), name="host", stdout=writing)
    host.wait_for("Open in a browser", 10)
    time.sleep(2.5)
    assert host.stop(timeout=2) == OK, host.describe()
    os.close(writing)
    os.close(reading)


def without(closed, *command):
    """A command that begins with a descriptor closed (`>&-`)."""
    return ["sh", "-c", f'exec "$@" {closed}', "sh", *command]


def test_without_standard_output_a_viewer_writes_into_no_other_file(lan, start, tmp_path):
    sound = tmp_path / "out.opus"
    command = [screenshare(), "view", "--room", "demo", "--wait", "0", "--audio", sound]
    viewer = start(Process, lan.command(without(">&-", *command)), name="view")
    assert viewer.wait(5) == IO_ERROR, viewer.describe()
    assert "standard output is closed" in viewer.text() and not sound.exists()


def test_without_standard_output_there_is_no_place_for_statistics(lan, start):
    command = [screenshare(), "host", "--room", "demo", "--test-pattern", "--stats-json", "-"]
    host = start(Process, lan.command(without(">&-", *command)), name="host")
    assert host.wait(5) == IO_ERROR, host.describe()
    assert "standard output is closed" in host.text()


def test_without_standard_error_words_get_into_no_file(lan, start, tmp_path):
    statistics = tmp_path / "s.jsonl"
    command = [screenshare(), "host", "--room", "demo", "--test-pattern", "--stats-json", statistics, "--duration", "3"]
    host = start(Process, lan.command(without("2>&-", *command)), name="host")
    wait_until(lambda: statistics.exists() and statistics.read_text(), 10, "statistics")
    assert os.readlink(f"/proc/{host.pid}/fd/2") == "/dev/null"
    assert host.wait(10) == OK
    lines = statistics.read_text().splitlines()
    assert len(lines) >= 2 and all(line.startswith("{") for line in lines)


def test_a_viewer_that_waits_for_so_long_does_not_wait_for_a_paused_share_longer(lan, share, start):
    host = share(lan, "--test-pattern")
    paused(host)
    viewer = start(sharer.view, lan, "--wait", "2", output=subprocess.DEVNULL, signaling=host.base)
    assert viewer.wait(8) == UNAVAILABLE, viewer.describe()
    assert "paused" in viewer.text() and "no picture" in viewer.text()


def test_a_reader_that_goes_while_nothing_comes_ends_the_viewer(lan, share, start):
    host = share(lan, "--test-pattern")
    reading, writing = os.pipe()
    viewer = start(sharer.view, lan, output=writing, signaling=host.base)
    os.close(writing)
    assert os.read(reading, 1)
    paused(host)
    drain(reading)
    os.close(reading)
    assert viewer.wait(5) == OK, viewer.describe()


def test_the_sharer_ends_when_the_x_server_dies(lan, display, share):
    screen = display(1280, 720, "scroll")
    host = share(lan, "--display", screen.name)
    host.statistics.wait(lambda line: line["state"] == "live", 5, "live")
    screen.server.child.kill()
    assert host.process.wait(2) == UNAVAILABLE
    assert "X server" in host.text() or "display" in host.text()


def test_a_killed_x_server_is_noticed_while_nobody_watches_a_still_screen(lan, display, share):
    screen = display(1280, 720)
    host = share(lan, "--display", screen.name)
    screen.server.child.kill()
    assert host.process.wait(2) == UNAVAILABLE


def test_a_source_that_ends_while_the_server_is_slow_is_why_the_sharer_ends(lan, display, start):
    screen = display(640, 480)
    server = start(sharer.Server, lan)
    server.process.send(signal.SIGSTOP)
    command = [screenshare(), "host", "--room", "demo", "--display", screen.name, "--signaling", server.base]
    host = start(Process, lan.command(command), name="host")
    # Its kernel takes the connection, and the sharer asks for a room once it captures.
    wait_until(lambda: ":8080" in lan.place.run("ss", "-Htn", "state", "established"), 10, "the request for a room")
    screen.server.child.kill()
    wait_until(lambda: not lan.place.run("ss", "-Huan").strip(), 3, "the end of the share")
    server.process.send(signal.SIGCONT)
    assert host.wait(5) == UNAVAILABLE, host.describe()
    assert "X server" in host.text() or "display" in host.text()


def test_a_viewer_whose_pipe_closes_ends_quietly(lan, share, artifacts):
    host = share(lan, "--test-pattern")
    command = lan.command([screenshare(), "view", "--room", "demo", "--signaling", host.base])
    reader = Process(["bash", "-c", '"$@" | head -c 1000 >"$0"; exit ${PIPESTATUS[0]}', artifacts / "head", *command])
    assert reader.wait(10) == OK, reader.describe()
    head = (artifacts / "head").read_bytes()
    assert len(head) == 1000 and annexb.types(head)[:2] == [annexb.SPS, annexb.PPS]
    host.statistics.wait(lambda line: line["viewers"] == 0, 4, "no viewer")


def test_a_full_disk_is_an_error(lan, share, start):
    host = share(lan, "--test-pattern")
    with open("/dev/full", "wb") as full:
        viewer = start(sharer.view, lan, output=full, signaling=host.base)
    assert viewer.wait(10) == IO_ERROR
    assert "space" in viewer.text()
    host.statistics.wait(lambda line: line["viewers"] == 0, 4, "no viewer")


REPORTS = [["sources"], ["sources", "--json"], ["doctor", "--audio", "none"], ["doctor", "--audio", "none", "--json"]]


@pytest.mark.parametrize("words", REPORTS, ids=" ".join)
def test_what_is_found_and_cannot_be_written_is_an_error(lan, display, run, words):
    words = [*words, "--display", display(640, 480).name]
    with open("/dev/full", "wb") as full:
        done = run(*words, place=lan, capture_output=False, stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == IO_ERROR and "space" in done.stderr, done


@pytest.mark.parametrize(
    "words", [["--help"], ["host", "--help"], ["--version"], ["--generate-completion-script", "bash"]], ids=" ".join)
def test_help_and_completions_that_cannot_be_written_are_an_error(run, words):
    with open("/dev/full", "wb") as full:
        done = run(*words, capture_output=False, stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == IO_ERROR and "space" in done.stderr, done


@pytest.mark.parametrize("words", REPORTS, ids=" ".join)
def test_a_reader_that_has_gone_before_anything_is_found_is_no_error(lan, display, run, words):
    words = [*words, "--display", display(640, 480).name]
    reading, writing = os.pipe()
    os.close(reading)
    done = run(*words, place=lan, capture_output=False, stdout=writing, stderr=subprocess.PIPE)
    os.close(writing)
    assert done.returncode == OK and "screenshare:" not in done.stderr, done


def test_view_does_not_write_to_a_terminal(lan, share):
    host = share(lan, "--test-pattern")
    master, slave = pty.openpty()
    viewer = Process(lan.command([screenshare(), "view", "--room", "demo", "--signaling", host.base]), stdout=slave)
    os.close(slave)
    assert viewer.wait(5) == USAGE
    assert "terminal" in viewer.text()
    os.close(master)


# Of what somebody who joined before the harm got.
UNHARMED = 0.93


@pytest.mark.timeout(150)
def test_a_viewer_that_stops_reading_harms_nobody(lan, share, start):
    """A stopped viewer (SIGSTOP) leaves the other one its pictures."""

    def ratio():
        host = share(lan, "--test-pattern")
        stuck = start(sharer.view, lan, output=subprocess.DEVNULL, signaling=host.base)
        # Until then there are fewer pictures, for everybody.
        host.process.wait_for("A video plays", 10)
        before = start(sharer.aiortc, lan, host.whep, "--duration", "4").event("summary", 20)
        stuck.send(signal.SIGSTOP)
        other = start(sharer.aiortc, lan, host.whep, "--duration", "5").event("summary", 20)
        stuck.kill()
        host.kill()
        return other["fps"] / before["fps"]

    best_of(ratio, lambda found: found >= UNHARMED)


@pytest.mark.timeout(150)
def test_viewers_that_vanish_without_a_word_harm_nobody(lan, share, start):
    """Killed browsers and peers stay on the sharer's list for a while; who comes next must not notice."""

    def other():
        host = share(lan, "--test-pattern")
        watching = start(sharer.view, lan, output=subprocess.DEVNULL, signaling=host.base)
        host.process.wait_for("A video plays", 10)
        before = start(sharer.aiortc, lan, host.whep, "--duration", "4").event("summary", 20)
        for _ in range(3):
            gone = start(sharer.aiortc, lan, host.whep, "--duration", "30")
            gone.event("first")
            gone.child.kill()
        watching.child.kill()
        host.statistics.wait(lambda line: line["viewers"] == 4, 5, "four viewers listed")
        summary = start(sharer.aiortc, lan, host.whep, "--duration", "4").event("summary", 20)
        host.kill()
        return summary["firstFrameMs"], summary["fps"] / before["fps"]

    best_of(other, lambda found: found[0] < 1500 and found[1] >= UNHARMED)


def test_keys_on_a_terminal_pause_and_quit(lan):
    """`p` pauses and resumes, `q` quits; the status line is updated in place, the terminal put back at the end."""
    command = lan.command([screenshare(), "host", "--test-pattern", "--room", "demo", "--listen", "127.0.0.1:8080"])
    child, terminal = pty.fork()
    if child == 0:
        os.execvp(command[0], command)
    try:
        settings = termios.tcgetattr(terminal)
        shown = read_terminal(terminal, "/r/demo", 15)
        os.write(terminal, b"p")
        shown += read_terminal(terminal, "is paused", 5)
        os.write(terminal, b"p")
        shown += read_terminal(terminal, "is live", 5)
        shown += read_terminal(terminal, "\r", 5)
        os.write(terminal, b"q")
        ended = wait_until(lambda: [end for end in [os.waitpid(child, os.WNOHANG)] if end[0]], 5, "the end")
        assert os.waitstatus_to_exitcode(ended[0][1]) == OK
        assert termios.tcgetattr(terminal)[3] == settings[3]
    finally:
        os.close(terminal)


def read_terminal(master, text, timeout):
    deadline, got = time.monotonic() + timeout, ""
    os.set_blocking(master, False)
    while text not in got.lower():
        assert time.monotonic() < deadline, f"no {text!r} in {got!r}"
        try:
            got += os.read(master, 65536).decode(errors="replace")
        except BlockingIOError:
            time.sleep(0.02)
    return got
