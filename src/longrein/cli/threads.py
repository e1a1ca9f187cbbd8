"""`longrein threads`: the threads of a project, found and listed."""

import time
from argparse import Namespace
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

import msgspec
from msgspec import Struct

from longrein.cli import exits
from longrein.cli.placed import checked, in_plain_place
from longrein.cli.terminal import DIM, Screen
from longrein.cli.workplace import Workplace
from longrein.client.figures import age
from longrein.core.errors import NotFound, UsageError
from longrein.harness import Harness
from longrein.session.alive import living_owner
from longrein.session.session import Session
from longrein.storage.base import Store, ThreadRow

SCOPE = "default"
PAGE = 100


class FoundThread(Struct, frozen=True):
    """A thread, how it stands, and where words were found, what is around them."""

    row: ThreadRow
    status: str
    snippet: str = ""


def _check(arguments: Namespace) -> None:
    if arguments.search and arguments.after:
        raise UsageError("What is found comes on one page: use --limit instead of --after.")


@checked(_check)
@in_plain_place
async def threads(place: Workplace, arguments: Namespace, screen: Screen) -> int:
    """A page of threads: the last used first, or those in which words are found, the best first."""
    async with place.harness() as harness:
        current = await harness.store.current(place.resource, SCOPE)
        page: list[FoundThread] = []
        more = False
        async with aclosing(_matching(harness, place.resource, arguments)) as matching:
            async for one in matching:
                if more := len(page) == arguments.limit:
                    break
                page.append(one)
    for one in page:
        is_current = one.row.id == current
        if arguments.json:
            screen.out_json(_data(one, is_current))
        else:
            screen.out(_line(one, is_current))
    if not arguments.json:
        _epilogue(screen, page, arguments, place.resource, more=more)
    return exits.FINISHED


async def _matching(
    harness: Harness, resource: str, wanted: Namespace
) -> AsyncGenerator[FoundThread, None]:
    """Every thread that the flags ask for, in order."""
    some = _searched if wanted.search else _listed
    async with aclosing(some(harness, resource, wanted)) as rows:
        async for row, snippet in rows:
            status = await _status(harness.store, row)
            if wanted.status in ("", status) and (not wanted.tag or wanted.tag in row.tags):
                yield FoundThread(row, status, snippet)


async def _listed(
    harness: Harness, resource: str, wanted: Namespace
) -> AsyncGenerator[tuple[ThreadRow, str], None]:
    after = await find_thread(harness.store, resource, wanted.after)
    status = "running" if wanted.status == "stopped" else wanted.status
    while page := await harness.threads(
        resource, after=after, limit=PAGE, tag=wanted.tag, status=status
    ):
        for row in page:
            yield row, ""
        after = page[-1]


async def _searched(
    harness: Harness, resource: str, wanted: Namespace
) -> AsyncGenerator[tuple[ThreadRow, str], None]:
    offset = 0
    while hits := await harness.search(resource, wanted.search, limit=PAGE, offset=offset):
        for hit in hits:
            yield hit.row, hit.snippet
        offset += len(hits)


def _line(one: FoundThread, is_current: bool) -> str:
    row, mark = one.row, "*" if is_current else " "
    tags = "".join(f" #{tag}" for tag in row.tags)
    line = f"{mark} {row.id}  {one.status:8} {ago(row.updated):>8}  {row.title}{tags}\n"
    return f"{line}    {' '.join(one.snippet.split())}\n" if one.snippet else line


def _data(one: FoundThread, is_current: bool) -> dict[str, Any]:
    data = {**msgspec.to_builtins(one.row), "status": one.status, "current": is_current}
    return {**data, "snippet": one.snippet} if one.snippet else data


def _epilogue(
    screen: Screen, page: list[FoundThread], given: Namespace, resource: str, *, more: bool
) -> None:
    if not page:
        such = any((given.search, given.tag, given.status, given.after))
        screen.say(f"There are no {'such ' if such else ''}threads for {resource} yet.")
    elif more and given.search:
        screen.say(f"more: with a --limit above {given.limit}", DIM)
    elif more:
        screen.say(f"more: longrein threads --after {page[-1].row.id}", DIM)


async def find_thread(store: Store, resource: str, thread: str | None) -> ThreadRow | None:
    """The row of a thread of this resource; None where none is named. Raises `NotFound`."""
    if not thread:
        return None
    row = await store.thread(thread)
    if row is None or row.resource != resource:
        raise NotFound(f"There is no thread {thread} in {resource}.")
    return row


async def named_or_last(harness: Harness, resource: str, thread: str | None) -> Session:
    """The session of the thread that is named, or of the one last used. Raises `NotFound`."""
    id = thread or await harness.store.current(resource, SCOPE)
    if id is None:
        raise NotFound(f"There are no threads for {resource} yet; start one with longrein run.")
    return await harness.session(resource, thread=id)


async def _status(store: Store, row: ThreadRow) -> str:
    """As the index says; `stopped` where a run is open and no process works on it."""
    if row.status == "running" and await living_owner(store, row.id) is None:
        return "stopped"
    return row.status


def ago(moment: int) -> str:
    """How long ago a moment was, in a word or two."""
    return age(moment, time.time_ns() // 1_000) or "now"
