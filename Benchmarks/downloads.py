"""Short TCP flows, as RFC 8868 section 5.1 models the web: `downloads.py PORT` serves, `downloads.py ADDRESS PORT` fetches
30 to 50 kB at a time by ten flows, each idle for 10 s on average between them, and tells of each how long it took."""

import random
import socket
import struct
import sys
import threading
import time

FLOWS, ACTIVE_AT_START, IDLE = 10, 2, 10.0
SIZES = range(30_000, 50_001)


def serve(port):
    with socket.create_server(("::", port), family=socket.AF_INET6, dualstack_ipv6=True) as server:
        print("READY", flush=True)
        while True:
            one, _ = server.accept()
            threading.Thread(target=give, args=(one,), daemon=True).start()


def give(one):
    with one:
        # RFC 5681, as RFC 8867 section 5.7 has it; the machine's usual one may be any.
        one.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, b"reno")
        size = one.recv(4, socket.MSG_WAITALL)
        if len(size) == 4:
            one.sendall(bytes(struct.unpack("!I", size)[0]))


def fetch(address, port, dice, is_active):
    while True:
        if not is_active:
            time.sleep(dice.expovariate(1 / IDLE))
        is_active = False
        began, size = time.time(), dice.choice(SIZES)
        try:
            with socket.create_connection((address, port)) as one:
                one.sendall(struct.pack("!I", size))
                whole = len(one.recv(size, socket.MSG_WAITALL)) == size
        except OSError as reason:
            print(f"FAILED {reason}", flush=True)
            continue
        print(f"{'TOOK' if whole else 'FAILED short'} {began:.3f} {time.time() - began:.3f}", flush=True)


def main():
    if len(sys.argv) == 2:
        return serve(int(sys.argv[1]))
    print("READY", flush=True)
    for number in range(FLOWS):
        work = (sys.argv[1], int(sys.argv[2]), random.Random(number), number < ACTIVE_AT_START)
        threading.Thread(target=fetch, args=work, daemon=True).start()
    threading.Event().wait()


if __name__ == "__main__":
    main()
