"""What tests of every folder share."""

import asyncio
import time
from collections.abc import Callable, Coroutine
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")


def run(coro: Coroutine[Any, Any, T], *, seconds: float = 50) -> T:
    """The result of a coroutine, run on an event loop of its own; too slow is a failure."""

    async def bounded() -> T:
        async with asyncio.timeout(seconds):
            return await coro

    return asyncio.run(bounded())


def children() -> set[int]:
    """The processes that this one has started and has not seen end."""
    found = set[int]()
    for task in Path("/proc/self/task").glob("*/children"):
        with suppress(FileNotFoundError, ProcessLookupError):  # a thread that has just ended
            found |= set(map(int, task.read_text().split()))
    return found


def cpu(work: Callable[[], object], *, rounds: int = 3) -> float:
    """The seconds of CPU that something takes, at its best: what the machine does beside it makes
    single rounds slower."""
    took = list[float]()
    for _ in range(rounds):
        began = time.process_time()
        work()
        took.append(time.process_time() - began)
    return min(took)
