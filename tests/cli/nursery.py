"""Where commands are born: a process that has imported Longrein, forked for each of them.

Importing is most of what a short command costs. This process imports and does nothing else, so
what it is forked into is what `python -m longrein` would be when `main` begins. Started with the
number of its end of a line to whoever orders commands, and ended when the other end is closed.
"""

import gc
import importlib
import json
import os
import pkgutil
import runpy
import signal
import socket
import sys
import time
from typing import TypedDict

import longrein

APART = ("tui", "testing", "models.keyring", "models.pydantic_ai", "__main__")
"""What commands import only where a test is about it: it looks at the environment, or is large."""


class Order(TypedDict):
    """A command to be, as JSON."""

    folder: str
    environ: dict[str, str]
    arguments: list[str]


def prepare() -> None:
    """Import what commands import."""
    apart = tuple(f"longrein.{name}" for name in APART)
    for found in pkgutil.walk_packages(longrein.__path__, "longrein."):
        if not found.name.startswith(apart):
            importlib.import_module(found.name)
    gc.collect()
    gc.freeze()


def wait_for_birth(line: socket.socket) -> list[str]:
    """The arguments of the command that this process has become.

    The process that was forked stays inside: it tells the id of each command, and how it ended.
    """
    while True:
        order, given, _, _ = socket.recv_fds(line, 1 << 20, 3)
        if not order:
            os._exit(0)
        pid = os.fork()
        if pid == 0:
            line.close()
            return _become(json.loads(order), given)
        for number in given:
            os.close(number)
        line.send(str(pid).encode())
        _, status = os.waitpid(pid, 0)
        line.send(str(os.waitstatus_to_exitcode(status)).encode())


def _become(order: Order, given: list[int]) -> list[str]:
    for place, number in enumerate(given):
        os.dup2(number, place)
        os.close(number)
    # What Python sets when it starts in a world without a language.
    language = {name: os.environ[name] for name in ("LC_CTYPE",) if name in os.environ}
    os.chdir(order["folder"])
    os.environ.clear()
    os.environ.update({**language, **order["environ"]})
    time.tzset()
    sys.path[0] = order["folder"]
    return order["arguments"]


if __name__ == "__main__":
    if os.fork():
        os._exit(0)  # no child of the tests' own: some of them count those, and end them
    # Ctrl-C is for the commands: they put back what Python does with it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    prepare()
    arguments = wait_for_birth(socket.socket(fileno=int(sys.argv[1])))
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.argv[1:] = arguments
    runpy.run_module("longrein", run_name="__main__", alter_sys=True)
