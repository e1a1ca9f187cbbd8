"""What waits for the person and an editor, before a session that was told something."""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from textual import on
from textual.widgets import Input, Static

from longrein.capabilities.base import Capability
from longrein.client.local_thread import LocalThread
from longrein.core.commands import AddRule
from longrein.core.display import Display
from longrein.core.ids import Clock
from longrein.core.messages import ToolResult
from longrein.core.policy import Rule
from longrein.models.base import Request
from longrein.testing import Reply
from longrein.testing.clock import ManualClock
from longrein.tools.define import Function, Tool
from longrein.tui.attempt import attempt
from longrein.tui.grace import Grace
from longrein.tui.outside import EditOutside, edit_outside
from longrein.tui.view.asks import asks
from longrein.tui.widgets.asks import Asks, settle
from tests.tui.host import Host, Person, before
from tests.tui.kit import client


class AskingApp(Host):
    """Draws what waits and nothing else: the whole app takes four times as long."""

    CSS = "Screen { layout: vertical; } .room { height: 1fr; } .editor { height: 1; border: none; }"

    def __init__(self, thread: LocalThread, clock: Clock, hold: float = 0) -> None:
        self.thread = thread
        self.asks = Asks(Grace(clock.monotonic, hold=hold), clock)
        self.editor = Input(classes="editor", compact=True, select_on_focus=False)
        super().__init__(Static(classes="room"), self.asks, self.editor)

    def on_mount(self) -> None:
        self.editor.focus()
        self.run_worker(self._follow())

    async def _follow(self) -> None:
        async for display in self.thread.displays():
            self.asks.show(asks(display), typing=bool(self.editor.value))

    @on(Asks.Decided)
    def _decided(self, event: Asks.Decided) -> None:
        attempt(self, settle(self.asks, self.thread, event))

    @on(Asks.Typed)
    def _typed(self, event: Asks.Typed) -> None:
        self.editor.insert_text_at_cursor(event.text)
        self.editor.focus()

    @on(Asks.Left)
    def _left(self) -> None:
        self.editor.focus()

    @on(EditOutside)
    def _outside(self, event: EditOutside) -> None:
        attempt(self, edit_outside(self, event))


class Desk(Person[AskingApp]):
    """Somebody who reads what is there before they press a key."""

    def __init__(self, person: Person[AskingApp], clock: ManualClock) -> None:
        super().__init__(person.app, person.pilot, person.heard)
        self._clock = clock

    @property
    def thread(self) -> LocalThread:
        return self.app.thread

    @property
    def display(self) -> Display:
        return self.thread.display

    @property
    def written(self) -> str:
        """What stands in the editor."""
        return self.app.editor.value

    @property
    def writes(self) -> bool:
        """Whether what is typed goes into the editor."""
        return self.app.editor.has_focus

    def results(self) -> list[str]:
        """What the model heard of its calls."""
        return [one.text for one in self.display.messages if isinstance(one, ToolResult)]

    async def reads(self) -> None:
        """Let the time go by that it takes to read a card."""
        await self.settles()
        self._clock.advance(1)

    async def press(self, *keys: str) -> None:
        """Press keys, as somebody does who has read what is there."""
        await self.reads()
        await self.presses(*keys)

    async def idle(self) -> None:
        """Wait until the run is over."""
        await self.until(
            lambda: self.display.activity == "idle" and not self.display.run, "the end of the run"
        )
        await self.settles()


@asynccontextmanager
async def asking(
    says: Sequence[Reply] | Callable[[Request], Reply],
    folder: Path,
    *,
    size: tuple[int, int] = (80, 24),
    tools: Sequence[Tool | Function] = (),
    capabilities: Sequence[Capability] = (),
    rules: Sequence[Rule] = (),
    typed: str = "",
    said: str = "Go.",
    hold: float = 0,
) -> AsyncGenerator[Desk, None]:
    """A session that was told something, with the app before it."""
    async with client(says, folder, tools=tools, capabilities=capabilities) as made:
        clock = ManualClock()
        app = AskingApp(await made.open(new=True), clock, hold)
        async with before(app, size) as person:
            app.editor.value = typed
            for rule in rules:
                await app.thread.submit(AddRule(rule))
            await app.thread.say("send", said)
            yield Desk(person, clock)
