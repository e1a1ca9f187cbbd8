"""The whole app in a state that is the same in every run, and pictures of it as text.

`make snapshots` draws the files in `snapshots` anew; look at what has changed before you keep it.
"""

import difflib
import os
import re
from collections.abc import AsyncGenerator, Callable, Generator, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

from rich.segment import Segment
from rich.style import Style

from longrein._version import __version__
from longrein.capabilities.base import Capability
from longrein.capabilities.workspace.workspace import Workspace
from longrein.client.port import Check, ThreadClient
from longrein.core.preferences import Preferences
from longrein.models.base import Request
from longrein.models.price import Price
from longrein.testing import Reply, ScriptedModel
from longrein.testing.clock import CountingIds, ManualClock
from longrein.tools.define import Function, Tool
from longrein.tui.view.status import fitted, status
from tests.tui.apps import User, answer, using
from tests.tui.kit import client
from tests.tui.screens import lines

FOLDER = Path(__file__).parent / "snapshots"
WRITES = os.environ.get("SNAPSHOTS") == "write"

PLACE = "/home/ada/code/project"
"""What the folder is called in pictures: as long as its real name, which is new in every run."""

PREFIX = "longrein-"
VERSION = "9.9.9"
NOW = 1_780_000_000_000_000
STILL = 0.12
"""Seconds in which nothing may change before a picture is taken: some frames."""


class Gallery:
    """Pictures, compared with the files of their names when all are taken."""

    def __init__(self) -> None:
        self._differ: list[str] = []

    def hang(self, name: str, drawn: Sequence[str]) -> None:
        path, text = FOLDER / f"{name}.txt", "\n".join([*drawn, ""])
        if WRITES:
            path.write_text(text, encoding="utf-8")
        kept = path.read_text(encoding="utf-8") if path.exists() else ""
        if kept != text:
            changes = difflib.unified_diff(
                kept.splitlines(), text.splitlines(), f"{name} as kept", "as drawn", lineterm=""
            )
            self._differ.append("\n".join(changes))

    def check(self) -> None:
        assert not self._differ, "\n\n".join([*self._differ, "`make snapshots` draws them anew."])


@contextmanager
def gallery() -> Generator[Gallery, None, None]:
    """Pictures that are all compared, whichever of them differs."""
    made = Gallery()
    yield made
    made.check()


class Scene:
    """Somebody before the app, on a clock that the test moves."""

    def __init__(self, user: User, clock: ManualClock, folder: Path, gallery: Gallery) -> None:
        self.user = user
        self.folder = folder
        self._clock = clock
        self._gallery = gallery

    @property
    def thread(self) -> ThreadClient:
        return self.user.app.stage.desk.thread

    def advance(self, seconds: float) -> None:
        """Let time go by."""
        self._clock.advance(seconds)

    async def says(self, text: str, *sees: str) -> None:
        """Say something to the agent; come back when these are on the screen."""
        await self.user.types(text, "enter")
        for one in sees:
            await self.user.sees(one)

    async def answers(self, *keys: str) -> None:
        """Press keys on the card that waits, after it was read."""
        await self.user.until(lambda: self.user.app.main.asks.has_focus_within, "a card")
        self.advance(1)
        await answer(self.user, *keys)

    async def visits(self, command: str, *sees: str) -> None:
        """Give a command; come back when these are on its page."""
        await self.user.types(f"/{command}")
        await self.user.presses("escape", "enter")
        for one in sees:
            await self.user.sees(one)

    async def leaves(self) -> None:
        """Close the page."""
        await self.user.presses("escape")
        await self.user.until(lambda: self.user.app.screen is self.user.app.main, "the main screen")

    async def picture(self, name: str, *sees: str, styles: bool = False, hides: str = "") -> None:
        """Take a picture once these are on the screen and nothing changes any more.

        With `styles` each piece has its style before it. What fits the pattern `hides` is another
        in every place, and is crossed out.
        """
        for one in sees:
            await self.user.sees(one)
        drawn = self._drawn(styles)
        while True:
            await self.user.pilot.pause(STILL)
            before, drawn = drawn, self._drawn(styles)
            if drawn == before and self._up_to_date():
                break
        if hides:
            drawn = [re.sub(hides, lambda found: "#" * len(found[0]), line) for line in drawn]
        self._gallery.hang(name, drawn)

    def _up_to_date(self) -> bool:
        """Whether what is drawn is how things stand, and at what time: that is told by seconds."""
        app, now = self.user.app, self._clock.now()
        drawn, left = app.main.shown, app.main.offer.what == "resume"
        if drawn is None or drawn.seq < self.thread.display.seq:
            return False
        if app.screen is not app.main:  # a page covers the line
            return True
        bar, last = fitted(status(drawn, now, left=left), app.size.width), lines(app)[-1]
        return all(part.text in last for part in bar.parts)

    def _drawn(self, styles: bool) -> list[str]:
        drawn = tagged(self.user) if styles else lines(self.user.app)
        drawn = [
            line.replace(str(self.folder), PLACE).replace(__version__, VERSION) for line in drawn
        ]
        cut = [line for line in drawn if f"/tmp/{PREFIX}" in line]
        assert not cut, f"the folder has another name in every run: {cut}"
        return drawn


def tagged(user: User) -> list[str]:
    """The lines of the screen, each piece behind its style where that is not the common one."""
    compositor = user.app.screen._compositor  # pyright: ignore[reportPrivateUsage]
    return ["".join(map(_tagged, strip)).rstrip() for strip in compositor.render_strips()]


def _tagged(segment: Segment) -> str:
    text, style, _ = segment
    words = _words(style or Style())
    return f"⟨{words}⟩{text}⟨⟩" if words and text.strip() else text


def _words(style: Style) -> str:
    names = ("bold", "dim", "italic", "underline", "reverse", "strike")
    words = [name for name in names if getattr(style, name)]
    if style.color is not None and not style.color.is_default:
        words.append(style.color.name)
    return " ".join(words)


@asynccontextmanager
async def scene(
    says: Sequence[Reply] | Callable[[Request], Reply] | ScriptedModel,
    pictures: Gallery,
    *,
    size: tuple[int, int] = (80, 24),
    tools: Sequence[Tool | Function] = (),
    capabilities: Sequence[Capability] = (),
    label: str = "",
    place: str = "/project",
    store: str = "memory",
    thread: str = "",
    checks: Sequence[Check] = (),
    workspace: Workspace | None = None,
    preferences: Preferences | None = None,
) -> AsyncGenerator[Scene, None]:
    """The app on a thread, with a time, ids and a folder that tell no run from another."""
    clock = ManualClock(NOW)
    folder = Path(mkdtemp(prefix=PREFIX, dir="/tmp"))
    assert len(str(folder)) == len(PLACE)
    opened = client(
        says,
        folder,
        tools=tools,
        capabilities=capabilities,
        label=label,
        place=place,
        store=store,
        checks=checks,
        workspace=workspace,
        price=Price("3", "15", window=200_000),
        clock=clock,
        ids=CountingIds(),
    )
    try:
        async with opened as made:
            shown = using(made, thread=thread, size=size, clock=clock, preferences=preferences)
            async with shown as user:
                yield Scene(user, clock, folder, pictures)
    finally:
        rmtree(folder)
