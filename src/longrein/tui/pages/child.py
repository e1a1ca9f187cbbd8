"""The conversation of a child, as it goes on."""

import asyncio
from collections.abc import Callable
from contextlib import aclosing

from textual.app import ComposeResult

from longrein.client.port import ThreadClient
from longrein.core.display import Display
from longrein.tui.around import app_of, look_for
from longrein.tui.attempt import attempt
from longrein.tui.pages.call import CallPage
from longrein.tui.pages.page import Page
from longrein.tui.view.header import title_of
from longrein.tui.view.status import status
from longrein.tui.view.transcript import Transcript, transcript
from longrein.tui.widgets.conversation import FRAME, Conversation
from longrein.tui.widgets.status import Status


class ChildPage(Page[None]):
    """What a child was told, does and says. What it asks is asked on the main screen."""

    DEFAULT_CSS = """
    ChildPage Conversation { height: 1fr; background: $surface; }
    """

    def __init__(self, child: ThreadClient, clock: Callable[[], int]) -> None:
        super().__init__("Subagent", "PageUp PageDown scroll · ↑ ↓ Enter open a call · o read it")
        self._client = child
        self._clock = clock
        self._transcript: Transcript | None = None
        self._conversation = Conversation(clock)
        self._status = Status()

    def body(self) -> ComposeResult:
        yield self._conversation
        yield self._status

    def on_mount(self) -> None:
        still = app_of(self).animation_level == "none"
        self._conversation.redraw(look_for(self), still=still)
        self._conversation.focus()
        attempt(self, self._follow())

    def on_conversation_read_chosen(self, event: Conversation.ReadChosen) -> None:
        event.stop()
        app_of(self).push_screen(CallPage(event.entry, self._client))

    async def _follow(self) -> None:
        async with aclosing(self._client.displays()) as displays:
            async for shown in displays:
                if not self.is_attached:
                    return
                self._draw(shown)
                await asyncio.sleep(FRAME)

    def _draw(self, shown: Display) -> None:
        self._transcript = transcript(shown, self._transcript)
        self._conversation.show(self._transcript)
        self._status.show(status(shown, self._clock()))
        self.tell(title_of(shown))
