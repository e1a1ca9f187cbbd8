"""`/threads`: the threads of the project, to open, rename, fork and delete."""

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar

from textual.binding import BindingType
from textual.timer import Timer

from longrein.client.port import Client, Owner
from longrein.tui.attempt import attempt, tell
from longrein.tui.opening import Choice
from longrein.tui.pages.dialog import Dialog, LineDialog
from longrein.tui.pages.picker import Picker, action_keys
from longrein.tui.view.rows import Row, fitting
from longrein.tui.view.threads import found_rows, thread_row

if TYPE_CHECKING:
    from longrein.client.port import Hit, ThreadRow

PAGE = 50
PAUSE = 0.2
"""Seconds without a letter after which what is inside threads is searched."""

LEAST = 2
"""Letters that are searched for."""


class ThreadsPage(Picker[str]):
    """Threads, the last used first; ends with the id of the one to open."""

    BINDINGS: ClassVar[list[BindingType]] = action_keys(
        {"n": "new", "r": "rename", "t": "tag", "f": "fork", "x": "delete"}
    )

    def __init__(self, client: Client, current: str, clock: Callable[[], int]) -> None:
        super().__init__(
            "Threads",
            "Enter open · Ctrl with N new, R rename, T tags, F fork, X delete",
            empty="There are no threads here yet. Ctrl+N begins one.",
            field="Type to find a thread, or words that were said in one",
        )
        self._client = client
        self._current = current
        self._clock = clock
        self._last: ThreadRow | None = None
        self._tags: dict[str, tuple[str, ...]] = {}
        self._pause: Timer | None = None

    async def load(self) -> Sequence[Row]:
        self._last, self.whole = None, False
        return await self.more()

    async def more(self) -> Sequence[Row]:
        page = await self._client.threads(after=self._last, limit=PAGE)
        self.whole = len(page) < PAGE
        if page:
            self._last = page[-1]
        self._tags |= {row.id: row.tags for row in page}
        owners = await asyncio.gather(*map(self._owner, page))
        now = self._clock()
        return [
            thread_row(row, owner, self._current, now)
            for row, owner in zip(page, owners, strict=True)
        ]

    async def _owner(self, row: "ThreadRow") -> Owner:
        return await self._client.owner(row.id) if row.status == "running" else "nobody"

    def choose(self, row: Row) -> None:
        self.end(row.key)

    def typed(self, text: str) -> None:
        super().typed(text)
        if self._pause is not None:
            self._pause.stop()
        if len(text.strip()) >= LEAST:
            self._pause = self.set_timer(PAUSE, lambda: attempt(self, self._search(text)))

    async def _search(self, text: str) -> None:
        hits: Sequence[Hit] = await self._client.search(text.strip())
        self._tags |= {hit.row.id: hit.row.tags for hit in hits}
        if self.is_attached and self.sought == text:
            fits = fitting(self._rows, text)
            self.display_rows(found_rows(fits, hits, self._current, self._clock()))

    def action_new(self) -> None:
        attempt(self, self._new())

    async def _new(self) -> None:
        self.end((await self._client.open(new=True)).thread)

    def action_fork(self) -> None:
        if row := self.listed.row:
            attempt(self, self._fork(row))

    async def _fork(self, row: Row) -> None:
        self.end((await self._client.fork(row.key)).thread)

    def action_rename(self) -> None:
        if row := self.listed.row:
            attempt(self, self._rename(row))

    async def _rename(self, row: Row) -> None:
        title = await self.ask(
            LineDialog("Rename", "What should the thread be called?", value=row.title)
        )
        if title and title.strip():
            await self._client.rename(row.key, title.strip())
            self.reload(row.key)

    def action_tag(self) -> None:
        if row := self.listed.row:
            attempt(self, self._tag(row))

    async def _tag(self, row: Row) -> None:
        before = " ".join(self._tags.get(row.key, ()))
        said = await self.ask(
            LineDialog(
                "Tags", "Words to find the thread by, with blanks between them.", value=before
            )
        )
        if said is not None:
            tags = dict.fromkeys(word.lstrip("#") for word in said.split())
            await self._client.tag(row.key, [tag for tag in tags if tag])
            self.reload(row.key)

    def action_delete(self) -> None:
        if row := self.listed.row:
            attempt(self, self._delete(row))

    async def _delete(self, row: Row) -> None:
        if row.key == self._current:
            tell(self, "This thread is open. Open another one first.")
            return
        text = f"{row.title}\n\nIts conversation will be gone for good; files stay as they are."
        choices = (Choice("delete", "Delete it", "d"), Choice("keep", "Keep it", "k"))
        asked = Dialog("Delete this thread?", text, choices, default="keep")
        if await self.ask(asked) == "delete":
            await self._client.delete(row.key)
            self.reload()
