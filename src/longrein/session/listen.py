"""Following a thread: what was, then what is being said, then what comes."""

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from inspect import isawaitable

from longrein.core.codec import decode_event
from longrein.core.events import Durable
from longrein.core.live import Signalled
from longrein.session.bus import Anything
from longrein.session.conductor import PAGE, Conductor


async def listen(conductor: Conductor, after: int) -> AsyncGenerator[Anything, None]:
    """Every event after a position, then those to come, with no gap and no duplicate.

    Where the head is and what is being said is taken down in the same instant in which the
    listening begins; the store then gives what lies between.
    """
    await conductor.refresh()
    subscriber = conductor.bus.subscribe(after)
    head = conductor.state.seq
    so_far = [*conductor.streams.so_far(head), *conductor.slices.failed()]
    try:
        position = after
        while position < head:
            page = await conductor.store.read(conductor.row.id, position, PAGE)
            for stored in page:
                if stored.seq <= head:
                    subscriber.seen = stored.seq
                    yield decode_event(stored.data)
            position = page[-1].seq if page else head
        for fragment in so_far:
            yield fragment
        while (event := await subscriber.next()) is not None:
            if not isinstance(event, Durable) or event.seq > after:
                yield event
    finally:
        conductor.bus.unsubscribe(subscriber)


async def listen_for(
    conductor: Conductor, after: int, kinds: type | tuple[type, ...]
) -> AsyncGenerator[Anything, None]:
    """The same, but only events of some kinds; signals always come, or nobody would hear them."""
    async with aclosing(listen(conductor, after)) as events:
        async for event in events:
            if isinstance(event, (kinds, Signalled)):
                yield event


def subscribe(
    conductor: Conductor, events: AsyncGenerator[Anything, None], hear: Callable[[Anything], object]
) -> Callable[[], None]:
    """Have `hear` called with events as they come; returns what ends it."""
    task = conductor.aside(_hear(conductor, events, hear))

    def end() -> None:
        task.cancel()

    return end


async def _hear(
    conductor: Conductor, events: AsyncGenerator[Anything, None], hear: Callable[[Anything], object]
) -> None:
    async with aclosing(events):
        async for event in events:
            try:
                if isawaitable(heard := hear(event)):
                    await heard
            except Exception as error:  # the listener's own fault; the others go on
                # Not of its failure to hear of a failure: that would go on for ever.
                if not (isinstance(event, Signalled) and event.kind == "listener_failed"):
                    text = f"A listener failed with {type(error).__name__}: {error}"
                    conductor.tell("listener_failed", text)
