"""`/rewind`: every input that can be gone back to, with what going back would do."""

from collections.abc import Callable, Sequence
from typing import ClassVar

from msgspec import Struct
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.timer import Timer

from longrein.client.port import ThreadClient
from longrein.core.rewinds import RewindPreview
from longrein.tui.attempt import attempt
from longrein.tui.pages.page import Page
from longrein.tui.pages.picker import Picker
from longrein.tui.view import rewinding
from longrein.tui.view.rewinding import (
    What,
    choices,
    fate_of,
    file_rows,
    overwriting,
    point_rows,
    preview_lines,
    rewound_words,
    said_at,
)
from longrein.tui.view.rows import Row
from longrein.tui.widgets.reading import Reading
from longrein.tui.widgets.rows import Rows

PAUSE = 0.05
"""Seconds that the cursor rests on a point before its preview is made."""


class Rewound(Struct, frozen=True):
    """A rewind that was done: `words` for the person, and the `text` that was said at that point,
    to go back into the editor; empty where the conversation stayed. `fork`: nothing was done, and
    a thread of its own is to begin before this point."""

    words: str
    text: str
    fork: str = ""


class RewindPage(Picker[Rewound]):
    """The points of a thread; ends with what was done."""

    DEFAULT_CSS = """
    RewindPage Reading { height: 40%; margin-top: 1; }
    RewindPage.-low Reading { height: 3; margin-top: 0; }
    """

    def __init__(self, thread: ThreadClient, clock: Callable[[], int], place: str = "") -> None:
        super().__init__(
            "Rewind",
            "Enter go back before it",
            empty="Nothing was said here yet that could be gone back to.",
        )
        self._client = thread
        self._clock = clock
        self._place = place
        self._pause: Timer | None = None

    def body(self) -> ComposeResult:
        yield from super().body()
        yield Reading()

    async def load(self) -> Sequence[Row]:
        return point_rows(await self._client.points(), self._clock())

    def at(self, row: Row | None) -> None:
        if self._pause is not None:
            self._pause.stop()
        self.query_one(Reading).show(())
        if row is not None:
            self._pause = self.set_timer(PAUSE, lambda: attempt(self, self._preview(row)))

    async def _preview(self, row: Row) -> None:
        preview = await self._client.preview(row.key)
        if self.is_attached and self.listed.row == row:
            self.query_one(Reading).show(preview_lines(preview, self._place))

    def choose(self, row: Row) -> None:
        attempt(self, self._decide(row))

    async def _decide(self, row: Row) -> None:
        preview = await self._client.preview(row.key)
        if done := await self.ask(RewindChoice(self._client, preview, self._place)):
            self.end(done)


class RewindChoice(Page[Rewound]):
    """What to go back in, with every file; does it, and ends with what was done."""

    DEFAULT_CSS = """
    RewindChoice #what { height: auto; max-height: 6; margin-bottom: 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("b", "go('both')", show=False),
        Binding("c", "go('conversation')", show=False),
        Binding("f", "go('files')", show=False),
        Binding("t", "fork", show=False),
        Binding("space", "overwrite", show=False),
    ]

    def __init__(self, thread: ThreadClient, preview: RewindPreview, place: str) -> None:
        super().__init__("Go back to before", "Enter do it · Tab files · b c f t")
        self._client = thread
        self._preview = preview
        self._place = place
        self._overwrite: frozenset[str] = frozenset()
        self._would = preview
        """The preview with what is to be overwritten."""
        self._under_way = False

    def body(self) -> ComposeResult:
        yield Rows(id="what", alone=False)
        yield Rows("No file has changed since.", id="files", alone=False)

    def on_mount(self) -> None:
        self.tell(self._preview.point.text)
        self._show()

    def _show(self) -> None:
        self.query_one("#what", Rows).show(choices(self._would))
        fates = {path: fate_of(path, self._would) for path in self._overwrite}
        rows = file_rows(self._preview, fates, self._place)
        self.query_one("#files", Rows).show(rows, "No file has changed since.")

    def on_rows_chosen(self, event: Rows.Chosen) -> None:
        match event.row.key:
            case "both" | "conversation" | "files" as what:
                self.action_go(what)
            case rewinding.FORK:
                self.action_fork()
            case path:
                self._toggle(path)

    def action_overwrite(self) -> None:
        """Overwrite the file at the cursor after all, or not."""
        if row := self.query_one("#files", Rows).row:
            self._toggle(row.key)

    def _toggle(self, path: str) -> None:
        files = self._preview.files
        if files is not None and any(one.path == path for one in files.foreign):
            self._overwrite ^= {path}
            self._would = overwriting(self._preview, self._overwrite)
            self._show()  # it holds from now on, whenever the preview comes
            attempt(self, self._look_again(self._overwrite))

    async def _look_again(self, overwrite: frozenset[str]) -> None:
        would = await self._client.preview(self._preview.point.input, sorted(overwrite))
        if self.is_attached and overwrite == self._overwrite:
            self._would = would
            self._show()

    def action_fork(self) -> None:
        """Leave this thread as it is, and go another way from that point."""
        point = self._preview.point.input
        self.end(Rewound("", said_at(self._client.display, point), fork=point))

    def action_go(self, what: What) -> None:
        """Do it, if it can be done."""
        able = any(row.key == what for row in choices(self._preview))
        if able and not self._under_way:
            self._under_way = True
            attempt(self, self._go(what))

    async def _go(self, what: What) -> None:
        point = self._preview.point.input
        text = said_at(self._client.display, point) if what != "files" else ""
        try:
            restored = await self._client.rewind(
                point,
                files=what != "conversation",
                conversation=what != "files",
                overwrite=sorted(self._overwrite),
            )
        finally:
            self._under_way = False
        self.end(Rewound(rewound_words(what, restored), text))
