"""All of a tool call, to be read and searched: what came out of it, changes, arguments."""

import asyncio
from collections.abc import Sequence

from longrein.client.port import ThreadClient
from longrein.tui.pages.whole import WholePage
from longrein.tui.view.entries import Called
from longrein.tui.view.whole import Section, recorded, sections

NOT_KEPT = "not all of it is kept"


class CallPage(WholePage):
    """A call as it stands when the page is opened."""

    def __init__(self, entry: Called, thread: ThreadClient) -> None:
        super().__init__(f"{entry.verb} {entry.object}".strip())
        self._entry = entry
        self._thread = thread

    async def load(self) -> tuple[Sequence[Section], str]:
        record = recorded(self._thread.display, self._entry.key)
        whole = await self._thread.whole(self._entry.key) if self._entry.cut else ""
        parts = await asyncio.to_thread(sections, self._entry, record, whole)
        return parts, NOT_KEPT if self._entry.cut and not whole else ""
