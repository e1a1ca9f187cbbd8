"""Files of a resource, across its threads, in the key-value part of the store.

The bytes stand in the pairs themselves: blobs that no event refers to are collected, and a pair
cannot refer to one. So files are small here. A pair is one file; changes of several, as when a
folder moves, are one transaction.

Several processes may write: a write that names the revision it knows (`expected`) fails if somebody
else was there first. Without it, the later one stays.
"""

from collections.abc import Mapping, Sequence
from urllib.parse import quote

import msgspec

from longrein.core.ids import Clock
from longrein.storage.base import PairStore
from longrein.workspace.checks import CHANGED
from longrein.workspace.kept import NOTHING, Kept, KeptFiles, Known, Record
from longrein.workspace.paths import join
from longrein.workspace.problems import Changed

LARGEST = 1024 * 1024
"""Bytes of one file."""


class StoredFiles(KeptFiles):
    """A file system in the store, shared by all threads of a resource.

    `name` tells several of one resource apart.

    >>> import asyncio
    >>> from longrein import MemoryStore
    >>> files = StoredFiles(MemoryStore(), "user-1")
    >>> asyncio.run(files.write("/likes.md", b"tea")).size
    3
    """

    def __init__(
        self, store: PairStore, resource: str, *, name: str = "files", clock: Clock | None = None
    ) -> None:
        super().__init__(PairKeeper(store, resource, name), largest=LARGEST, clock=clock)


class PairKeeper:
    """Keeps each file in one pair, under `files/RESOURCE/NAME/PATH`."""

    def __init__(self, store: PairStore, resource: str, name: str) -> None:
        self._store = store
        self._prefix = f"files/{quote(resource, safe='')}/{quote(name, safe='')}"

    async def paths(self, under: str) -> Sequence[str]:
        start = len(self._prefix)
        return sorted(key[start:] for key in await self._store.keys(self._prefix + join(under, "")))

    async def record(self, path: str) -> Record | None:
        kept = await self._kept(path)
        return kept and kept.record

    async def data(self, path: str, record: Record) -> bytes | None:
        kept = await self._kept(path)
        return kept and kept.data

    async def change(self, changes: Mapping[str, Kept | None], known: Known = NOTHING) -> None:
        pairs = [(self._prefix + path, kept and _encode(kept)) for path, kept in changes.items()]
        if not known:
            await self._store.change(pairs)
            return
        seen = [await self._unchanged(path, record) for path, record in known.items()]
        if not await self._store.swap(seen, pairs):
            raise Changed(next(iter(known)), CHANGED)

    async def _unchanged(self, path: str, record: Record | None) -> tuple[str, bytes | None]:
        """The pair of a file that still is what is known of it."""
        value = await self._store.get(self._prefix + path)
        if (None if value is None else _decode(value).record) != record:
            raise Changed(path, CHANGED)
        return self._prefix + path, value

    async def _kept(self, path: str) -> Kept | None:
        value = await self._store.get(self._prefix + path)
        return None if value is None else _decode(value)


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Kept).decode
