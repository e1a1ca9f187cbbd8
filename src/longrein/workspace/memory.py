"""Files in memory."""

from bisect import bisect_left, insort
from collections.abc import Mapping, Sequence

from longrein.core.ids import Clock
from longrein.workspace.kept import NOTHING, Kept, KeptFiles, Known, Record
from longrein.workspace.paths import join


class MemoryFiles(KeptFiles):
    """A file system in memory, gone with its process.

    >>> import asyncio
    >>> files = MemoryFiles()
    >>> asyncio.run(files.write("/notes/today.md", b"buy milk\\n")).size
    9
    >>> asyncio.run(files.entries("/")).entries[0].name
    'notes'
    """

    def __init__(self, *, clock: Clock | None = None) -> None:
        super().__init__(MemoryKeeper(), clock=clock)


class MemoryKeeper:
    """Keeps files in a dict, and their paths sorted."""

    def __init__(self) -> None:
        self._files: dict[str, Kept] = {}
        self._sorted: list[str] = []

    async def paths(self, under: str) -> Sequence[str]:
        start = join(under, "")
        first = bisect_left(self._sorted, start)
        # "0" is the character after "/": the first path that can follow what is inside.
        return self._sorted[first : bisect_left(self._sorted, f"{start[:-1]}0", first)]

    async def record(self, path: str) -> Record | None:
        kept = self._files.get(path)
        return kept and kept.record

    async def data(self, path: str, record: Record) -> bytes | None:
        kept = self._files.get(path)
        return kept and kept.data

    async def change(self, changes: Mapping[str, Kept | None], known: Known = NOTHING) -> None:
        for path, kept in changes.items():
            if kept is not None:
                if path not in self._files:
                    insort(self._sorted, path)
                self._files[path] = kept
            elif self._files.pop(path, None):
                del self._sorted[bisect_left(self._sorted, path)]
