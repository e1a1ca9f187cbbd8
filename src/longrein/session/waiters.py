"""Whoever waits for the next thing to happen."""

import asyncio


class Waiters:
    """All who wait; each is woken once, by what happens next."""

    __slots__ = ("_all",)

    def __init__(self) -> None:
        self._all: list[asyncio.Future[None]] = []

    def __bool__(self) -> bool:
        return bool(self._all)

    async def wait(self) -> None:
        """Come back when something has happened."""
        waiter = asyncio.get_running_loop().create_future()
        self._all.append(waiter)
        try:
            await waiter
        finally:
            if waiter in self._all:
                self._all.remove(waiter)

    def wake(self) -> None:
        """Something has happened."""
        waiters, self._all = self._all, []
        for waiter in waiters:
            if not waiter.done():
                waiter.set_result(None)
