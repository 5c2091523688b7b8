"""Signals: one is obeyed whatever is waited for and leaves files complete, a second one ends what does not end."""

import fcntl
import os
import signal
import subprocess
import time

import pytest
from harness import annexb, containers, sharer
from harness.codes import OK
from harness.names import SilentNames, needs_root
from harness.paths import screenshare
from harness.processes import Process, drain, wait_until
from harness.sharer import paused


def test_who_was_started_by_nohup_outlives_the_hang_up(lan, start):
    server = start(Process, lan.command(["nohup", screenshare(), "serve"]), name="serve")
    server.wait_for("http://127.0.0.1:8080 ", 10)
    server.send(signal.SIGHUP)
    time.sleep(0.5)
    assert server.running
    assert server.stop(signal.SIGTERM, timeout=2) == OK


@needs_root
@pytest.mark.parametrize("command", ["host", "view"])
def test_a_signal_is_obeyed_while_a_name_is_looked_up(lan, start, artifacts, command):
    place = SilentNames(lan, start, artifacts)
    words = [screenshare(), command, "--room", "demo", "--stun", "stun:stun.example.org"]
    words += ["--test-pattern"] if command == "host" else []
    with open(artifacts / "out", "wb") as out:
        child = start(Process, place.command(words), name=command, stdout=out)
    time.sleep(1.5)
    assert child.running
    assert child.stop(timeout=2) == OK, child.describe()


SILENT_SERVER = """
import socket, time
listener = socket.create_server(("127.0.0.1", 8090))
print("listening", flush=True)
time.sleep(60)
"""


def test_a_signal_is_obeyed_while_the_server_does_not_answer(lan, start):
    silent = start(Process, lan.command(["python3", "-c", SILENT_SERVER]), name="silent server")
    silent.wait_for("listening", 5, key="out")
    command = [screenshare(), "host", "--room", "demo", "--test-pattern", "--signaling", "http://127.0.0.1:8090"]
    host = start(Process, lan.command(command), name="host")
    time.sleep(1)
    assert host.stop(timeout=2) == OK, host.describe()
    viewer = start(sharer.view, lan, output=subprocess.DEVNULL, signaling="http://127.0.0.1:8090")
    time.sleep(1)
    assert viewer.stop(timeout=2) == OK, viewer.describe()


def test_a_signal_is_obeyed_while_the_x_server_does_not_answer(lan, start):
    silent = start(Process, lan.command(["python3", "-c", SILENT_SERVER.replace("8090", "6077")]), name="silent X server")
    silent.wait_for("listening", 5, key="out")
    host = start(Process, lan.command([screenshare(), "host", "--room", "demo", "--display", "127.0.0.1:77"]), name="host")
    time.sleep(1)
    assert host.running
    assert host.stop(timeout=2) == OK, host.describe()


def test_a_second_signal_ends_a_sharer_whose_server_falls_silent(lan, share, start):
    server = start(sharer.Server, lan)
    host = share(lan, "--test-pattern", "--signaling", server.base, listen=None)
    server.process.send(signal.SIGSTOP)
    host.process.send(signal.SIGINT)
    time.sleep(1)
    assert host.process.running, "it gives its room back"
    assert host.stop(timeout=1) == OK


def host_of_a_silent_server(lan, start):
    server = start(sharer.Server, lan)
    command = [screenshare(), "host", "--room", "demo", "--test-pattern", "--signaling", server.base]
    host = start(Process, lan.command(["env", "--default-signal=HUP", *command]), name="host")
    host.wait_for("Open in a browser", 10)
    server.process.send(signal.SIGSTOP)
    return host


def test_a_terminal_that_closes_hangs_up_twice_and_that_is_one_wish(lan, start):
    host = host_of_a_silent_server(lan, start)
    for _ in range(2):
        host.send(signal.SIGHUP)
        time.sleep(0.5)
    assert host.running, "it gives its room back"
    assert host.stop(timeout=1) == OK, host.describe()


