"""`/export`: the thread as a file."""

import asyncio
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Input, Static

from longrein.client.port import Client
from longrein.client.saving import Exists, save
from longrein.tui.attempt import attempt
from longrein.tui.opening import Choice
from longrein.tui.pages.dialog import Dialog
from longrein.tui.pages.page import Page
from longrein.tui.saving import ENDINGS, Format, file_name, target
from longrein.tui.view.rows import Row
from longrein.tui.widgets.rows import Rows

FORMATS = (
    Row("markdown", "Markdown", "to read"),
    Row("json", "JSON", "everything, to import again"),
)


class ExportPage(Page[str]):
    """Format and path; writes the file, and ends with where it is."""

    DEFAULT_CSS = """
    ExportPage > .frame, ExportPage.-small > .frame { height: auto; }
    ExportPage Rows { height: 2; margin-bottom: 1; }
    ExportPage Static.label { height: 1; color: $text-muted; padding: 0 2; }
    ExportPage Input { height: 1; padding: 0 2 !important; background: $panel; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "format(-1)", show=False),
        Binding("down", "format(1)", show=False),
    ]

    def __init__(
        self, client: Client, thread: str, title: str, format: Format = "markdown", path: str = ""
    ) -> None:
        super().__init__("Export", "Enter write · Up Down format")
        self._client = client
        self._exported = thread
        self._called = title
        self._format: Format = format
        self._path = path

    def body(self) -> ComposeResult:
        yield Rows()
        yield Static("Write it to", classes="label")
        suggested = file_name(self._called, self._exported, self._format)
        yield Input(self._path or suggested, compact=True)

    def on_mount(self) -> None:
        self.query_one(Rows).show(FORMATS, key=self._format)
        self.query_one(Input).focus()

    def action_format(self, by: int) -> None:
        self.query_one(Rows).action_move(by)

    def on_rows_moved(self, event: Rows.Moved) -> None:
        if event.row is None:
            return
        before, self._format = self._format, "json" if event.row.key == "json" else "markdown"
        field = self.query_one(Input)
        if field.value.endswith(ENDINGS[before]):
            field.value = field.value.removesuffix(ENDINGS[before]) + ENDINGS[self._format]

    def on_rows_chosen(self, event: Rows.Chosen) -> None:
        self.query_one(Input).focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        attempt(self, self._write(event.value))

    async def _write(self, typed: str) -> None:
        name = file_name(self._called, self._exported, self._format)
        path = await asyncio.to_thread(target, self._client.about.place, typed, name)
        data = await self._client.export(self._exported, self._format)
        try:
            await asyncio.to_thread(save, path, data)
        except Exists as there:
            choices = (Choice("keep", "Keep it", "k"), Choice("over", "Overwrite it", "o"))
            asked = Dialog("Overwrite?", f"{there}", choices)
            if await self.ask(asked) != "over":
                return
            await asyncio.to_thread(save, path, data, overwrite=True)
        self.end(str(path))
