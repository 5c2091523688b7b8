"""`host` on a terminal whose shell takes it away and gives it back."""

import os
import pty
import select
import shlex
import signal
import termios
import time

import pytest
from harness.codes import OK
from harness.paths import screenshare
from harness.processes import wait_until

LINE_MODE = termios.ICANON | termios.ECHO
PIECE = 256  # The kernel gives a terminal its memory so.


def fill(terminal, most):
    """Writes as many pieces as there is room for, one after the other is on its way; gives how many."""
    for count in range(most):
        if not select.select([], [terminal], [], 0.1)[1]:
            return count
        os.write(terminal, bytes(PIECE))
        time.sleep(0.005)
    return most


def pieces_unread():
    """How many a terminal takes that nobody reads."""
    master, slave = pty.openpty()
    count = fill(slave, 10_000)
    os.close(master)
    os.close(slave)
    return count


class Terminal:
    """A program on a terminal of its own, in the foreground of a session of its own."""

    def __init__(self, command, unread=0):
        self.child, self.master = pty.fork()
        if self.child == 0:
            fill(2, unread)
            os.execvp(command[0], command)
        os.set_blocking(self.master, False)

    def type(self, keys):
        os.write(self.master, keys.encode())

    def wait_for(self, text, timeout=10):
        """Until a text has come since the last one that was waited for; gives all that came."""
        deadline, got = time.monotonic() + timeout, ""
        while text not in got:
            assert time.monotonic() < deadline, f"no {text!r} in {got!r}"
            try:
                got += os.read(self.master, 65536).decode(errors="replace")
            except BlockingIOError:
                time.sleep(0.02)
        return got

    @property
    def modes(self):
        return termios.tcgetattr(self.master)[3] & LINE_MODE

    @property
    def foreground(self):
        """The process group whose terminal it is."""
        return os.tcgetpgrp(self.master)

    def set_line_mode(self):
        """As a shell does when it is its turn."""
        settings = termios.tcgetattr(self.master)
        settings[3] |= LINE_MODE
        termios.tcsetattr(self.master, termios.TCSANOW, settings)

    def wait(self, timeout=5):
        ended = wait_until(lambda: [end for end in [os.waitpid(self.child, os.WNOHANG)] if end[0]], timeout, "the end")
        self.child = None
        return os.waitstatus_to_exitcode(ended[0][1])

    def kill(self):
        """Who is on a terminal that closes is hung up."""
        os.close(self.master)
        if self.child:
            os.kill(self.child, signal.SIGKILL)
            os.waitpid(self.child, 0)


@pytest.fixture
def terminal(after):
    def begin(command, **options):
        made = Terminal(command, **options)
        after(made.kill)
        return made

    return begin


HOST = ["host", "--test-pattern", "--room", "demo", "--listen", "127.0.0.1:8080"]


def test_keys_are_heard_after_a_stop_and_the_terminal_is_put_back(lan, terminal):
    host = terminal(lan.command([screenshare(), *HOST]))
    host.wait_for("/r/demo", 15)
    os.kill(host.child, signal.SIGSTOP)
    os.waitpid(host.child, os.WUNTRACED)
    host.set_line_mode()
    os.kill(host.child, signal.SIGCONT)
    wait_until(lambda: host.modes == 0, 5, "single keys")
    host.type("p")
    host.wait_for("is paused")
    host.type("q")
    assert host.wait() == OK
    assert host.modes == LINE_MODE


def test_a_shell_that_puts_back_no_terminal_has_it_as_it_was_while_host_is_suspended(lan, terminal):
    shell = terminal(["dash", "-i"])
    shell.type(shlex.join(lan.command([screenshare(), *HOST])) + "\n")
    shell.wait_for("/r/demo", 15)
    # The second time as well.
    for _ in range(2):
        wait_until(lambda: shell.foreground != shell.child and shell.modes == 0, 5, "single keys")
        shell.type("\x1a")
        wait_until(lambda: shell.foreground == shell.child, 5, "the shell in the foreground")
        assert shell.modes == LINE_MODE
        shell.type("fg\n")
    wait_until(lambda: shell.foreground != shell.child and shell.modes == 0, 5, "single keys")
    shell.type("p")
    shell.wait_for("is paused")
    shell.type("q")
    wait_until(lambda: shell.foreground == shell.child, 5, "the shell in the foreground")
    assert shell.modes == LINE_MODE
    shell.type("exit\n")
    assert shell.wait() == OK


def test_keys_are_heard_once_a_job_of_the_background_is_fetched(lan, terminal):
    shell = terminal(["bash", "--norc", "--noprofile", "-i"])
    shell.type(shlex.join(lan.command([screenshare(), *HOST])) + " &\n")
    shell.wait_for("/r/demo", 15)
    shell.type("fg\n")
    wait_until(lambda: shell.foreground != shell.child, 5, "the job in the foreground")
    shell.type("p")
    shell.wait_for("is paused")
    shell.type("q")
    wait_until(lambda: shell.foreground == shell.child, 5, "the shell in the foreground")
    shell.type("exit\n")
    assert shell.wait() == OK


def test_a_dumb_terminal_gets_lines_without_codes(lan, terminal):
    host = terminal(lan.command(["env", "TERM=dumb", screenshare(), *HOST, "--audio", "none"]))
    seen = host.wait_for("0 viewers", 15)
    host.type("p")
    # Said where the status line would be taken away.
    seen += host.wait_for("is paused")
    host.type("q")
    assert host.wait() == OK
    assert "\x1b" not in seen


def test_a_terminal_is_told_of_the_keys_and_capital_letters_are_keys_too(lan, terminal):
    host = terminal(lan.command([screenshare(), *HOST, "--audio", "none"]))
    host.wait_for("Keys: p pauses and resumes, q quits.", 15)
    host.type("?")
    host.wait_for("Keys: p pauses and resumes, q quits.")
    host.type("P")
    host.wait_for("is paused")
    host.type("Q")
    assert host.wait() == OK


def test_function_keys_and_arrows_do_nothing_though_letters_are_in_what_they_send(lan, terminal):
    host = terminal(lan.command([screenshare(), *HOST, "--audio", "none"]))
    host.wait_for("0 viewers", 15)
    # Up, F1, F2, F4, Shift and F2, Alt and Q.
    for keys in ["\x1b[A", "\x1bOP", "\x1bOQ", "\x1bOS", "\x1b[1;2Q", "\x1bq"]:
        host.type(keys)
    host.type("?")
    seen = host.wait_for("Keys: p pauses and resumes, q quits.")
    assert "paused" not in seen and "not shared" not in seen
    host.type("p")
    host.wait_for("is paused")
    host.type("q")
    assert host.wait() == OK


LONG = {"words": (["--token", "t" * PIECE], ""), "statistics": (["--stats-json", "-"], "2>/dev/null")}


@pytest.mark.parametrize("options, others", LONG.values(), ids=LONG)
def test_a_terminal_that_nobody_reads_and_has_room_for_a_part_of_a_line_holds_nothing_up(
    lan, terminal, options, others
):
    command = lan.command([screenshare(), *HOST, "--audio", "none", "--duration", "3", *options])
    # As a connection that is dead leaves it after some minutes of status lines.
    host = terminal(["sh", "-c", f'exec "$@" {others}', "sh", *command], unread=pieces_unread() - 1)
    assert host.wait(12) == OK
