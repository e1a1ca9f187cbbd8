"""What a person works with: the open thread, pages over it, and questions to them."""

import asyncio
from collections.abc import Callable, Sequence
from typing import TypeVar

from msgspec import Struct
from textual.app import App

from longrein.client.port import Client, ThreadClient
from longrein.core.errors import UsageError
from longrein.tui.attempt import attempt, tell
from longrein.tui.commands import did_you_mean, find, known_commands
from longrein.tui.desk import TRUSTS, Desk
from longrein.tui.grace import Grace
from longrein.tui.main import Main
from longrein.tui.opening import Choice
from longrein.tui.pages.call import CallPage
from longrein.tui.pages.child import ChildPage
from longrein.tui.pages.dialog import Dialog, LineDialog
from longrein.tui.pages.page import Page
from longrein.tui.saving import FORMATS
from longrein.tui.view.completing import Completion
from longrein.tui.view.entries import Called
from longrein.tui.view.header import title_of

R = TypeVar("R")

OPENING = "One moment: the thread is not open yet."
LEAVING = (
    "Something is running. If you leave, it stops where it is: a run can go on later, a command "
    "of your own or in the background cannot."
)


class Left(Struct, frozen=True):
    """A thread that was left. `last`: nothing was said in another one since."""

    thread: str
    title: str
    last: bool


class Stage:
    """The main screen and what lies over it, for whoever carries out commands.

    `clock` gives the time in microseconds. `grace` is given to questions that come uncalled.
    """

    def __init__(self, app: App[int], main: Main, clock: Callable[[], int], grace: Grace) -> None:
        self.main = main
        self.clock = clock
        self.grace = grace
        self._app = app
        self._desk: Desk | None = None
        self._asking: set[asyncio.Future[str | None]] = set()
        self._closed = False
        self.leaving = False
        """Whether the person is asked if they mean to leave."""

    @property
    def desk(self) -> Desk:
        """Where the person works. Raises `UsageError` before a thread is open."""
        if self._desk is None:
            raise UsageError(OPENING)
        return self._desk

    async def left(self) -> Left | None:
        """The thread, if whoever leaves may want to go on with it; not in a demo, nor where nothing
        was said."""
        if self._desk is None or self._desk.client.about.label:
            return None
        thread, shown = self._desk.thread.thread, self._desk.thread.display
        if not shown.messages and not shown.queue:
            return None
        return Left(thread, title_of(shown), await self._desk.client.last() == thread)

    @property
    def theme(self) -> str:
        return self._app.theme

    async def begin(self, client: Client, thread: ThreadClient) -> None:
        """Show a thread, in the place of the one before."""
        self._desk = Desk(client, thread)
        self.main.follow(self._desk, self._arguments)
        self.main.editor.set_commands(known_commands(await thread.commands()))
        attempt(self._app, self._desk.recall())

    async def enter(self, thread: ThreadClient) -> None:
        """Go to another thread of the same client."""
        client = self.desk.client
        await self.begin(client, thread)
        self.main.take_up()
        attempt(self._app, client.let_go(thread.thread))

    async def visit(self, page: Page[R]) -> R | None:
        """Show a page until it is closed; its result. Only for workers of the app."""
        return await self._app.push_screen_wait(page)

    async def look_in(self, thread: str) -> None:
        """Show the conversation of a child."""
        await self.visit(ChildPage(await self.desk.thread.child(thread), self.clock))

    async def read(self, call: Called) -> None:
        """Show all of a call."""
        await self.visit(CallPage(call, self.desk.thread))

    async def wear(self, theme: str) -> None:
        """Use other colours, now and next time."""
        if theme not in self._app.available_themes:
            hint = did_you_mean(theme, sorted(self._app.available_themes))
            raise UsageError(f"There is no theme {theme!r}. {hint}/theme lists them.")
        self._app.theme = theme
        await self.desk.client.keep("app.theme", theme)

    def tell(self, text: str) -> None:
        """Say something in passing."""
        tell(self._app, text)

    async def choose(
        self, title: str, text: str, choices: Sequence[Choice], *, shown: str = ""
    ) -> str:
        """`opening.Dialogs.choose`."""
        put = self.main.editor.put
        page = Dialog(title, text, choices, shown=shown, grace=self.grace, typed=put)
        return await self._asked(page) or ""

    async def ask(self, title: str, text: str, *, secret: bool = False) -> str | None:
        """`opening.Dialogs.ask`."""
        return await self._asked(LineDialog(title, text, secret=secret))

    async def _asked(self, page: Page[str]) -> str | None:
        """The result of a page, for whoever is no worker of the app."""
        if self._closed:
            raise asyncio.CancelledError
        ended: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()

        def end(result: str | None) -> None:
            if not ended.done():
                ended.set_result(result)

        self._asking.add(ended)
        try:
            self._app.push_screen(page, end)
            return await ended
        finally:
            self._asking.discard(ended)

    def close(self) -> None:
        """Let nobody wait for an answer that cannot come any more."""
        self._closed = True
        for waiting in self._asking:
            waiting.cancel()

    async def leave(self) -> None:
        """Leave; where something runs here, only if the person means it."""
        if self.leaving:
            return
        if self._desk is not None and self._desk.client.busy:
            choices = [Choice("leave", "Leave", "y"), Choice("", "Stay", "n")]
            self.leaving = True
            stays = not await self.choose("Leave?", LEAVING, choices)
            self.leaving = False
            if stays:
                return
        self._app.exit(0)

    async def _arguments(self, command: str) -> Sequence[Completion]:
        """What a command of the app can be given."""
        known = find(command)
        match known.choices if known else "":
            case "modes":
                names = [mode.id for mode in self.desk.client.about.modes]
            case "trusts":
                names = list(TRUSTS)
            case "models":
                names = [one.name for one in await self.desk.client.models() if one.usable]
            case "themes":
                names = sorted(self._app.available_themes)
            case "formats":
                names = list(FORMATS)
            case "":
                names = []
        return [Completion(name, name, goes=True) for name in names]
