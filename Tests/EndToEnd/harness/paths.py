"""Where things are, and which Python runs what."""

import atexit
import functools
import os
import subprocess
import tempfile
import uuid
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
SUPPORT = ROOT / "Tests/Support"
PEERS = ROOT / "Tests/EndToEnd/peers"
ARTIFACTS = ROOT / ".build-artifacts"
VENV_PYTHON = ROOT / ".venv/bin/python"
# The GStreamer bindings are Debian's and belong to Debian's Python.
SYSTEM_PYTHON = "/usr/bin/python3"


class MissingBinary(Exception):
    """`screenshare`, or an example, is not built."""


@functools.cache
def scratch():
    """A folder that is gone after the run."""
    folder = tempfile.TemporaryDirectory(prefix="screenshare-e2e-")
    atexit.register(folder.cleanup)
    return Path(folder.name)


def scratch_file(suffix):
    return scratch() / f"{uuid.uuid4().hex}{suffix}"


@functools.cache
def screenshare():
    """The program under test: $SCREENSHARE, else the newest build."""
    if chosen := os.environ.get("SCREENSHARE"):
        if not os.access(chosen, os.X_OK):
            raise MissingBinary(f"SCREENSHARE={chosen} is not a program")
        return chosen
    places = [".build-release/release", ".build/release", ".build/debug"]
    builds = [ROOT / place / "screenshare" for place in places]
    built = sorted((path for path in builds if path.exists()), key=lambda path: path.stat().st_mtime)
    if not built:
        raise MissingBinary("no screenshare in .build or .build-release: run make build")
    return str(built[-1])


@functools.cache
def support(tool):
    """A program of Tests/Support, built if it isn't yet."""
    folder = {"linkem": "netlab"}.get(tool, tool)
    subprocess.run(["make", "-s", "-C", str(SUPPORT / folder)], check=True)
    return str(SUPPORT / folder / tool)


@functools.cache
def firefox_decoder():
    """The folder of the plugin that decodes H.264 for Firefox, built if it isn't yet."""
    folder = SUPPORT / "firefoxh264"
    subprocess.run(["make", "-s", "-C", str(folder)], check=True)
    return folder / "gmp-openh264/1.0"


def netlab():
    support("linkem")
    return str(SUPPORT / "netlab/netlab")
