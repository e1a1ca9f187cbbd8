"""What a person said before in the threads of a project."""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import suppress

import msgspec

from longrein.core.codec import decode_event
from longrein.core.errors import LongreinError
from longrein.core.events import Event
from longrein.core.said import TELLING, said_in_log
from longrein.storage.base import Store, Stored

THREADS = 25
ENOUGH = 50
"""A thread in which so much was found is not read further back."""

PAGE = 1000
EVENTS = 4000
"""Of each thread so many of the last events are read at most."""


async def said_before(store: Store, resource: str, limit: int) -> Sequence[str]:
    """What was said in the threads that were used last, the newest first, every text once.

    What cannot be read is left out.
    """
    said: list[tuple[int, str]] = []
    for row in await store.threads(resource, limit=THREADS):
        with suppress(LongreinError):  # it may be deleted by now
            said += await _said_in(store, row.id)
    newest = (text for _, text in sorted(said, key=lambda one: one[0], reverse=True))
    return tuple(dict.fromkeys(newest))[:limit]


async def _said_in(store: Store, thread: str) -> list[tuple[int, str]]:
    """What was said in a thread: in its last page, and in those before until it is enough."""
    said: list[tuple[int, str]] = []
    log: list[Event] = []
    end = await store.head(thread)
    first = max(end - EVENTS, 0)
    while end > first and len(said) < ENOUGH:
        end, upto = max(end - PAGE, first), end
        page = await store.read(thread, end, upto - end)
        log[:0] = await asyncio.to_thread(list, _telling(page))
        said = said_in_log(log)
    return said


def _telling(page: Sequence[Stored]) -> Iterator[Event]:
    for stored in page:
        with suppress(msgspec.DecodeError, ValueError):
            event = decode_event(stored.data)
            if isinstance(event, TELLING):
                yield event
