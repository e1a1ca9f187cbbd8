"""Who listens to a session, and how they get what happens without ever slowing it down."""

import asyncio
from collections import deque
from typing import Protocol, TypeAlias

from longrein.core.events import Durable, Event
from longrein.core.live import LiveEvent, SignalKind, Signalled

Anything: TypeAlias = Event | LiveEvent

MOST_WAITING = 20_000


class Subscriber:
    """One listener: a bounded line of events that wait to be taken; `seen` is the last one taken.

    Whoever falls too far behind is dropped with a last event that says where to come back.
    """

    __slots__ = ("_closed", "_dropped", "_line", "_waiter", "seen")

    def __init__(self, seen: int) -> None:
        self._line: deque[Anything] = deque()
        self._waiter: asyncio.Future[None] | None = None
        self._closed = False
        self._dropped = False
        self.seen = seen

    def push(self, event: Anything) -> None:
        if self._closed:
            return
        self._line.append(event)
        if len(self._line) > MOST_WAITING:
            self._drop()
        waiter = self._waiter
        if waiter is not None and not waiter.done():
            waiter.set_result(None)

    def skip(self) -> None:
        """Forget what waits: whoever only wants the newest state need not see how it came about."""
        self._line.clear()

    def close(self) -> None:
        """No more events; those that wait can still be taken."""
        self._closed = True
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    def _drop(self) -> None:
        self._line.clear()
        self._dropped = self._closed = True

    async def next(self) -> Anything | None:
        """The next event; None after the last one."""
        while not self._line:
            if self._dropped:
                return self._farewell()
            if self._closed:
                return None
            self._waiter = asyncio.get_running_loop().create_future()
            await self._waiter
        event = self._line.popleft()
        if isinstance(event, Durable):
            self.seen = event.seq
        return event

    def _farewell(self) -> Signalled:
        self._dropped = False
        text = "This subscriber was too slow; come back with events(after=...)."
        return Signalled("dropped", text, after=self.seen, stream="", offset=0)


class Upward(Protocol):
    """The session above, as its child's listeners."""

    @property
    def reaches(self) -> bool: ...
    def hear(self, event: Anything) -> None: ...


class Bus:
    """The listeners of one session; `upward` are those of the session above, if there is one."""

    __slots__ = ("_closed", "_subscribers", "_upward", "count")

    def __init__(self, upward: Upward | None = None) -> None:
        self._subscribers: list[Subscriber] = []
        self._closed = False
        self._upward = upward
        self.count = 0
        """How much was published so far."""

    @property
    def heard(self) -> bool:
        """Whether anybody listens."""
        return bool(self._subscribers)

    @property
    def reaches(self) -> bool:
        """Whether anybody listens here or above."""
        return bool(self._subscribers) or (self._upward is not None and self._upward.reaches)

    def tell(self, kind: SignalKind, message: str, after: int) -> None:
        """Tell the listeners something that is not about the thread itself."""
        self.publish(Signalled(kind, message, after=after, stream="", offset=0))

    def subscribe(self, seen: int) -> Subscriber:
        """A new listener who has seen everything up to `seen`."""
        subscriber = Subscriber(seen)
        self._subscribers.append(subscriber)
        if self._closed:
            subscriber.close()
        return subscriber

    def unsubscribe(self, subscriber: Subscriber) -> None:
        if subscriber in self._subscribers:
            self._subscribers.remove(subscriber)

    def publish(self, event: Anything) -> None:
        self.count += 1
        for subscriber in self._subscribers:
            subscriber.push(event)
        if self._upward is not None:
            self._upward.hear(event)

    def close(self) -> None:
        self._closed = True
        for subscriber in self._subscribers:
            subscriber.close()
