"""What a person said before in the threads of a project."""

import asyncio
from collections.abc import Sequence

from longrein.core.codec import decode_event
from longrein.core.said import said_in_log
from longrein.storage.base import Store, Stored

THREADS = 25
EVENTS = 400
"""Of each thread so many of the last events are read."""


async def said_before(store: Store, resource: str, limit: int) -> Sequence[str]:
    """What was said in the threads that were used last, the newest first, every text once."""
    said: list[tuple[int, str]] = []
    for row in await store.threads(resource, limit=THREADS):
        after = max(await store.head(row.id) - EVENTS, 0)
        page = await store.read(row.id, after, EVENTS)
        said += await asyncio.to_thread(_said, page)
    newest = (text for _, text in sorted(said, key=lambda one: one[0], reverse=True))
    return tuple(dict.fromkeys(newest))[:limit]


def _said(page: Sequence[Stored]) -> list[tuple[int, str]]:
    return said_in_log(decode_event(stored.data) for stored in page)
