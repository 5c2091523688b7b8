"""Programs under test: started, listened to, and ended for certain."""

import ctypes
import contextlib
import json
import os
import re
import signal
import subprocess
import threading
import time

PR_SET_PDEATHSIG = 1
libc = ctypes.CDLL(None)

# All that were started and are not known to have ended; also those whose starter failed before it could say so.
alive = set()


class Timeout(AssertionError):
    """Something expected did not come in time; the text has what came instead."""


def die_with_parent():
    os.setsid()
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def wait_until(condition, timeout, what, poll=0.02):
    """The first true value of `condition()` within `timeout` seconds."""
    deadline = time.monotonic() + timeout
    while True:
        if value := condition():
            return value
        if time.monotonic() > deadline:
            raise Timeout(f"not within {timeout} s: {what}")
        time.sleep(poll)


def drain(reading):
    """Takes what is on its way for a second."""
    os.set_blocking(reading, False)
    deadline = time.monotonic() + 1
    while time.monotonic() < deadline:
        try:
            os.read(reading, 1 << 16)
        except BlockingIOError:
            time.sleep(0.05)


class Process:
    """A child in a session of its own, whose output is kept line by line with the moment it came."""

    def __init__(
        self, command, *, name=None, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, env=None, cwd=None, pass_fds=()
    ):
        self.command = [str(part) for part in command]
        self.name = name or os.path.basename(self.command[0])
        self.lines = {"out": [], "err": []}
        self.started = time.monotonic()
        self.child = subprocess.Popen(
            self.command,
            stdin=stdin,
            stdout=stdout,
            stderr=subprocess.PIPE,
            env={**os.environ, **(env or {})},
            cwd=cwd,
            pass_fds=pass_fds,
            preexec_fn=die_with_parent,
        )
        alive.add(self)
        streams = {"out": self.child.stdout, "err": self.child.stderr}
        self.readers = [
            threading.Thread(target=self.read, args=(key, stream), daemon=True)
            for key, stream in streams.items()
            if stream is not None
        ]
        for reader in self.readers:
            reader.start()

    def read(self, key, stream):
        # Closed at its end: the X library can't go by descriptors beyond 1023, and there are some hundred tests.
        with stream:
            for line in stream:
                self.lines[key].append((time.monotonic(), line.decode(errors="replace").rstrip("\r\n")))

    @property
    def pid(self):
        return self.child.pid

    @property
    def running(self):
        if self.child.poll() is None:
            return True
        alive.discard(self)
        return False

    def text(self, key="err"):
        return "\n".join(line for _, line in list(self.lines[key]))

    def wait_for(self, pattern, timeout=10, key="err"):
        """The first match of a pattern in the output, which may be there already."""

        def found():
            match = re.search(pattern, self.text(key))
            if not match and not self.running:
                self.join_readers()
                match = re.search(pattern, self.text(key))
                if not match:
                    raise Timeout(f"{self.describe()} ended without {pattern!r}")
            return match

        try:
            return wait_until(found, timeout, repr(pattern))
        except Timeout as reason:
            raise Timeout(f"{reason}\n{self.describe()}") from None

    def wait(self, timeout):
        """The exit code, negative for a signal."""
        try:
            code = self.child.wait(timeout)
        except subprocess.TimeoutExpired:
            raise Timeout(f"still running after {timeout} s\n{self.describe()}") from None
        self.join_readers()
        return code

    def send(self, number):
        self.child.send_signal(number)

    def stop(self, number=signal.SIGINT, timeout=5):
        """Ends it politely and gives the exit code."""
        if self.running:
            self.send(number)
        return self.wait(timeout)

    def kill(self):
        """Ends it and all it started, whatever state it is in."""
        for number, patience in ((signal.SIGTERM, 1), (signal.SIGKILL, 5)):
            try:
                os.killpg(self.pid, number)
                # One that a test has stopped hears of it then.
                os.killpg(self.pid, signal.SIGCONT)
                self.child.wait(patience)
            except (ProcessLookupError, PermissionError, subprocess.TimeoutExpired):
                continue
        self.join_readers()
        if self.child.stdin:
            with contextlib.suppress(BrokenPipeError):
                self.child.stdin.close()

    def join_readers(self):
        for reader in self.readers:
            reader.join(2)

    def describe(self):
        code = self.child.poll()
        state = "running" if code is None else f"exit {code}"
        out, err = self.text("out")[-2000:], self.text("err")[-4000:]
        return f"--- {self.name} ({state}): {' '.join(self.command)}\n{out}\n--- stderr\n{err}"


class Peer(Process):
    """A program that reports by JSON objects, one a line."""

    def events(self, kind=None):
        parsed = []
        for _, line in list(self.lines["out"]):
            if line.startswith("{"):
                value = json.loads(line)
                if kind is None or value.get("event") == kind:
                    parsed.append(value)
        return parsed

    def event(self, kind, timeout=15):
        """The first report of a kind."""
        return self.nth_event(kind, 1, timeout)

    def nth_event(self, kind, number, timeout=15):
        def come():
            found = self.events(kind)
            if len(found) < number and not self.running:
                self.join_readers()
                found = self.events(kind)
                if len(found) < number:
                    raise Timeout(f"no {kind!r} event\n{self.describe()}")
            return found[number - 1] if len(found) >= number else None

        try:
            return wait_until(come, timeout, f"{kind!r} event")
        except Timeout as reason:
            raise Timeout(f"{reason}\n{self.describe()}") from None

    def go(self):
        """The line an --on-go peer waits for."""
        self.child.stdin.write(b"go\n")
        self.child.stdin.flush()
