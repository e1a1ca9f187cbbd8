"""Keys that turn the mode and the trust on to what follows."""

from collections.abc import Callable, Coroutine
from typing import Any

from textual.message_pump import MessagePump
from textual.timer import Timer

from longrein.core.errors import UsageError
from longrein.tui.attempt import tell
from longrein.tui.desk import Desk

RESTS = 0.8
"""Seconds without another press after which a key rests."""


class Turning:
    """Has `begin` put in force what was turned to.

    Where something `waits` only once the key rests: what is passed on the way must not let it run.
    """

    def __init__(
        self, node: MessagePump, begin: Callable[[Coroutine[Any, Any, None]], object]
    ) -> None:
        self._node = node
        self._begin = begin
        self._timer: Timer | None = None

    def turn(self, desk: Desk, by: Callable[[Desk], None], *, waits: bool) -> None:
        try:
            by(desk)
        except UsageError as error:
            tell(self._node, str(error), "error")
            return
        if self._timer is not None:
            self._timer.stop()
        if waits:
            self._timer = self._node.set_timer(RESTS, lambda: self._begin(desk.take_turn()))
        else:
            self._begin(desk.take_turn())
