"""The named points, and standing at one of them until it is time to die."""

import os
import signal
from collections import Counter

NAMES = (
    "append.before",
    "append.committed",
    "append.inserted",
    "effect.after",
    "effect.before",
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
    "snapshot.save",
    "snapshot.saved",
)
"""Every point that the code names; a test compares them with the code."""


class Stand:
    """Counts the points that a process reaches, and ends it at the `nth` reach of one of them."""

    def __init__(self, point: str = "", nth: int = 0) -> None:
        self.counts: Counter[str] = Counter()
        self._point = point
        self._nth = nth

    def __call__(self, name: str) -> None:
        self.counts[name] += 1
        if name == self._point and self.counts[name] == self._nth:
            os.kill(os.getpid(), signal.SIGKILL)
