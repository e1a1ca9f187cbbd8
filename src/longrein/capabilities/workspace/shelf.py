"""The checkpoints of the stores that sessions work on: each file opened once, for all of them."""

import asyncio
import os
import shutil
import tempfile
import weakref
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

from longrein.core.errors import LongreinError
from longrein.storage.base import Store
from longrein.workspace.checkpoints.store import Checkpoints
from longrein.workspace.checkpoints.values import Keeping

NAME = "files"


@dataclass(slots=True)
class _Lent:
    checkpoints: Checkpoints
    sweeping: asyncio.Task[None]
    users: int = 0


class Shelf:
    """Lends the checkpoints of a store, and closes them when nobody uses them any more.

    Those of a store that has no place on disk are in a temporary folder, for as long as there is
    the store. Whoever opens checkpoints first removes what is kept of threads that are gone.
    """

    def __init__(self, keeping: Keeping) -> None:
        self._keeping = keeping
        self._lent: dict[str, _Lent] = {}
        self._folders: weakref.WeakKeyDictionary[Store, str] = weakref.WeakKeyDictionary()

    @asynccontextmanager
    async def lend(self, store: Store) -> AsyncGenerator[Checkpoints]:
        """The checkpoints beside a store, for a while."""
        path = self._path(store)
        if path not in self._lent:
            checkpoints = Checkpoints(path, self._keeping)
            self._lent[path] = _Lent(checkpoints, asyncio.create_task(_sweep(checkpoints, store)))
        lent = self._lent[path]
        lent.users += 1
        try:
            yield lent.checkpoints
        finally:
            lent.users -= 1
            if not lent.users:
                del self._lent[path]
                lent.sweeping.cancel()
                await asyncio.wait([lent.sweeping])
                await lent.checkpoints.close()

    async def forget(self, store: Store, thread: str) -> None:
        """Remove what is kept of a thread, now or when the checkpoints are opened next."""
        if await asyncio.to_thread(os.path.exists, self._path(store)):
            # The thread is gone, whatever is the matter here: it must not come back for this.
            with suppress(LongreinError):
                async with self.lend(store) as checkpoints:
                    await checkpoints.forget(thread)

    def _path(self, store: Store) -> str:
        if path := store.beside(NAME):
            return path
        if store not in self._folders:
            folder = self._folders[store] = tempfile.mkdtemp(prefix="longrein-")
            weakref.finalize(store, shutil.rmtree, folder, ignore_errors=True)
        return os.path.join(self._folders[store], NAME)


async def _sweep(checkpoints: Checkpoints, store: Store) -> None:
    """Remove what is kept of threads that are gone: nobody did so when they were deleted."""
    if not await asyncio.to_thread(os.path.exists, checkpoints.path):
        return
    # What is wrong with the file is told to whoever needs it.
    with suppress(LongreinError):
        for thread in await checkpoints.threads():
            if await store.thread(thread) is None:
                await checkpoints.forget(thread)
