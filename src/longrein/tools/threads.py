"""Functions that block, beside the event loop."""

import asyncio
import threading
from collections.abc import Callable
from contextvars import copy_context
from functools import partial
from typing import NoReturn, TypeVar

T = TypeVar("T")


async def in_thread(function: Callable[[], T], name: str) -> T:
    """What a function returns or raises, run in a thread of its own with the caller's context.

    Cancelling stops the waiting, not the thread. A thread of its own, and a daemon: in a shared
    pool one function that never returns would hold up other calls and the end of the process.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[Callable[[], T]] = loop.create_future()
    context = copy_context()

    def settle(outcome: Callable[[], T]) -> None:
        if not done.done():
            done.set_result(outcome)

    def body() -> None:
        try:
            value = context.run(function)
        except BaseException as error:  # whatever it is, the caller must hear of it
            outcome = partial(_raise, error)
        else:
            outcome = partial(_return, value)
        try:
            loop.call_soon_threadsafe(settle, outcome)
        except RuntimeError:  # the loop is closed: nobody waits any more
            return

    threading.Thread(target=body, name=name, daemon=True).start()
    return (await done)()


def _return(value: T) -> T:
    return value


def _raise(error: BaseException) -> NoReturn:
    raise error
