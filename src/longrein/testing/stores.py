"""The conformance suite for stores: what every implementation of `Store` must do.

Each case is run on two stores over the same new data, as two processes would have them. A store
that lives in memory is its own second one.

    @pytest.mark.parametrize("case", store_cases(), ids=str)
    def test_the_store_keeps_the_contract(case: StoreCase, tmp_path: Path) -> None:
        asyncio.run(case.check(lambda: SqliteStore(tmp_path / "test.db")))
"""

from collections.abc import Awaitable, Callable
from typing import TypeAlias

from msgspec import Struct

from longrein.storage.base import Store
from longrein.testing.cases import cases_in
from longrein.testing.store_cases import (
    children,
    events,
    forks,
    leases,
    others,
    rewriting,
    search,
    threads,
)

Check: TypeAlias = Callable[[Store, Store], Awaitable[None]]


class StoreCase(Struct, frozen=True):
    """One promise of the port `Store`. `str` gives what it promises."""

    promise: str
    body: Check

    def __str__(self) -> str:
        return self.promise

    async def check(self, open: Callable[[], Store]) -> None:
        """Raise `AssertionError` if stores made by `open`, all on the same new data, break it."""
        store, other = open(), open()
        try:
            await self.body(store, other)
        finally:
            await store.close()
            await other.close()


def store_cases() -> list[StoreCase]:
    """All the promises that a store must keep."""
    topics = (threads, children, events, forks, rewriting, search, leases, others)
    return [StoreCase(promise, body) for promise, body in cases_in(*topics)]
