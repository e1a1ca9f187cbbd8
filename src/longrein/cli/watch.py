"""The events of a session, shown as they come, and what was used meanwhile."""

import asyncio
from collections.abc import Callable
from typing import NamedTuple

from longrein.core import events as e
from longrein.core.children import Child
from longrein.core.live import FromChild
from longrein.core.state import State
from longrein.core.usage import Spent
from longrein.session.bus import Anything
from longrein.session.session import Session


class Mark(NamedTuple):
    """A place in a thread: the last event before it. Of what came before the run that is open there
    the `steps` of the thread itself, and what it `spent` with all children. `open` are the threads
    of the children that were at work, or waited, there."""

    seq: int
    steps: int
    spent: Spent
    open: frozenset[str]

    def spent_since(self, session: Session) -> Spent:
        """What was used since, children included."""
        return session.display.spent - self.spent

    def steps_since(self, session: Session) -> int:
        """The steps of the thread itself since."""
        return session.folded.spent.steps - self.steps


def mark(session: Session) -> Mark:
    """Where a session stands now."""
    state, shown = session.folded, session.display
    steps = state.spent.steps - (state.run.spent.steps if state.run else 0)
    at_work = frozenset(child.thread for child in open_children(state))
    return Mark(state.seq, steps, shown.spent - shown.run_spent, at_work)


def open_children(state: State) -> list[Child]:
    """The children that work, or wait for somebody."""
    return [child for child in state.children if child.open and not child.dropped]


class Watcher:
    """Shows every event after a position in the log."""

    def __init__(self, session: Session, show: Callable[[Anything], None], after: int) -> None:
        self.seen = after
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
                    self.seen = event.seq
                if isinstance(event, e.Durable | FromChild):
                    self._wake()

    async def moved(self) -> None:
        """Come back after the next durable event was shown, or something happened in a child."""
        waiter = asyncio.get_running_loop().create_future()
        self._waiters.append(waiter)
        await waiter

    async def caught_up(self) -> None:
        """Come back when everything that is durable now was shown."""
        seq = self._session.folded.seq
        while self.seen < seq:
            await self.moved()

    def _wake(self) -> None:
        waiters, self._waiters = self._waiters, []
        for waiter in waiters:
            if not waiter.done():
                waiter.set_result(None)
