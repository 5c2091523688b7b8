"""`make demo` where there is no display that can be shared: something to see, and nothing left behind."""

import os
import signal
import subprocess

import pytest
from harness import sharer
from harness.paths import ROOT
from harness.processes import Process


@pytest.fixture
def demonstrate(lan, program, start):
    """`demonstrate(DISPLAY="")`: the demo, whose X server sees no sockets but its own. In a network namespace alone it would
    take :0 from whoever has it."""
    hidden = 'mkdir -p -m 1777 /tmp/.X11-unix && mount -t tmpfs none /tmp/.X11-unix && exec "$0"'
    command = lan.command(["unshare", "--mount", "sh", "-c", hidden, ROOT / "Scripts/demo"])

    def begin(**environment):
        return start(Process, command, env={"SCREENSHARE": program, **environment}, name="demo")

    return begin


def processes_of(session_leader):
    """All descendants of a process, by its children and theirs."""
    table = subprocess.run(["ps", "-eo", "pid,ppid"], capture_output=True, text=True, check=True).stdout
    parents = [tuple(map(int, line.split())) for line in table.splitlines()[1:]]
    found, frontier = set(), {session_leader}
    while frontier:
        frontier = {pid for pid, parent in parents if parent in frontier} - found
        found |= frontier
    return found


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def test_the_demo_is_seen_in_a_browser_and_leaves_nothing(lan, demonstrate, start, artifacts):
    demo = demonstrate(DISPLAY="", WAYLAND_DISPLAY="", XDG_SESSION_TYPE="")
    link = demo.wait_for(sharer.LINK, 30)[0]
    first_words = demo.text().splitlines()[:3]
    assert any(link in line for line in first_words), "the link is not what one reads first"
    assert "screenshare view" in demo.text()
    shot = artifacts / "demo.png"
    summary = start(sharer.chromium, lan, link, "--frames", "20", "--screenshot", shot).event("summary", 30)
    assert summary["frames"] >= 20
    children = processes_of(demo.pid)
    assert len(children) >= 3
    os.killpg(demo.pid, signal.SIGINT)
    assert demo.wait(6) == 0
    assert not [pid for pid in children if alive(pid)]


def test_in_a_wayland_session_the_demo_says_so_first_and_shares_a_virtual_screen(demonstrate):
    demo = demonstrate(DISPLAY=":987", WAYLAND_DISPLAY="wayland-987")
    demo.wait_for(sharer.LINK, 30)
    assert "Wayland" in demo.text().splitlines()[0] and "virtual" in demo.text().splitlines()[0]
    os.killpg(demo.pid, signal.SIGINT)
    assert demo.wait(6) == 0
