"""A long TCP flow of the kernel's own making: `bulk.py ADDRESS PORT CONTROL` sends for ever, `bulk.py PORT` takes it.

CONTROL is the congestion control, by the kernel's name. A machine's usual one says nothing of what others meet: RFC 8867
section 5.6 has that of RFC 5681, "reno", most systems use "cubic", and "bbr" is for comparison."""

import socket
import sys


def take(port):
    with socket.create_server(("::", port), family=socket.AF_INET6, dualstack_ipv6=True) as server:
        print("READY", flush=True)
        one, _ = server.accept()
        while one.recv(1 << 16):
            pass


def send(address, port, control):
    with socket.socket() as one:
        one.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, control.encode())
        one.connect((address, port))
        print("READY", flush=True)
        while True:
            one.sendall(bytes(1 << 14))


if __name__ == "__main__":
    take(int(sys.argv[1])) if len(sys.argv) == 2 else send(sys.argv[1], int(sys.argv[2]), sys.argv[3])
