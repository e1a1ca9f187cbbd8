"""Commands that cost no import: each a process of its own, forked where everything is imported."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from threading import Thread

from tests.cli.nursery import Order

NURSERY = Path(__file__).with_name("nursery.py")


def run_command(
    arguments: Sequence[str], folder: Path, environ: Mapping[str, str], input: str, seconds: float
) -> "subprocess.CompletedProcess[str]":
    """`python -m longrein` with these arguments, done; it read from a pipe and wrote into two."""
    line, errors = _nursery(environ["PATH"], environ["PYTHONPATH"])
    order: Order = {"folder": str(folder), "environ": dict(environ), "arguments": list(arguments)}
    (read, give), (out, say), (err, complain) = os.pipe(), os.pipe(), os.pipe()
    socket.send_fds(line, [json.dumps(order).encode()], [read, say, complain])
    for number in (read, say, complain):
        os.close(number)
    told = line.recv(32)
    assert told, os.read(errors, 1 << 16).decode()
    pid = int(told)
    readers = _Reader(out), _Reader(err)
    _write(give, input)
    line.settimeout(seconds)
    try:
        code = int(line.recv(32))
    except TimeoutError:
        os.kill(pid, signal.SIGKILL)
        line.settimeout(None)
        line.recv(32)
        raise
    written, complained = (reader.all(seconds) for reader in readers)
    return subprocess.CompletedProcess(list(arguments), code, written, complained)


@cache
def _nursery(path: str, source: str) -> tuple[socket.socket, int]:
    """The line to a process that waits to be forked, and where its errors can be read.

    It ends when this process does.
    """
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    # Its streams are a pipe from the beginning, as those of its commands will be.
    read, write = os.pipe()
    subprocess.run(
        [sys.executable, str(NURSERY), str(theirs.fileno())],
        env={"PATH": path, "PYTHONPATH": source, "HOME": os.devnull},
        stdin=read,
        stdout=write,
        stderr=write,
        pass_fds=[theirs.fileno()],
        check=True,
    )
    theirs.close()
    os.close(write)
    return ours, read


def _write(number: int, text: str) -> None:
    try:
        with open(number, "w", encoding="utf-8") as file:
            file.write(text)
    except BrokenPipeError:
        pass  # it ended without reading


class _Reader:
    """Reads a pipe to its end, beside all else."""

    def __init__(self, number: int) -> None:
        self._number, self._text = number, ""
        self._thread = Thread(target=self._read, daemon=True)
        self._thread.start()

    def all(self, seconds: float) -> str:
        self._thread.join(seconds)
        assert not self._thread.is_alive(), "what the command left behind holds its output"
        return self._text

    def _read(self) -> None:
        with open(self._number, encoding="utf-8") as file:
            self._text = file.read()
