"""The card of a plan: its first lines, and the way to all of it."""

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.events import Key
from textual.strip import Strip

from longrein.client.telling import APPROVE
from longrein.core.commands import AnswerQuestion
from longrein.tui.around import app_of
from longrein.tui.grace import Grace
from longrein.tui.look import Look
from longrein.tui.pages.plan import PlanPage, plan_rows
from longrein.tui.view.asks import Decide, PlanAsk
from longrein.tui.view.choices import Option
from longrein.tui.widgets.card import Body, Card, half
from longrein.tui.widgets.choices import Choices
from longrein.tui.writing.begun import Begun

FIRST = 5
"""Rows of a plan that stand in its card, if there is room."""


class PlanCard(Card):
    """How a plan begins. It is read and decided on in a page of its own."""

    DEFAULT_CSS = """
    PlanCard > Choices { margin-top: 1; }
    """
    OPTIONS: ClassVar[Sequence[Option]] = (
        Option("o", "open"),
        Option("a", "approve"),
        Option("e", "edit"),
        Option("r", "reject"),
    )

    def __init__(self, ask: PlanAsk, decide: Decide, grace: Grace, begun: Begun) -> None:
        super().__init__(decide, grace)
        self._ask = ask
        self._feedback = begun.place("feedback", ask.id)
        self._body = Body(self._drawn, lambda height: min(half(height), FIRST), ": o opens it")
        self._choices = Choices(self.OPTIONS)

    def compose(self) -> ComposeResult:
        yield self._body
        yield self._choices

    def page(self, by: int) -> None:
        if by > 0:
            self._open()
        else:
            super().page(by)

    def answers(self, key: str) -> bool:
        return self._choices.has(key)

    def act(self, event: Key) -> bool:
        match event.key:
            case "pagedown":
                self._open()
            case "enter":
                self.choose(self._choices.at)
            case key:
                return self._choices.move(key) or self._body.press(key)
        return True

    def choose(self, key: str) -> None:
        if key == "a":
            self.settle(AnswerQuestion(self._ask.id, APPROVE, plan=True))
        else:
            self._open("" if key == "o" else key)

    def _open(self, first: str = "") -> None:
        page = PlanPage(self._ask, self.decide, self.grace, self._feedback, first)
        app_of(self).push_screen(page)

    def _drawn(self, width: int, look: Look) -> Sequence[Strip]:
        return plan_rows(self._ask.text.strip("\n"), width, look)
