"""Networks of the test's own: nothing here reaches the machine's real interfaces."""

import functools
import os
import re
import subprocess
import time
import uuid

from .paths import netlab
from .processes import Process


class NoNamespaces(Exception):
    """This user may not make network namespaces; the text says why."""


class Place:
    """Somewhere a program can run, with the address by which others there reach it."""

    def __init__(self, prefix, address):
        self.prefix, self.address = prefix, address

    def command(self, argv):
        return self.prefix + [str(part) for part in argv]

    def run(self, *argv):
        return subprocess.run(self.command(argv), text=True, capture_output=True, check=True).stdout


class Lan:
    """One namespace with loopback and an interface whose addresses are 10.99.0.1 and fd99::1.

    Peers leave loopback addresses out of their candidates, so they need the interface; both ends of it are here.
    Without root it is made in a user namespace."""

    LINES = (
        "link set lo up",
        "link add lan0 type veth peer name lan1",
        "link set lan0 addrgenmode none",
        "link set lan1 addrgenmode none",
        "addr add 10.99.0.1/24 dev lan0",
        "addr add fd99::1/64 dev lan0 nodad",
        "link set lan0 up",
        "link set lan1 up",
        "route add default via 10.99.0.254",
    )

    def __init__(self):
        root = os.geteuid() == 0
        unshare = ["unshare", "--net"] + ([] if root else ["--user", "--map-root-user"])
        self.holder = Process([*unshare, "sh", "-c", "echo ready; exec sleep infinity"], name="lan")
        try:
            self.holder.wait_for("ready", 5, key="out")
        except AssertionError:
            if self.holder.running:
                raise
            raise NoNamespaces(f"unshare --net: {self.holder.text()}") from None
        users = [] if root else ["--user", "--preserve-credentials"]
        prefix = ["nsenter", *users, "--net", "--target", str(self.holder.pid), "--"]
        self.place = Place(prefix, "10.99.0.1")
        self.address = self.place.address
        batch = "\n".join(self.LINES) + "\n"
        made = subprocess.run(
            self.place.command(["ip", "-batch", "-"]), input=batch, text=True, capture_output=True, check=False
        )
        if made.returncode:
            self.close()
            raise NoNamespaces(f"ip: {made.stderr.strip()}")

    def command(self, argv):
        return self.place.command(argv)

    def close(self):
        self.holder.kill()


@functools.cache
def lacking():
    """Why this machine lets nobody have a `Lan`; None where it does, and one that can't be made is a failure."""
    try:
        Lan().close()
    except NoNamespaces as reason:
        return str(reason)
    return None


