"""The whole app on a client of a test, with somebody before it."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import TypeAlias

from longrein.client.port import Client
from longrein.core.ids import Clock, SystemClock
from longrein.core.preferences import Preferences
from longrein.tui.app import LongreinApp
from longrein.tui.commanding import perform
from longrein.tui.grace import Grace
from longrein.tui.opening import Dialogs, Opened
from tests.tui.host import Person, before

User: TypeAlias = Person[LongreinApp]


class Unhurried(SystemClock):
    """A clock on which a second goes by with each look at it: a key always counts at once."""

    def __init__(self) -> None:
        self._looks = 0

    def monotonic(self) -> float:
        self._looks += 1
        return super().monotonic() + self._looks


@asynccontextmanager
async def using(
    client: Client,
    *,
    thread: str = "",
    size: tuple[int, int] = (80, 24),
    preferences: Preferences | None = None,
    clock: Clock | None = None,
) -> AsyncGenerator[User, None]:
    """Somebody before the app on this client, once its thread is open."""
    liked = preferences or Preferences()

    async def opener(dialogs: Dialogs) -> Opened:
        return Opened(client, liked, thread)

    clock = clock or Unhurried()
    grace = Grace(clock.monotonic, hold=0)
    app = LongreinApp(opener, perform, liked, clock, grace)
    async with before(app, size) as person:
        await person.until(lambda: app.is_open, "an open thread")
        yield person


async def answer(person: User, *keys: str) -> None:
    """Press keys on the card that waits, once it hears them."""
    await person.until(lambda: person.app.main.asks.has_focus_within, "a card")
    await person.presses(*keys)
