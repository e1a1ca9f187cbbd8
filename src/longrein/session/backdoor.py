"""`Beside` as capabilities are given it."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from longrein.capabilities.contexts import HookContext
from longrein.core.errors import UsageError
from longrein.core.slices import Slice
from longrein.core.state import State

T = TypeVar("T")
Work = Callable[[HookContext], Awaitable[None]]


class Backdoor:
    """`Beside` for capabilities: they are opened before there is a session that could do it."""

    def __init__(self) -> None:
        self._spawn: Callable[[Work, str], None] | None = None
        self._folded: Callable[[], State] = State

    def begin(self, spawn: Callable[[Work, str], None], folded: Callable[[], State]) -> None:
        """The session is there."""
        self._spawn = spawn
        self._folded = folded

    def read(self, slice: Slice[T]) -> T:
        kept = self._folded().slices.get(slice.name)
        return slice.initial if kept is None else kept.value

    def spawn(self, work: Work, by: str) -> None:
        if self._spawn is None:
            raise UsageError("Work beside a run can begin once the session is open.")
        self._spawn(work, by)
