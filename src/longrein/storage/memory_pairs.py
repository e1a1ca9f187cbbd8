"""The key-value part of the store in memory."""

from collections.abc import Callable

from longrein.storage.base import Pairs, PairStore
from longrein.storage.memory_parts import change


class MemoryPairs:
    """Pairs in memory; `wrote` is called after each change."""

    def __init__(self, wrote: Callable[[], None]) -> None:
        self._pairs: dict[str, bytes] = {}
        self._wrote = wrote

    async def get(self, key: str) -> bytes | None:
        return self._pairs.get(key)

    async def put(self, key: str, value: bytes) -> None:
        await self.change([(key, value)])

    async def remove(self, key: str) -> None:
        await self.change([(key, None)])

    async def change(self, pairs: Pairs) -> None:
        change(self._pairs, pairs)
        self._wrote()

    async def swap(self, seen: Pairs, pairs: Pairs) -> bool:
        if any(self._pairs.get(key) != value for key, value in seen):
            return False
        await self.change(pairs)
        return True

    async def keys(self, prefix: str) -> list[str]:
        return sorted(key for key in self._pairs if key.startswith(prefix))


_fits: type[PairStore] = MemoryPairs
