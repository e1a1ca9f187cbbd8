"""What would become of a tool call, or of a file, and by which rules."""

import re
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Input, Static

from longrein.client.arguments import json_object
from longrein.client.port import ThreadClient
from longrein.client.ruling import calls_about
from longrein.core.errors import LongreinError
from longrein.tui.attempt import attempt
from longrein.tui.pages.page import Page
from longrein.tui.view.permissions import explained, explained_file
from longrein.tui.view.tones import Line, line
from longrein.tui.widgets.reading import Reading

if TYPE_CHECKING:
    from longrein.client.port import Explanation

_TOOL = re.compile(r"[\w-]*")
"""What may be the name of a tool; all else is a path."""


class ExplainPage(Page[None]):
    """A tool and its arguments, or a path; below, the verdict and all that had a say in it."""

    DEFAULT_CSS = """
    ExplainPage Static.label { height: 1; color: $text-muted; padding: 0 2; }
    ExplainPage Input { height: 1; padding: 0 2 !important; background: $panel; margin-bottom: 1; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("pageup", "scroll('pageup')", show=False, priority=True),
        Binding("pagedown", "scroll('pagedown')", show=False, priority=True),
    ]

    def __init__(self, thread: ThreadClient) -> None:
        super().__init__("Explain", "Enter explain · Tab next field · PageUp PageDown scroll")
        self._client = thread

    def body(self) -> ComposeResult:
        yield Static("Tool, or a file", classes="label")
        yield Input(placeholder="execute, or @src/main.py", compact=True, id="tool")
        yield Static("Arguments, as JSON", classes="label")
        yield Input(placeholder='{"command": "git push"}', compact=True, id="arguments")
        yield Reading()

    def action_scroll(self, key: str) -> None:
        self.query_one(Reading).press(key)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        attempt(self, self._explain())

    async def _explain(self) -> None:
        asked, arguments = (self.query_one(f"#{id}", Input).value for id in ("tool", "arguments"))
        asked = asked.strip()
        if _TOOL.fullmatch(asked):
            lines = await self._about_call(asked, arguments)
        else:
            lines = await self._about_file(asked.removeprefix("@"))
        if self.is_attached:
            self.query_one(Reading).show(lines)

    async def _about_call(self, tool: str, arguments: str) -> list[Line]:
        try:
            return explained(await self._client.explain(tool, json_object(arguments)))
        except LongreinError as error:
            return [line(str(error), "bad")]

    async def _about_file(self, path: str) -> list[Line]:
        uses: list[tuple[str, Explanation | str]] = []
        for use, (tool, given) in calls_about(path).items():
            try:
                uses.append((use, await self._client.explain(tool, given)))
            except LongreinError as error:
                uses.append((use, str(error)))
        return explained_file(path, uses)
