"""The program that carries connections out of a sandbox without a network: one door.

Passes each connection to a port of the sandbox's own loopback on to a unix socket that was bound
into the sandbox: whoever listens there, outside, decides where it may go. Run by itself, with
nothing of the package imported: path of the socket, descriptor that listens on the port.
"""

import os
import signal
import socket
import sys


def main(door: str, listening: socket.socket) -> None:
    """Forward until the sandbox ends."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        inner, _ = listening.accept()
        with inner:
            if not os.fork():
                listening.close()
                try:
                    forward(inner, door)
                finally:
                    os._exit(0)


def forward(inner: socket.socket, door: str) -> None:
    """Both directions of a connection, each in a process: neither waits for the other."""
    outer = socket.socket(socket.AF_UNIX)
    outer.connect(door)
    source, target = (inner, outer) if os.fork() else (outer, inner)
    try:
        while data := source.recv(1 << 16):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:  # one side broke off, so the other has nobody to talk to
        source.shutdown(socket.SHUT_RDWR)
        target.shutdown(socket.SHUT_RDWR)


if __name__ == "__main__":
    main(sys.argv[1], socket.socket(fileno=int(sys.argv[2])))
