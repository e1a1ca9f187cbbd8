"""The named points, and standing at one of them until it is time to die."""

import os
import signal
from collections import Counter
from threading import Timer

from msgspec import Struct

NAMES = (
    "append.before",
    "append.committed",
    "append.inserted",
    "child.created",
    "child.ended",
    "child.started",
    "effect.after",
    "effect.before",
    "files.kept",
    "files.looked",
    "hook.answered",
    "hook.asked",
    "inbox.applied",
    "inbox.post",
    "inbox.posted",
    "journal.append",
    "journal.durable",
    "lease.take",
    "lease.taken",
    "model.after",
    "model.before",
    "open.file",
    "open.migrated",
    "open.migrating",
    "open.wal",
    "restore.begun",
    "restore.step",
    "snapshot.save",
    "snapshot.saved",
)
"""Every point that the code names; a test compares them with the code."""


class Kill(Struct, frozen=True):
    """The end of a process: at the `nth` reach of a point, or so many seconds after it began.

    With an `act` both are counted from where the client begins with that act.
    """

    point: str = ""
    nth: int = 0
    after: float = 0
    act: str = ""


class Stand:
    """Counts the points that a process reaches, and ends it where `kill` says.

    A kill at an act is armed when the client begins with that act; the one who started the process
    sees to those that are at no point and no act.
    """

    def __init__(self, kill: Kill) -> None:
        self.counts: Counter[str] = Counter()
        self._kill = kill
        self._left = 0 if kill.act else kill.nth

    def __call__(self, name: str) -> None:
        self.counts[name] += 1
        if name == self._kill.point and self._left:
            self._left -= 1
            if not self._left:
                _end()

    def begin(self, act: str) -> None:
        """Say that the client begins with an act."""
        if act != self._kill.act:
            return
        self._left = self._kill.nth
        if not self._kill.point:
            # A thread of this process is on time; another process would have to hear of it first.
            Timer(self._kill.after, _end).start()


def _end() -> None:
    os.kill(os.getpid(), signal.SIGKILL)
