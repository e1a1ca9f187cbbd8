"""What would become of a tool call, and by which rules."""

from textual.app import ComposeResult
from textual.widgets import Input, Static

from longrein.client.arguments import json_object
from longrein.client.port import ThreadClient
from longrein.core.errors import LongreinError
from longrein.tui.attempt import attempt
from longrein.tui.pages.page import Page
from longrein.tui.view.permissions import explained
from longrein.tui.view.tones import line
from longrein.tui.widgets.reading import Reading


class ExplainPage(Page[None]):
    """A tool and its arguments; below, the verdict and all that had a say in it."""

    DEFAULT_CSS = """
    ExplainPage Static.label { height: 1; color: $text-muted; padding: 0 2; }
    ExplainPage Input { height: 1; padding: 0 2 !important; background: $panel; margin-bottom: 1; }
    """

    def __init__(self, thread: ThreadClient) -> None:
        super().__init__("Explain", "Enter explain · Tab next field")
        self._client = thread

    def body(self) -> ComposeResult:
        yield Static("Tool", classes="label")
        yield Input(placeholder="execute", compact=True, id="tool")
        yield Static("Arguments, as JSON", classes="label")
        yield Input(placeholder='{"command": "git push"}', compact=True, id="arguments")
        yield Reading()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        attempt(self, self._explain())

    async def _explain(self) -> None:
        tool, arguments = (self.query_one(f"#{id}", Input).value for id in ("tool", "arguments"))
        try:
            lines = explained(await self._client.explain(tool.strip(), json_object(arguments)))
        except LongreinError as error:
            lines = [line(str(error), "bad")]
        if self.is_attached:
            self.query_one(Reading).show(lines)
