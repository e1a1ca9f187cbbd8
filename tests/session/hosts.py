"""A process that is at a thread without any session."""

from collections.abc import AsyncGenerator, Collection
from contextlib import asynccontextmanager

from longrein.core.ids import SystemClock
from longrein.session.host import Host
from longrein.storage.base import Store


@asynccontextmanager
async def nobody(threads: Collection[str]) -> AsyncGenerator[None]:
    """Close nothing: no session is live here."""
    yield


@asynccontextmanager
async def hosting(store: Store) -> AsyncGenerator[Host]:
    host = Host(store, "other", SystemClock())
    try:
        yield host
    finally:
        await host.close()
