"""Displays as they change: at once for facts, once per frame for fragments."""

import asyncio
from collections.abc import AsyncGenerator

from longrein.core.display import Display
from longrein.core.events import Durable
from longrein.session.bus import Subscriber
from longrein.session.conductor import Conductor

FRAME = 0.016


async def frames(conductor: Conductor) -> AsyncGenerator[Display, None]:
    """The display now, and again whenever it has changed.

    However fast fragments come, there is at most one display per frame; whoever draws slowly skips
    some and never falls behind.
    """
    subscriber = conductor.bus.subscribe(conductor.state.seq)
    try:
        await conductor.refresh()
        yield conductor.display()
        while await _changed(subscriber):
            yield conductor.display()
    finally:
        conductor.bus.unsubscribe(subscriber)


async def _changed(subscriber: Subscriber) -> bool:
    """Wait for something to draw. False when nothing comes any more."""
    event = await subscriber.next()
    if event is not None and not isinstance(event, Durable):
        await asyncio.sleep(FRAME)
    subscriber.skip()
    return event is not None
