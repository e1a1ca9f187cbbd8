"""The store in one SQLite file: the default."""

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Literal

from longrein.core.errors import LongreinError
from longrein.core.usage import Spent
from longrein.storage.base import (
    Append,
    Hit,
    Lease,
    Pairs,
    Posted,
    Snapshot,
    Status,
    Store,
    Stored,
    TextOf,
    ThreadRow,
)
from longrein.storage.tables import (
    blobs,
    events,
    inbox,
    index,
    leases,
    pairs,
    rewrite,
    search,
    threads,
)
from longrein.storage.tables.database import Database, Synchronous, open_database
from longrein.storage.tables.pairs import change, swap
from longrein.storage.words import wanted
from longrein.storage.writer import Writer


class SqliteStore:
    """Threads in one SQLite file that several processes may share.

    The file is made at the first use, for its owner's eyes only. With `synchronous="FULL"` what
    was acknowledged survives a loss of power. With "NORMAL" it survives the end of the process in
    whatever way; a loss of power may take the last moments, and leaves the rest in order.
    `timeout` is how many seconds to wait for a lock that another process holds.

        store = SqliteStore("app.db")
        await store.put("greeting", b"hello")
        await store.close()
    """

    def __init__(
        self, path: str | os.PathLike[str], synchronous: Synchronous = "FULL", timeout: float = 5
    ) -> None:
        self.path = os.path.abspath(path)
        self._writer = Writer(self.path, lambda: open_database(self.path, synchronous, timeout))
        self._write = self._writer.write
        self._read = self._writer.read

    def beside(self, name: str) -> str | None:
        return f"{self.path}-{name}"

    async def create(self, row: ThreadRow) -> None:
        await self._write(lambda db: threads.create(db, row))

    async def thread(self, thread: str) -> ThreadRow | None:
        return await self._read(lambda db: threads.thread(db, thread))

    async def threads(
        self,
        resource: str,
        *,
        before: tuple[int, str] | None = None,
        limit: int = 50,
        tag: str = "",
        status: Status | Literal[""] = "",
        under: str | None = "",
    ) -> list[ThreadRow]:
        return await self._read(
            lambda db: threads.threads(db, resource, before, limit, tag, status, under)
        )

    async def search(
        self, resource: str, query: str, text_of: TextOf, *, limit: int = 20, offset: int = 0
    ) -> list[Hit]:
        sought = wanted(query)
        if not sought:
            return []
        await self._merge()
        behind: Sequence[int] = await self._read(lambda db: index.behind(db, resource))
        while behind:
            behind = await self._catch_up(behind, text_of)
        return await self._read(
            lambda db: search.find(db, resource, sought, text_of, limit, offset)
        )

    async def _catch_up(self, behind: Sequence[int], text_of: TextOf) -> Sequence[int]:
        return await self._write(lambda db: index.catch_up(db, behind, text_of))

    async def idle_since(
        self, resource: str, updated_before: int, limit: int = 100
    ) -> list[ThreadRow]:
        return await self._read(lambda db: threads.idle_since(db, resource, updated_before, limit))

    async def resources(self) -> list[str]:
        return await self._read(threads.resources)

    async def spent(self, resource: str) -> Spent:
        return await self._read(lambda db: threads.spent(db, resource))

    async def delete(self, thread: str) -> bool:
        deleted = await self._write(lambda db: threads.delete(db, thread))
        if deleted:
            await self._clean_up()
        return deleted

    async def _clean_up(self) -> None:
        """Have nothing left on disk of what was deleted."""
        # It is deleted, whatever comes now. What is left is done by the next deletion or search.
        with suppress(LongreinError):
            await self._merge()
            await self._writer.apart(Database.empty_wal)

    async def _merge(self) -> None:
        while await self._write(index.merge):
            pass

    async def current(self, resource: str, scope: str) -> str | None:
        return await self._read(lambda db: threads.current(db, resource, scope))

    async def set_current(self, resource: str, scope: str, thread: str) -> None:
        await self._write(lambda db: threads.set_current(db, resource, scope, thread))

    async def claim_current(self, resource: str, scope: str, row: ThreadRow) -> str:
        return await self._write(lambda db: threads.claim_current(db, resource, scope, row))

    async def append(self, write: Append) -> int:
        return await self._write(lambda db: events.append(db, write))

    async def read(self, thread: str, after: int = 0, limit: int = 1000) -> list[Stored]:
        return await self._read(lambda db: events.read(db, thread, after, limit))

    async def head(self, thread: str) -> int:
        return await self._read(lambda db: events.head(db, thread))

    async def rewrite(
        self, lease: Lease, events: Mapping[int, bytes], blobs: Sequence[str] = ()
    ) -> None:
        await self._write(lambda db: rewrite.rewrite(db, lease, events, blobs))
        await self._clean_up()

    async def save_snapshot(
        self, thread: str, snapshot: Snapshot, rewrites: int | None = None
    ) -> None:
        await self._write(lambda db: events.save_snapshot(db, thread, snapshot, rewrites))

    async def snapshot(self, thread: str, version: str) -> Snapshot | None:
        return await self._read(lambda db: events.snapshot(db, thread, version))

    async def put_blob(self, data: bytes) -> str:
        return await self._write(lambda db: blobs.put(db, data))

    async def blob(self, digest: str) -> bytes | None:
        return await self._read(lambda db: blobs.get(db, digest))

    async def beat(self, owner: str, seconds: float) -> None:
        await self._write(lambda db: leases.beat(db, owner, seconds))

    async def take(self, thread: str, owner: str) -> Lease | None:
        return await self._write(lambda db: leases.take(db, thread, owner))

    async def release(self, lease: Lease) -> None:
        await self._write(lambda db: leases.release(db, lease))

    async def owner(self, thread: str) -> str | None:
        return await self._read(lambda db: leases.owner(db, thread))

    async def retire(self, owner: str) -> None:
        await self._write(lambda db: leases.retire(db, owner))

    async def post(self, command: Posted) -> Posted:
        return await self._write(lambda db: inbox.post(db, command))

    async def pending(self, thread: str) -> list[Posted]:
        return await self._read(lambda db: inbox.pending(db, thread))

    async def inboxes(self, owner: str) -> list[str]:
        return await self._read(lambda db: inbox.inboxes(db, owner))

    async def posted(self, thread: str, id: str) -> Posted | None:
        return await self._read(lambda db: inbox.posted(db, thread, id))

    async def answer(self, thread: str, id: str, answer: bytes) -> None:
        await self._write(lambda db: inbox.answer(db, thread, id, answer))

    async def get(self, key: str) -> bytes | None:
        return await self._read(lambda db: pairs.get(db, key))

    async def put(self, key: str, value: bytes) -> None:
        await self.change([(key, value)])

    async def remove(self, key: str) -> None:
        await self.change([(key, None)])

    async def change(self, pairs: Sequence[tuple[str, bytes | None]]) -> None:
        await self._write(lambda db: change(db, pairs))

    async def swap(self, seen: Pairs, pairs: Pairs) -> bool:
        return await self._write(lambda db: swap(db, seen, pairs))

    async def keys(self, prefix: str) -> list[str]:
        return await self._read(lambda db: pairs.keys(db, prefix))

    def watch(self, changed: Callable[[], None]) -> Callable[[], None]:
        return self._writer.watch(changed)

    async def vacuum(self) -> None:
        # SQLite moves rows from page to page as a table grows, and does not clear where they lay:
        # deleting a row overwrites it where it is, not where it once was.
        await self._merge()
        await self._writer.apart(Database.vacuum)

    async def close(self) -> None:
        await self._writer.close()


_fits: type[Store] = SqliteStore
