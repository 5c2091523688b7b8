"""A long TCP flow of the kernel's own making: `bulk.py ADDRESS PORT` sends for ever, `bulk.py PORT` takes it."""

import socket
import sys


def take(port):
    with socket.create_server(("::", port), family=socket.AF_INET6, dualstack_ipv6=True) as server:
        print("READY", flush=True)
        one, _ = server.accept()
        while one.recv(1 << 16):
            pass


def send(address, port):
    with socket.create_connection((address, port)) as one:
        print("READY", flush=True)
        while True:
            one.sendall(bytes(1 << 14))


if __name__ == "__main__":
    take(int(sys.argv[1])) if len(sys.argv) == 2 else send(sys.argv[1], int(sys.argv[2]))
