"""The checkpoints of the stores that sessions work on: each file opened once, for all of them."""

import asyncio
import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from longrein.storage.base import Store
from longrein.workspace.checkpoints.store import Checkpoints
from longrein.workspace.checkpoints.values import Keeping

NAME = "files"


@dataclass(slots=True)
class _Lent:
    checkpoints: Checkpoints
    users: int = 0


class Shelf:
    """Lends the checkpoints of a store, and closes them when nobody uses them any more."""

    def __init__(self, keeping: Keeping) -> None:
        self._keeping = keeping
        self._lent: dict[str | int, _Lent] = {}

    @asynccontextmanager
    async def lend(self, store: Store) -> AsyncGenerator[Checkpoints]:
        """The checkpoints beside a store, for a while."""
        path = store.beside(NAME)
        key = path or id(store)
        if key not in self._lent:
            self._lent[key] = _Lent(Checkpoints(path, self._keeping))
        lent = self._lent[key]
        lent.users += 1
        try:
            yield lent.checkpoints
        finally:
            lent.users -= 1
            if not lent.users:
                del self._lent[key]
                await lent.checkpoints.close()

    async def forget(self, store: Store, thread: str) -> None:
        """Remove what is kept of a thread."""
        path = store.beside(NAME)
        if path is None or not await asyncio.to_thread(os.path.exists, path):
            return
        async with self.lend(store) as checkpoints:
            await checkpoints.forget(thread)
