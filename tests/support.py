"""What tests of every folder share."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


def run(coro: Coroutine[Any, Any, T], *, seconds: float = 30) -> T:
    """The result of a coroutine, run on an event loop of its own; too slow is a failure."""

    async def bounded() -> T:
        async with asyncio.timeout(seconds):
            return await coro

    return asyncio.run(bounded())
