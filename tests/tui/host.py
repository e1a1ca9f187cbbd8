"""Somebody before an app in a headless terminal, and an app with nothing of its own in it."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any, Generic, TypeVar

from textual.app import App, ComposeResult
from textual.events import Key
from textual.filter import LineFilter
from textual.message import Message
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widget import Widget

from longrein.tui.keyboard import Typed
from longrein.tui.look import DARK, THEMES
from longrein.tui.safe import Harmless
from tests.tui.screens import shown as text_of

WAIT = 25.0
"""Seconds that something may take to happen."""

FIRST_LOOK, LAST_LOOK = 0.01, 0.05
"""Seconds between two looks: a look takes a while itself."""

TURNS = 30
"""Turns of the event loop in which messages go from widget to widget."""

M = TypeVar("M", bound=Message)
A = TypeVar("A", bound=App[Any])


class Host(App[None]):
    """Shows widgets, or a page; `result` is a list with what the page was closed with."""

    ENABLE_COMMAND_PALETTE = False

    def __init__(
        self, *widgets: Widget, page: Screen[Any] | None = None, theme: str = DARK.name
    ) -> None:
        super().__init__()
        for one in THEMES:
            self.register_theme(one)
        self.theme = theme
        self.result: list[Any] = []
        self._widgets = widgets
        self._page = page

    def compose(self) -> ComposeResult:
        yield from self._widgets

    def on_mount(self) -> None:
        if self._page is not None:
            self.push_screen(self._page, self.result.append)

    def get_line_filters(self) -> Sequence[LineFilter]:
        return [*super().get_line_filters(), Harmless()]


class Person(Generic[A]):
    """Somebody before an app: types, presses, looks, waits for a bounded time.

    A key is followed by whatever it leads to at once. Pilot's own keys wait for an idle processor
    after each: fifty times as long.
    """

    def __init__(self, app: A, pilot: Pilot[Any], heard: list[Message]) -> None:
        self.app = app
        self.pilot = pilot
        self.heard = heard

    async def types(self, text: str, *then: str) -> None:
        """Type a text as a terminal sends it, then press keys."""
        for message in Typed().heard(text):
            self.app.post_message(message)
        await self.presses(*then)

    async def pastes(self, text: str) -> None:
        """Paste a text as a terminal sends it."""
        await self.types(f"\x1b[200~{text}\x1b[201~")

    async def presses(self, *keys: str) -> None:
        """Press keys by their names, one after the other."""
        for key in keys:
            await self._turns()
            for message in Typed().heard(key) if len(key) == 1 else (_named(key),):
                self.app.post_message(message)
        await self.settles()

    async def settles(self) -> None:
        """Until what was sent, and what widgets told each other because of it, was heard."""
        await self._turns()
        await self.pilot.pause(0)

    async def _turns(self) -> None:
        for _ in range(TURNS):
            await asyncio.sleep(0)

    @property
    def screen(self) -> str:
        """What is to be seen now."""
        return text_of(self.app)

    @property
    def notes(self) -> list[str]:
        """What was notified."""
        return [note.message for note in self.app._notifications]  # pyright: ignore[reportPrivateUsage]

    def told(self, kind: type[M]) -> list[M]:
        """The messages of this kind that widgets sent, in order."""
        return [one for one in self.heard if isinstance(one, kind)]

    async def sees(self, text: str) -> str:
        """The screen, once this is on it."""
        return await self.until(lambda: text in self.screen, repr(text))

    async def misses(self, text: str) -> str:
        """The screen, once this is no longer on it."""
        return await self.until(lambda: text not in self.screen, f"no {text!r}")

    async def until(self, holds: Callable[[], object], what: str = "something") -> str:
        """The screen, once this holds."""
        try:
            async with asyncio.timeout(WAIT):
                wait = FIRST_LOOK
                while not holds():
                    await self.pilot.pause(wait)
                    wait = min(2 * wait, LAST_LOOK)
        except TimeoutError:
            raise AssertionError(f"waited for {what}; the screen is:\n{self.screen}") from None
        await self.settles()
        return self.screen


def _named(key: str) -> Key:
    return Key(key, " " if key == "space" else None)


@asynccontextmanager
async def before(app: A, size: tuple[int, int] = (80, 24)) -> AsyncGenerator[Person[A], None]:
    """Somebody before this app."""
    heard: list[Message] = []

    def hear(message: Message) -> None:
        # A message comes by once for every widget on its way up.
        if type(message).__module__.startswith("longrein") and message not in heard:
            heard.append(message)

    async with app.run_test(size=size, notifications=True, message_hook=hear) as pilot:
        person = Person(app, pilot, heard)
        await person.settles()
        yield person


@asynccontextmanager
async def shown(
    page: Screen[Any], size: tuple[int, int] = (80, 24)
) -> AsyncGenerator[tuple[Host, Person[Host]], None]:
    """A page in an app of its own, and somebody before it."""
    app = Host(page=page)
    async with before(app, size) as person:
        await person.until(lambda: app.screen is page)
        yield app, person
