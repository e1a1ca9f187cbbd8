"""Files that live in a thread: their records are folded from its log, their bytes are blobs.

They are there as long as the thread is, go back when files are rewound, and are copied with a fork.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol

import msgspec
from msgspec import Struct

from longrein.core.events import Event, Recorded
from longrein.core.ids import Clock
from longrein.core.slices import Slice
from longrein.workspace.kept import NOTHING, Kept, KeptFiles, Known, Record
from longrein.workspace.paths import join

KIND = "thread_files"


class Changes(Struct, frozen=True, omit_defaults=True):
    """What became of files: those that were put, by path, and the paths that are gone."""

    put: Mapping[str, Record] = {}
    gone: tuple[str, ...] = ()


def changed(records: Mapping[str, Record], changes: Changes) -> dict[str, Record]:
    """The records after some changes."""
    gone = frozenset(changes.gone)
    left = {path: one for path, one in records.items() if path not in gone}
    return {**left, **changes.put}


def read_changes(kind: str, data: object) -> Changes | None:
    """What a fact says about files; None for one about something else, or that cannot be read."""
    if kind != KIND:
        return None
    try:
        return msgspec.convert(data, Changes)
    except msgspec.ValidationError:
        return None


def fold(records: dict[str, Record], event: Event) -> dict[str, Record]:
    """The files of a thread after an event."""
    if not isinstance(event, Recorded):
        return records
    changes = read_changes(event.kind, event.data)
    return records if changes is None else changed(records, changes)


THREAD_FILES: Slice[dict[str, Record]] = Slice(KIND, dict[str, Record], {}, fold, rewinds="files")
"""The files of a thread by path; `ThreadFiles` reads and changes them."""


class ThreadLog(Protocol):
    """The part of a thread that is needed to keep files there."""

    def records(self) -> Mapping[str, Record]:
        """The files as they are, what was just written down included."""
        ...

    def write(self, changes: Changes, blobs: Sequence[str]) -> None:
        """Write down a change, and the blobs that it needs."""
        ...

    async def keep(self, data: bytes) -> str:
        """The hash under which some bytes are kept."""
        ...

    async def load(self, digest: str) -> bytes | None:
        """Bytes that were kept; None if they are gone."""
        ...


class ThreadFiles(KeptFiles):
    """A file system in the log of a thread.

    What is written is there for the others when the call that writes it has ended, and only if it
    ended well: a call that fails has changed nothing.
    """

    def __init__(self, log: ThreadLog, *, clock: Clock | None = None) -> None:
        super().__init__(ThreadKeeper(log), clock=clock)


class ThreadKeeper:
    """Keeps records in the log of a thread, and bytes beside it."""

    def __init__(self, log: ThreadLog) -> None:
        self._log = log

    async def paths(self, under: str) -> Sequence[str]:
        start = join(under, "")
        return sorted(path for path in self._log.records() if path.startswith(start))

    async def record(self, path: str) -> Record | None:
        return self._log.records().get(path)

    async def data(self, path: str, record: Record) -> bytes | None:
        return await self._log.load(record.digest)

    async def change(self, changes: Mapping[str, Kept | None], known: Known = NOTHING) -> None:
        put = {path: kept.record for path, kept in changes.items() if kept is not None}
        blobs = [await self._log.keep(kept.data) for kept in changes.values() if kept is not None]
        gone = tuple(path for path, kept in changes.items() if kept is None)
        self._log.write(Changes(put, gone), blobs)
