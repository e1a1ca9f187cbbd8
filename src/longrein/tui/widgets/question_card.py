"""The card of a question: a text, one of several answers, or some of them."""

from collections.abc import Sequence
from typing import Literal, TypeAlias

from textual.app import ComposeResult
from textual.events import Key, Paste
from textual.strip import Strip

from longrein.core.commands import AnswerQuestion, Decline
from longrein.tui.draw.asks import question_rows
from longrein.tui.grace import Grace
from longrein.tui.look import Look
from longrein.tui.view.asks import Decide, QuestionAsk
from longrein.tui.view.choices import Option
from longrein.tui.widgets.card import Body, Card
from longrein.tui.widgets.choices import Choices
from longrein.tui.widgets.field import Field
from longrein.tui.widgets.menu import Menu
from longrein.tui.writing.begun import Begun

OTHER = "something else …"
MARK = "Mark at least one with Space; n gives no answer."
BLANK = "Write an answer first; to give none: Esc, then n."
YOURS = "Your answer. Enter gives it · Esc back"
WHY_NONE = "Why no answer? Optional; the model is told. Enter · Esc back"

State: TypeAlias = Literal["choosing", "ready", "writing", "why"]
"""Ready: the line to write is there, and the first letter begins it."""


class QuestionCard(Card):
    """What is asked, with its choices or a line to write."""

    DEFAULT_CSS = """
    QuestionCard {
        & > Menu { margin-top: 1; min-height: 1; max-height: 10; }
        & > Choices { margin-top: 1; }
        & > Field { display: none; margin-top: 1; }
        &.-ready > .writing, &.-writing > .writing, &.-why > .why { display: block; }
        &.-ready > Choices, &.-writing > Choices, &.-why > Choices { display: none; }
        &.-why > Menu { display: none; }
    }
    """

    def __init__(self, ask: QuestionAsk, decide: Decide, grace: Grace, begun: Begun) -> None:
        super().__init__(decide, grace)
        self._ask = ask
        self._body = Body(self._question)
        items = (*ask.choices, *((OTHER,) if ask.other and ask.choices else ()))
        self._menu = Menu(items, several=ask.several) if items else None
        self._writing = Field(YOURS, place=begun.place("answer", ask.id))
        self._why = Field(WHY_NONE, place=begun.place("why", ask.id))
        self._writing.add_class("writing")
        self._why.add_class("why")
        self._state: State = "choosing" if items else "ready"
        self.add_class(f"-{self._state}")

    def compose(self) -> ComposeResult:
        yield self._body
        if self._menu is not None:
            yield self._menu
        yield self._writing
        yield self._why
        answer = "take these" if self._ask.several else "answer"
        yield Choices((Option("Enter", answer), Option("n", "no answer")))

    @property
    def busy(self) -> bool:
        return self._state == "why" or bool(self._writing.text)

    @property
    def written(self) -> str:
        return (self._why if self._state == "why" else self._writing).text

    def begin(self) -> None:
        self._turn(self._state)

    def answers(self, key: str) -> bool:
        # Where several can be taken a number only marks one.
        numbered = self._menu is not None and not self._ask.several and self._menu.has(key)
        return self._state == "choosing" and (key == "n" or numbered)

    def act(self, event: Key) -> bool:
        match self._state, event.key:
            case "writing", "enter":  # before the line has the focus
                self._writing.take()
            case "why", "enter":
                self._why.take()
            case "choosing", key if self._menu is not None and self._menu.press(key):
                return True
            case _, "enter":
                self._turn("writing")
            case _:
                return self._body.press(event.key)
        return True

    def word(self, letter: str, next: str) -> None:
        if letter == "n":  # what follows a no is its reason
            self.choose(letter)
            self.write(next)
        else:
            super().word(letter, next)

    def write(self, text: str) -> None:
        match self._state:
            case "why":
                self._why.begin(text)
            case "choosing" if not self._ask.other:
                super().write(text)
            case _:
                self._turn("writing", text)

    def on_paste(self, event: Paste) -> None:
        if self._state == "ready" and self.grace.over:
            event.stop()
            self._turn("writing", event.text)

    def choose(self, key: str) -> None:
        if key == "n":
            self._turn("why")
        elif self._menu is None:
            self._turn("writing")
        elif not self._menu.press(key):
            self._menu.take()

    def on_menu_chosen(self, event: Menu.Chosen) -> None:
        event.stop()
        choices = self._ask.choices
        if not self.grace.over:
            return
        if len(choices) in event.items:
            self._turn("writing")
        elif not event.items:
            self.post_message(self.Problem(MARK))
        else:
            self._answer(tuple(choices[item] for item in event.items))

    def on_field_written(self, event: Field.Written) -> None:
        event.stop()
        text = event.text.strip()
        if not self.grace.over:
            return
        if self._state == "why":
            self.settle(Decline(self._ask.id, text))
        elif not text:
            self.post_message(self.Problem(BLANK))
        else:
            marked = self._menu.marked if self._menu is not None else ()
            known = [self._ask.choices[item] for item in marked if item < len(self._ask.choices)]
            self._answer((*known, text))

    def _answer(self, values: tuple[str, ...]) -> None:
        self.settle(AnswerQuestion(self._ask.id, values if self._ask.several else values[-1]))

    def back(self) -> None:
        if self._state == "choosing":
            super().back()
        else:
            self._turn("choosing")

    def _turn(self, state: State, text: str = "") -> None:
        self.remove_class(f"-{self._state}")
        self._state = state
        self.add_class(f"-{state}")
        match state:
            case "choosing" | "ready":
                self.focus()
            case "writing":
                self._writing.begin(text)
            case "why":
                self._why.begin()

    def _question(self, width: int, look: Look) -> Sequence[Strip]:
        return question_rows(self._ask.text, width, look)
