"""The card of a plan: its first lines, and the way to all of it."""

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.events import Key
from textual.strip import Strip

from longrein.client.telling import APPROVE
from longrein.core.commands import AnswerQuestion
from longrein.core.words import counted
from longrein.tui.around import app_of
from longrein.tui.draw.asks import text_rows
from longrein.tui.grace import Grace
from longrein.tui.look import Look
from longrein.tui.pages.plan import PlanPage
from longrein.tui.view.asks import Decide, PlanAsk
from longrein.tui.view.choices import Option
from longrein.tui.widgets.card import Card
from longrein.tui.widgets.choices import Choices
from longrein.tui.widgets.scrolled import Scrolled

FIRST = 6
"""Rows of a plan that stand in its card."""


class PlanCard(Card):
    """How a plan begins. It is read and decided on in a page of its own."""

    DEFAULT_CSS = """
    PlanCard { height: auto; layout: vertical; }
    PlanCard > Choices { margin-top: 1; }
    """
    OPTIONS: ClassVar[Sequence[Option]] = (
        Option("o", "open"),
        Option("a", "approve"),
        Option("e", "edit"),
        Option("r", "reject"),
    )

    def __init__(self, ask: PlanAsk, decide: Decide, grace: Grace) -> None:
        super().__init__(decide, grace)
        self._ask = ask
        self._choices = Choices(self.OPTIONS)

    def compose(self) -> ComposeResult:
        yield Scrolled(self._beginning)
        yield self._choices

    def page(self, by: int) -> None:
        self._open()

    def act(self, event: Key) -> bool:
        if event.key != "pagedown":
            return self._choices.press(event.key)
        self._open()
        return True

    def choose(self, key: str) -> None:
        if key == "a":
            self.settle(AnswerQuestion(self._ask.id, APPROVE, plan=True))
        else:
            self._open("" if key == "o" else key)

    def _open(self, first: str = "") -> None:
        app_of(self).push_screen(PlanPage(self._ask, self.decide, first))

    def _beginning(self, width: int, look: Look) -> Sequence[Strip]:
        rows = list(text_rows(self._ask.text.strip("\n"), width, look.text, look.dim))
        if len(rows) <= FIRST:
            return rows
        left = f"… {counted(len(rows) - FIRST + 1, 'more line')}: o opens it"
        return [*rows[: FIRST - 1], *text_rows(left, width, look.dim, look.dim)]
