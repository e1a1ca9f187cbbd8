"""The store in one SQLite file: the default."""

import os
from collections.abc import Callable

from longrein.storage.base import Append, Lease, Posted, Snapshot, Store, Stored, ThreadRow
from longrein.storage.tables import blobs, events, inbox, leases, pairs, threads
from longrein.storage.tables.database import Synchronous, open_database
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

    async def create(self, row: ThreadRow) -> None:
        await self._write(lambda db: threads.create(db, row))

    async def thread(self, thread: str) -> ThreadRow | None:
        return await self._read(lambda db: threads.thread(db, thread))

    async def threads(
        self, resource: str, *, before: tuple[int, str] | None = None, limit: int = 50
    ) -> list[ThreadRow]:
        return await self._read(lambda db: threads.threads(db, resource, before, limit))

    async def delete(self, thread: str) -> bool:
        return await self._write(lambda db: threads.delete(db, thread))

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

    async def save_snapshot(self, thread: str, snapshot: Snapshot) -> None:
        await self._write(lambda db: events.save_snapshot(db, thread, snapshot))

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
        await self._write(lambda db: pairs.put(db, key, value))

    async def remove(self, key: str) -> None:
        await self._write(lambda db: pairs.remove(db, key))

    async def keys(self, prefix: str) -> list[str]:
        return await self._read(lambda db: pairs.keys(db, prefix))

    def watch(self, changed: Callable[[], None]) -> Callable[[], None]:
        return self._writer.watch(changed)

    async def close(self) -> None:
        await self._writer.close()


_fits: type[Store] = SqliteStore
