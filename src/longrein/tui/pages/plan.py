"""The page of a plan: all of it to read, and the decision on it."""

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.events import Key
from textual.strip import Strip

from longrein.client.telling import APPROVE
from longrein.core.commands import AnswerQuestion, Decline
from longrein.core.visible import visible
from longrein.tui.around import app_of
from longrein.tui.attempt import tell
from longrein.tui.draw.asks import text_rows
from longrein.tui.draw.markdown import markdown
from longrein.tui.grace import WRITING, Grace
from longrein.tui.holding import Held
from longrein.tui.look import Look
from longrein.tui.pages.page import Page
from longrein.tui.pages.writing import WritingPage
from longrein.tui.view.asks import Decide, Heard, PlanAsk
from longrein.tui.view.choices import Option
from longrein.tui.widgets.choices import Choices
from longrein.tui.widgets.scrolled import LETTERS, Scrolled
from longrein.tui.writing.begun import Place

APPROVING, EDITING, REJECTING = Option("a", "approve"), Option("e", "edit"), Option("r", "reject")


LONGEST = 32_000
"""Characters of a plan that is drawn as Markdown; a longer one is shown as it was written."""


class PlanPage(Page[None]):
    """A plan in Markdown. `decide` brings what the person decides to the session.

    `first` is a key that counts as pressed when the page opens, `feedback` where that is written.
    """

    DEFAULT_CSS = """
    PlanPage Scrolled { height: 1fr; padding: 0 2; }
    PlanPage Choices { margin: 1 2 0 2; }
    PlanPage.-low Choices { margin-top: 0; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("m", "source", show=False)]

    def __init__(
        self, ask: PlanAsk, decide: Decide, grace: Grace, feedback: Place, first: str = ""
    ) -> None:
        super().__init__(f"Plan: {ask.title}", "PageUp PageDown scroll · m as it was written")
        self._ask = ask
        self._decide = decide
        self._feedback = feedback
        self._grace = grace
        self._held = Held(self, grace.hold, self._choose)
        self._first = first
        self._source = len(ask.text) > LONGEST
        self._text = Scrolled(self._drawn)
        self._choices = Choices((APPROVING, EDITING, REJECTING))

    def body(self) -> ComposeResult:
        yield self._text
        yield self._choices

    def on_mount(self) -> None:
        self._grace.begin()
        if self._first:
            self._choose(self._first)

    def action_source(self) -> None:
        """Show it as it was written, or as it reads: nobody can hide anything in what is drawn."""
        if len(self._ask.text) > LONGEST:
            tell(self, "This plan is too long to be shown in any other way.")
            return
        self._source = not self._source
        self._text.again()

    def on_key(self, event: Key) -> None:
        if not self.is_current:
            return
        if self._held:
            event.stop()
            letter = self._held.drop()
            if event.key == "enter":
                self._choose(letter)
            else:
                self._grace.begin(WRITING)
        elif event.key == "enter" and self._grace.over:
            event.stop()
            self._choose(self._choices.at)
        elif self._choices.has(event.key) and self._grace.over:
            event.stop()
            self._held.hold(event.key)
        elif self._choices.move(event.key) or self._text.press(LETTERS.get(event.key, event.key)):
            event.stop()
        elif event.is_printable and event.key != "m":  # no word is an answer
            self._grace.begin(WRITING)

    def on_choices_chosen(self, event: Choices.Chosen) -> None:
        event.stop()
        self._choose(event.key)

    def _choose(self, key: str) -> None:
        if not self.is_current:  # something was opened, or it is decided
            return
        match key:
            case APPROVING.key:
                self._decide(AnswerQuestion(self._ask.id, APPROVE, plan=True), self._heard)
            case EDITING.key:
                self._write(
                    WritingPage(
                        f"Plan: {self._ask.title}",
                        self._ask.text,
                        self._edited,
                        does="approves this version",
                        file="plan.md",
                    )
                )
            case _:
                self._write(
                    WritingPage(
                        "What should be different?",
                        "",
                        self._rejected,
                        does="rejects the plan",
                        file="feedback.md",
                        place=self._feedback,
                        check=lambda text: "",
                    )
                )

    def _write(self, page: WritingPage) -> None:
        app_of(self).push_screen(page, self._written)

    def _written(self, taken: bool | None) -> None:
        if taken:
            self.end()

    def _edited(self, text: str, heard: Heard) -> None:
        self._decide(AnswerQuestion(self._ask.id, text, plan=True), heard)

    def _rejected(self, text: str, heard: Heard) -> None:
        self._decide(Decline(self._ask.id, text.strip()), heard)

    def _heard(self, problem: str) -> None:
        if problem:
            tell(self, problem, "error")
        else:
            self.end()

    def _drawn(self, width: int, look: Look) -> Sequence[Strip]:
        if self._source:
            return text_rows(self._ask.text, width, look.text, look.dim)
        return plan_rows(self._ask.text, width, look)


def plan_rows(text: str, width: int, look: Look) -> Sequence[Strip]:
    """A plan as it reads; one that is very long, as it was written."""
    if len(text) > LONGEST:
        return text_rows(text, width, look.text, look.dim)
    return markdown(visible(text, strict=True), width, look)
