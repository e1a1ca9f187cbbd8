"""The threads of a project: list, rename, delete, fork."""

import time
from argparse import Namespace
from collections.abc import Coroutine
from typing import Any

import msgspec

from longrein.cli import exits
from longrein.cli.owner import living_owner
from longrein.cli.terminal import DIM, Screen
from longrein.cli.workplace import Workplace, find_plain_workplace
from longrein.core.errors import NotFound
from longrein.harness import Harness
from longrein.storage.base import Store, ThreadRow

SCOPE = "default"


def threads(arguments: Namespace, screen: Screen) -> Coroutine[Any, Any, int]:
    """`longrein threads`: a page of threads, the last used first."""
    return _threads(find_plain_workplace(screen), arguments, screen)


async def _threads(place: Workplace, arguments: Namespace, screen: Screen) -> int:
    async with place.harness() as harness:
        after = await find_thread(harness.store, place.resource, arguments.after)
        rows = await harness.threads(place.resource, after=after, limit=arguments.limit + 1)
        page, more = rows[: arguments.limit], len(rows) > arguments.limit
        current = await harness.store.current(place.resource, SCOPE)
        for row in page:
            status = await _status(harness.store, row)
            if arguments.json:
                data = {**msgspec.to_builtins(row), "status": status, "current": row.id == current}
                screen.out(f"{msgspec.json.encode(data).decode()}\n")
            else:
                mark = "*" if row.id == current else " "
                screen.out(f"{mark} {row.id}  {status:8} {_ago(row.updated):>8}  {row.title}\n")
    if not arguments.json:
        _epilogue(screen, page, more, place.resource)
    return exits.FINISHED


def _epilogue(screen: Screen, page: list[ThreadRow], more: bool, resource: str) -> None:
    if not page:
        screen.say(f"There are no threads for {resource} yet.")
    elif more:
        screen.say(f"more: longrein threads --after {page[-1].id}", DIM)


def rename(arguments: Namespace, screen: Screen) -> Coroutine[Any, Any, int]:
    """`longrein rename`: give a thread a title."""
    return _rename(find_plain_workplace(screen), arguments, screen)


async def _rename(place: Workplace, arguments: Namespace, screen: Screen) -> int:
    async with place.harness() as harness:
        session = await harness.session(place.resource, thread=arguments.thread)
        answer = await session.rename(" ".join(arguments.title))
    return exits.ACCEPTED if answer.status == "accepted" else exits.FINISHED


def delete(arguments: Namespace, screen: Screen) -> Coroutine[Any, Any, int]:
    """`longrein delete`: remove a thread for good."""
    return _delete(find_plain_workplace(screen), arguments, screen)


async def _delete(place: Workplace, arguments: Namespace, screen: Screen) -> int:
    async with place.harness() as harness:
        await harness.delete(place.resource, arguments.thread)
    screen.say(f"{arguments.thread} is gone.")
    return exits.FINISHED


def fork(arguments: Namespace, screen: Screen) -> Coroutine[Any, Any, int]:
    """`longrein fork`: a thread that goes its own way; prints its id."""
    return _fork(find_plain_workplace(screen), arguments, screen)


async def _fork(place: Workplace, arguments: Namespace, screen: Screen) -> int:
    async with place.harness() as harness:
        session = await harness.fork(
            place.resource, arguments.thread, at=arguments.at, title=arguments.title
        )
        screen.out(f"{session.thread}\n")
    return exits.FINISHED


async def find_thread(store: Store, resource: str, thread: str | None) -> ThreadRow | None:
    """The row of a thread of this resource; None where none is named. Raises `NotFound`."""
    if not thread:
        return None
    row = await store.thread(thread)
    if row is None or row.resource != resource:
        raise NotFound(f"There is no thread {thread} in {resource}.")
    return row


async def named_or_current(harness: Harness, resource: str, thread: str | None) -> str:
    """The thread that is named, or the one last used. Raises `NotFound` where there is none."""
    id = thread or await harness.store.current(resource, SCOPE)
    if id is None:
        raise NotFound(f"There are no threads for {resource} yet; start one with longrein run.")
    return id


async def _status(store: Store, row: ThreadRow) -> str:
    """As the index says; `stopped` where a run is open and no process works on it."""
    if row.status == "running" and await living_owner(store, row.id) is None:
        return "stopped"
    return row.status


def _ago(moment: int) -> str:
    seconds = max(time.time() - moment / 1_000_000, 0)
    for size, unit in ((86400, "d"), (3600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds // size:.0f} {unit}"
    return "now"
