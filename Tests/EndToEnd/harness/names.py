"""Name servers that never answer."""

import os
import shlex

import pytest

from .processes import Process

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="NO ROOT: a name server of its own needs a mount")

# Each is asked twice, for five seconds (resolv.conf(5)).
SERVERS = ["127.0.0.1", "127.0.0.2", "127.0.0.3"]
LISTEN = f"""
import socket, time
servers = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in {SERVERS}]
for server, address in zip(servers, {SERVERS}):
    server.bind((address, 53))
print("listening", flush=True)
time.sleep(60)
"""


class SilentNames:
    """A place where to look a name up takes half a minute."""

    def __init__(self, place, start, folder):
        self.place = place
        server = start(Process, place.command(["python3", "-c", LISTEN]), name="silent name servers")
        server.wait_for("listening", 5, key="out")
        names = folder / "resolv.conf"
        names.write_text("".join(f"nameserver {address}\n" for address in SERVERS))
        self.mounted = f'mount --bind {shlex.quote(str(names))} /etc/resolv.conf && exec "$@"'

    def command(self, argv):
        return self.place.command(["unshare", "--mount", "sh", "-c", self.mounted, "sh", *argv])
