"""Whoever a command talks to: the lines of a terminal, or dialogs of the app."""

from collections.abc import Sequence
from typing import Protocol

from longrein.cli.terminal import PLAIN, Screen


class Teller(Protocol):
    """Somebody who can be told things and, where `interactive`, asked whether they count."""

    interactive: bool

    def say(self, text: str, style: str = PLAIN, *, hang: int | None = None) -> None:
        """Tell the person something."""
        ...

    def confirms(self, headline: str, lines: Sequence[str], risk: str) -> bool:
        """Whether the person lets something count that is told in full before it."""
        ...


_FITS: type[Teller] = Screen
