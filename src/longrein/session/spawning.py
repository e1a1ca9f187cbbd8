"""Tasks that begin when their turn comes, whatever the loop of the application does."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


def spawn(work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
    """A task that has not begun yet, also where the loop begins tasks at once (Python 3.12's eager
    tasks): whoever starts one writes it down first."""
    return asyncio.Task(work, loop=asyncio.get_running_loop())
