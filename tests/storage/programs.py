"""Programs that the tests of the SQLite store run as processes of their own.

python -m tests.storage.programs NAME PATH [ARGUMENT]
"""

import asyncio
import os
import signal
import sys
from collections.abc import Awaitable, Callable

from longrein.core import points
from longrein.core.errors import LeaseLost, StoreError, StoreFull
from longrein.storage.base import Append, ThreadRow
from longrein.storage.sqlite import SqliteStore
from longrein.testing.store_cases.setting import lease_on, raised, written


async def start(path: str, _: str) -> None:
    """The first start: opens, writes something, closes."""
    store = SqliteStore(path)
    await store.put("started", b"yes")
    await store.close()


async def start_and_die(path: str, point: str) -> None:
    """A first start that is killed at a named point."""

    def die(name: str) -> None:
        if name == point:
            os.kill(os.getpid(), signal.SIGKILL)

    points.on_reach = die
    await start(path, "")


async def claim(path: str, id: str) -> None:
    """Claims the current thread and prints which it is."""
    store = SqliteStore(path)
    sys.stdout.write(await store.claim_current("res", "default", ThreadRow(id, "res")))
    await store.close()


async def append_and_note(path: str, synchronous: str) -> None:
    """Writes events one after the other and notes each acknowledgement in the log of the shim."""
    store = SqliteStore(path, "FULL" if synchronous == "FULL" else "NORMAL")
    lease = await written(store, "thr_1")
    log = os.open(os.environ["SHIM_LOG"], os.O_WRONLY | os.O_APPEND)
    for after in range(20):
        os.write(log, b"B begins\n")
        await store.append(Append(lease, after, [b"x" * 500]))
        os.write(log, b"A acknowledged\n")
    await store.close()


async def delete_and_die(path: str, thread: str) -> None:
    """Deletes a thread and is killed as soon as that is durable."""
    store = SqliteStore(path)
    await store.head(thread)

    def die(name: str) -> None:
        if name == "append.committed":
            os.kill(os.getpid(), signal.SIGKILL)

    points.on_reach = die
    await store.delete(thread)


async def write_until_full(path: str, flag: str) -> None:
    """Meets a full disk on the way, and goes on when there is room again."""
    store = SqliteStore(path)
    lease = await written(store, "thr_1", b"1")
    os.close(os.open(flag, os.O_CREAT | os.O_WRONLY))
    for write in (Append(lease, 1, [b"2"]), Append(lease, 1, [b"2" * 100_000])):
        assert path in await raised(store.append(write), StoreFull)
    assert [event.data for event in await store.read("thr_1")] == [b"1"]
    os.unlink(flag)
    await store.append(Append(lease, 1, [b"2"]))
    await store.close()


async def start_when_full(path: str, flag: str) -> None:
    """Cannot be started on a full disk, and can when there is room."""
    os.close(os.open(flag, os.O_CREAT | os.O_WRONLY))
    store = SqliteStore(path)
    await raised(store.put("started", b"no"), StoreFull)
    os.unlink(flag)
    await store.put("started", b"yes")
    await store.close()


async def write_without_permission(path: str, _: str) -> None:
    """Prints the error of a write by somebody who may only read."""
    if os.getuid() == 0:
        os.setuid(65534)
    store = SqliteStore(path, timeout=0.1)
    sys.stdout.write(await raised(store.put("key", b"value"), StoreError))
    await store.close()


async def write_after_a_pause(path: str, _: str) -> None:
    """Takes a lease, is stopped past its end, and tries to write."""
    store = SqliteStore(path)
    await store.beat("paused", 60)
    lease = await store.take("thr_1", "paused")
    assert lease is not None
    head = await store.append(Append(lease, await store.head("thr_1"), [b"before"]))
    await store.beat("paused", 0.2)
    os.kill(os.getpid(), signal.SIGSTOP)
    sys.stdout.write(await raised(store.append(Append(lease, head, [b"after"])), LeaseLost))
    await store.close()


async def append_many(path: str, id: str) -> None:
    """Writes 50 events to a thread of its own."""
    store = SqliteStore(path)
    await store.create(ThreadRow(id, "res"))
    lease = await lease_on(store, id, id)
    for after in range(50):
        await store.append(Append(lease, after, [b"%d" % after]))
    await store.close()


PROGRAMS: dict[str, Callable[[str, str], Awaitable[None]]] = {
    program.__name__: program
    for program in (
        start,
        start_and_die,
        claim,
        append_and_note,
        delete_and_die,
        write_until_full,
        start_when_full,
        write_without_permission,
        write_after_a_pause,
        append_many,
    )
}


async def _main(name: str, path: str, argument: str = "") -> None:
    await PROGRAMS[name](path, argument)


if __name__ == "__main__":
    asyncio.run(_main(*sys.argv[1:]))
