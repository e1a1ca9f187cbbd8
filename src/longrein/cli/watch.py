"""The events of a session, shown as they come."""

import asyncio
from collections.abc import Callable
from typing import NamedTuple

from longrein.core import events as e
from longrein.core.usage import Spent
from longrein.session.bus import Anything
from longrein.session.session import Session


class Mark(NamedTuple):
    """A place in a thread: the last event before it, and what its open run had spent by then."""

    seq: int = 0
    spent: Spent = Spent()


def mark(session: Session) -> Mark:
    """Where a session stands now."""
    state = session.folded
    return Mark(state.seq, state.run.spent if state.run else Spent())


class Watcher:
    """Shows every event after a mark, and adds up what the steps among them cost."""

    def __init__(self, session: Session, show: Callable[[Anything], None], since: Mark) -> None:
        self.seen, self.spent = since
        self._session = session
        self._show = show
        self._waiters: list[asyncio.Future[None]] = []

    async def follow(self) -> None:
        """Show what comes until the session is closed."""
        while not self._session.closed:
            # It ends early only for a listener that was too slow, and goes on where that was.
            async for event in self._session.events(after=self.seen):
                self._show(event)
                if isinstance(event, e.Durable):
                    self._take(event)

    async def moved(self) -> None:
        """Come back after the next durable event was shown."""
        waiter = asyncio.get_running_loop().create_future()
        self._waiters.append(waiter)
        await waiter

    async def caught_up(self) -> None:
        """Come back when everything that is durable now was shown."""
        seq = self._session.folded.seq
        while self.seen < seq:
            await self.moved()

    def _take(self, event: e.Durable) -> None:
        self.seen = event.seq
        if isinstance(event, e.StepEnded | e.StepInterrupted):
            self.spent = self.spent.add(event.usage, event.cost)
        elif isinstance(event, e.StepFailed) and event.usage.total:
            self.spent = self.spent.add(event.usage, event.cost, steps=0)
        waiters, self._waiters = self._waiters, []
        for waiter in waiters:
            if not waiter.done():
                waiter.set_result(None)