def test_two_signals_at_once_are_one_wish(lan, start):
    """timeout(1) signals its command and then the group; a session that is stopped hangs up and terminates."""
    host = host_of_a_silent_server(lan, start)
    host.send(signal.SIGTERM)
    host.send(signal.SIGHUP)
    time.sleep(0.7)
    assert host.running, "it gives its room back"
    assert host.stop(timeout=1) == OK, host.describe()


def end_by_two_signals(viewer):
    assert viewer.running, "it leaves its session"
    viewer.send(signal.SIGINT)
    time.sleep(0.3)
    assert viewer.stop(timeout=1) == OK, viewer.describe()


def test_signals_are_heard_once_all_is_written_and_the_server_falls_silent(lan, share, start):
    server = start(sharer.Server, lan)
    share(lan, "--test-pattern", "--signaling", server.base, listen=None)
    viewer = start(sharer.view, lan, "--frames", "45", output=subprocess.DEVNULL, signaling=server.base)
    viewer.wait_for("First picture", 10)
    server.process.send(signal.SIGSTOP)
    # Half of it for the pictures.
    time.sleep(3)
    end_by_two_signals(viewer)


def test_a_file_is_complete_at_the_first_signal_though_the_server_falls_silent(lan, share, start, artifacts):
    server = start(sharer.Server, lan)
    share(lan, "--test-pattern", "--signaling", server.base, listen=None)
    path = artifacts / "out.mkv"
    with open(path, "wb") as output:
        viewer = start(sharer.view, lan, "--container", "mkv", output=output, signaling=server.base)
    viewer.statistics.wait(lambda line: line["frames"] > 30, 15, "pictures")
    server.process.send(signal.SIGSTOP)
    end_by_two_signals(viewer)
    # Its length is written last.
    assert containers.length(path) > 0.5


def test_a_recording_ends_at_the_signal_not_once_the_server_has_answered(lan, share, start, artifacts):
    server = start(sharer.Server, lan)
    share(lan, "--test-pattern", "--signaling", server.base, listen=None)
    path = artifacts / "out.h264"
    with open(path, "wb") as output:
        viewer = start(sharer.view, lan, output=output, signaling=server.base)
    viewer.statistics.wait(lambda line: line["frames"] > 30, 15, "pictures")
    server.process.send(signal.SIGSTOP)
    shown = time.monotonic() - viewer.started
    assert viewer.stop(timeout=10) == OK, viewer.describe()
    stream = annexb.probe(path)
    assert stream["pictures"] / stream["fps"] < shown + 0.5


def test_a_sound_file_is_complete_though_nobody_reads_the_video(lan, share, start, artifacts):
    host = share(lan, "--test-pattern")
    path = artifacts / "out.wav"
    reading, writing = os.pipe()
    # Less than a picture.
    fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, 4096)
    viewer = start(sharer.view, lan, "--audio", path, output=writing, signaling=host.base)
    os.close(writing)
    viewer.wait_for("First picture", 10)
    viewer.send(signal.SIGINT)
    # A header is written before the sound, or at the end where there is none.
    wait_until(lambda: path.stat().st_size > 0, 3, "the sound's file")
    assert viewer.running, "its reader has not taken the video"
    os.close(reading)
    assert viewer.wait(5) == OK, viewer.describe()


def test_signals_are_heard_once_the_reader_has_gone_and_the_server_falls_silent(lan, share, start):
    server = start(sharer.Server, lan)
    host = share(lan, "--test-pattern", "--signaling", server.base, listen=None)
    reading, writing = os.pipe()
    viewer = start(sharer.view, lan, output=writing, signaling=server.base)
    os.close(writing)
    assert os.read(reading, 1)
    paused(host)
    drain(reading)
    server.process.send(signal.SIGSTOP)
    os.close(reading)
    # It is noticed within one.
    time.sleep(1.5)
    end_by_two_signals(viewer)
