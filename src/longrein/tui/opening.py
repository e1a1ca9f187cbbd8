"""How the app comes to its client: behind the first frame, with questions where there are any."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol, TypeAlias

from msgspec import Struct

from longrein.client.port import Client
from longrein.core.preferences import Preferences


class Choice(Struct, frozen=True):
    """One of several things to choose from. `key` is the letter that chooses it."""

    value: str
    label: str
    key: str = ""


class Dialogs(Protocol):
    """Somebody who can be asked before there is a client."""

    async def choose(
        self, title: str, text: str, choices: Sequence[Choice], *, shown: str = ""
    ) -> str:
        """The value of what was chosen; empty where the person turned away.

        `shown` is what the choice is about, to be checked line by line.
        """
        ...

    async def ask(self, title: str, text: str, *, secret: bool = False) -> str | None:
        """What the person wrote; None where they turned away. `secret`: it is not shown."""
        ...


class Opened(Struct, frozen=True):
    """What the app works with, and where it begins.

    `thread` is the thread to open; empty: a new one. `pick`: the person chooses one first. `draft`
    is what is said at once. `choose_model`: there is none yet, so the person chooses one.
    """

    client: Client
    preferences: Preferences
    thread: str = ""
    pick: bool = False
    draft: str = ""
    choose_model: bool = False


Opener: TypeAlias = Callable[[Dialogs], Awaitable[Opened | None]]
"""Makes a client, asking what has to be asked. None: the person would rather leave."""
