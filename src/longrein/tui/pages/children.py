"""`/children`: the subagents at work, to look in on and to stop."""

from collections.abc import Sequence
from typing import ClassVar

from textual.binding import BindingType

from longrein.client.port import ThreadClient
from longrein.tui.attempt import attempt, tell
from longrein.tui.pages.picker import Picker, action_keys
from longrein.tui.view.child_rows import child_rows
from longrein.tui.view.rows import Row

EVERY = 1.0
"""Seconds after which it is looked again how they stand."""


class ChildrenPage(Picker[str]):
    """The children of a thread; ends with the thread of the one to look in on. It begins at
    `child`."""

    BINDINGS: ClassVar[list[BindingType]] = action_keys({"x": "stop"})

    def __init__(self, thread: ThreadClient, child: str = "") -> None:
        super().__init__(
            "Children",
            "Enter open its conversation · Ctrl+X stop it",
            empty="Nobody works for this thread. The agent gives work away with `task`.",
        )
        self._client = thread
        self._child = child

    def on_mount(self) -> None:
        self.set_interval(EVERY, self.reload)

    async def load(self) -> Sequence[Row]:
        return child_rows(self._client.display.children)

    def fill(self, rows: Sequence[Row], key: str | None = None) -> None:
        first, self._child = self._child, ""
        super().fill(rows, key or first or None)

    def choose(self, row: Row) -> None:
        self.end(row.key)

    def action_stop(self) -> None:
        if row := self.listed.row:
            attempt(self, self._stop(row))

    async def _stop(self, row: Row) -> None:
        stopped = await self._client.stop_child(row.key)
        words = "is being stopped" if stopped else "has ended already"
        tell(self, f"{row.title.strip()} {words}.")
        self.reload(row.key)