class Lab:
    """Two or three namespaces joined by a bad link (netlab): `lab["a"]`, `lab["b"]`, `lab["internet"]`; `lab["nat-b"]`
    is the box before a side."""

    ADDRESSES = {"a": "10.77.0.1", "b": "10.77.0.2", "internet": "10.77.0.254"}

    def __init__(self, *options):
        if os.geteuid() != 0:
            raise NoNamespaces("netlab needs root")
        if not os.path.exists("/dev/net/tun"):
            raise NoNamespaces("netlab needs /dev/net/tun")
        self.name = f"e2e-{uuid.uuid4().hex[:8]}"
        self.run("up", self.name, "--with", str(os.getpid()), *options)

    def run(self, *arguments):
        done = subprocess.run([netlab(), *arguments], text=True, capture_output=True, check=False)
        if done.returncode:
            raise RuntimeError(f"netlab {' '.join(arguments)}: {done.stderr.strip()}")
        return done.stdout

    def __getitem__(self, side):
        return Place([netlab(), "-n", self.name, "exec", side, "--"], self.ADDRESSES.get(side))

    def set(self, *words):
        self.run("-n", self.name, "set", *words)

    def schedule(self, profile):
        """Begins with one of netlab's profiles."""
        self.run("-n", self.name, "schedule", profile)

    def blackout(self, seconds):
        self.set("both", "loss=100%")
        time.sleep(seconds)
        self.set("both", "loss=0%")

    def change_address(self, side, other):
        """Takes a side's address away; `other`, which it has too (`--addrs`), is its own from now on."""
        place = self[side]
        gateway = place.run("ip", "-4", "route", "show", "default").split()[2]
        place.run("ip", "addr", "del", f"{place.address}/32", "dev", "eth0")
        place.run("ip", "route", "replace", gateway, "dev", "eth0", "src", other)
        place.run("ip", "route", "replace", "default", "via", gateway, "dev", "eth0", "src", other)

    SECOND = {"a": "10.77.0.11", "b": "10.77.0.21"}

    def keep_one_address(self):
        """Of each side, of a lab made with `--addrs 1`: the other comes by `move`."""
        for side, second in self.SECOND.items():
            self[side].run("ip", "addr", "del", f"{second}/32", "dev", "eth0")
            self[side].run("ip", "-6", "addr", "flush", "dev", "eth0")

    def move(self, side):
        """A side leaves its network for another: an address that it did not have comes, and its own goes."""
        self[side].run("ip", "addr", "add", f"{self.SECOND[side]}/32", "dev", "eth0")
        self.change_address(side, self.SECOND[side])

    def admit_answers_only(self, side):
        """A firewall, as a NAT that filters by address has: UDP gets in only from where some was sent to."""
        place = self[side]
        place.run("nft", "add", "table", "inet", "firewall")
        place.run("nft", "add", "chain", "inet", "firewall", "in", "{ type filter hook input priority 0; }")
        place.run("nft", "add", "rule", "inet", "firewall", "in", *"ct state established accept".split())
        place.run("nft", "add", "rule", "inet", "firewall", "in", *"meta l4proto udp drop".split())

    def police(self, side, rate, burst="20 kbytes"):
        """What comes in beyond a rate is dropped, not queued, as some mobile networks do."""
        place = self[side]
        place.run("nft", "add", "table", "inet", "policer")
        place.run("nft", "add", "chain", "inet", "policer", "in", "{ type filter hook input priority 0; }")
        rule = f"meta l4proto udp limit rate over {rate} burst {burst} drop"
        place.run("nft", "add", "rule", "inet", "policer", "in", *rule.split())

    def mark_above(self, side, rate, burst="30 kbytes"):
        """A router right behind a side marks what is more than `rate` ("150 kbytes/second") instead of queueing or
        dropping it, where packets allow that (ECT(0)); all else passes."""
        place = self[side]
        place.run("nft", "add", "table", "ip", "router")
        place.run("nft", "add", "chain", "ip", "router", "out", "{ type filter hook output priority 0; }")
        rule = f"ip ecn ect0 limit rate over {rate} burst {burst} ip ecn set ce"
        place.run("nft", "add", "rule", "ip", "router", "out", *rule.split())

    def wipe_marks(self, side):
        """A router right behind a side that clears the two bits."""
        place = self[side]
        place.run("nft", "add", "table", "ip", "router")
        place.run("nft", "add", "chain", "ip", "router", "out", "{ type filter hook output priority 0; }")
        place.run("nft", "add", "rule", "ip", "router", "out", *"ip ecn != not-ect counter ip ecn set not-ect".split())

    def wiped_marks(self, side):
        """From how many packets that router has cleared them."""
        found = re.search(r"counter packets (\d+)", self[side].run("nft", "list", "table", "ip", "router"))
        return int(found[1])

    def forget_router(self, side):
        self[side].run("nft", "delete", "table", "ip", "router")

    def unplugged(self, side, seconds):
        """A side's cable is out for so long; its routes come back with it, as a network manager would have it."""
        place = self[side]
        gateway = place.run("ip", "-4", "route", "show", "default").split()[2]
        place.run("ip", "link", "set", "eth0", "down")
        time.sleep(seconds)
        place.run("ip", "link", "set", "eth0", "up")
        place.run("ip", "route", "replace", gateway, "dev", "eth0")
        place.run("ip", "route", "replace", "default", "via", gateway, "dev", "eth0")

    def rebind(self, side):
        """The box before a side forgets whom it lets through, as one does that was started again: what leaves from now on
        comes from another port. Linux does that where an address goes, and with it go routes."""
        box = self[f"nat-{side}"]
        routes = box.run("ip", "-4", "route", "show", "dev", "eth0").splitlines()
        address = box.run("ip", "-4", "-o", "addr", "show", "dev", "eth0").split()[3]
        box.run("ip", "addr", "del", address, "dev", "eth0")
        box.run("ip", "addr", "add", address, "dev", "eth0")
        # Those that others lead through come first.
        for route in sorted(routes, key=lambda route: "via" in route):
            box.run("ip", "route", "replace", *route.replace("linkdown", "").split(), "dev", "eth0")

    def mapped_ports(self, side):
        """By which ports of the box before a side its UDP is known outside."""
        table = self[f"nat-{side}"].run("cat", "/proc/net/nf_conntrack")
        # What leaves, then what answers it.
        return set(re.findall(r"udp .*?src=192\.168\..*?dport=\d+ .*?src=.*?dport=(\d+)", table))

    def stats(self):
        return self.run("-n", self.name, "stats")

    def close(self):
        self.run("down", self.name)
