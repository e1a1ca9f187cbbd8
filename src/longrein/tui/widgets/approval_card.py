"""The card of a call that waits for a yes."""

from typing import Literal, TypeAlias

from textual.app import ComposeResult
from textual.events import Key

from longrein.core.commands import Approve, Decline, Replace
from longrein.tui.around import app_of
from longrein.tui.draw.asks import ApprovalDrawing
from longrein.tui.grace import Grace
from longrein.tui.pages.arguments import arguments_page
from longrein.tui.pages.writing import WritingPage
from longrein.tui.view.asks import ApprovalAsk, Decide, Heard
from longrein.tui.view.choices import Option
from longrein.tui.widgets.card import Body, Card
from longrein.tui.widgets.choices import Choices
from longrein.tui.widgets.field import Field
from longrein.tui.widgets.remembering import Remembering
from longrein.tui.writing.begun import Begun

YES, NO, STOP = Option("y", "yes"), Option("n", "no"), Option("s", "no and stop")
EDIT, REPLY, ALWAYS = Option("e", "edit"), Option("r", "reply instead"), Option("a", "always")

WHY_NOT = "Why not? Optional; the model is told. Enter says no · Esc back"

State: TypeAlias = Literal["choosing", "why", "always"]


class ApprovalCard(Card):
    """What wants to run, and the ways to answer."""

    DEFAULT_CSS = """
    ApprovalCard {
        & > Choices, & > Field, & > Remembering { display: none; margin-top: 1; }
        &.-choosing > Choices, &.-why > Field, &.-always > Remembering { display: block; }
    }
    """

    def __init__(self, ask: ApprovalAsk, decide: Decide, grace: Grace, begun: Begun) -> None:
        super().__init__(decide, grace)
        self._ask = ask
        self._state: State = "choosing"
        self._body = Body(ApprovalDrawing(ask))
        offered = (YES, NO, STOP, EDIT, REPLY, *((ALWAYS,) if ask.ways else ()))
        self._choices = Choices(offered, first=offered.index(NO if ask.told.danger else YES))
        self._reply = begun.place("reply", ask.id)
        self._why = Field(WHY_NOT, place=begun.place("why", ask.id))
        self._always = Remembering([words for words, _ in ask.ways])
        self.add_class("-choosing")

    def compose(self) -> ComposeResult:
        yield self._body
        yield self._choices
        yield self._why
        yield self._always

    @property
    def busy(self) -> bool:
        return self._state != "choosing"

    @property
    def written(self) -> str:
        return self._why.text

    def begin(self) -> None:
        self._turn(self._state)

    def answers(self, key: str) -> bool:
        return self._state == "choosing" and self._choices.has(key)

    def act(self, event: Key) -> bool:
        match self._state, event.key:
            case "why", "enter":  # before the line has the focus
                self._why.take()
            case "choosing", "enter":
                self.choose(self._choices.at)
            case "choosing", key if self._choices.move(key):
                return True
            case "always", key if self._always.press(key):
                return True
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
        if self._state == "why":
            self._why.begin(text)
        else:
            super().write(text)

    def choose(self, key: str) -> None:
        id = self._ask.id
        match key:
            case "y":
                self.settle(Approve(id))
            case "n":
                self._turn("why")
            case "s":
                self.settle(Decline(id, stop=True))
            case "e":
                app_of(self).push_screen(arguments_page(self._ask, self._edited))
            case "r":
                app_of(self).push_screen(
                    WritingPage(
                        f"Reply instead of running {self._ask.headline}",
                        "",
                        self._replaced,
                        does="tells the model this instead",
                        file="result.txt",
                        place=self._reply,
                    )
                )
            case _:
                self._turn("always")

    def _edited(self, text: str, heard: Heard) -> None:
        self.decide(Approve(self._ask.id, text), heard)

    def _replaced(self, text: str, heard: Heard) -> None:
        self.decide(Replace(self._ask.id, text), heard)

    def on_field_written(self, event: Field.Written) -> None:
        event.stop()
        self.settle(Decline(self._ask.id, event.text.strip()))

    def on_remembering_chosen(self, event: Remembering.Chosen) -> None:
        event.stop()
        _, remember = self._ask.ways[event.way]
        self.settle(Approve(self._ask.id, remember=remember, scope=event.scope))

    def back(self) -> None:
        if self._state == "choosing":
            super().back()
        else:
            self._turn("choosing")

    def _turn(self, state: State) -> None:
        self.remove_class(f"-{self._state}")
        self._state = state
        self.add_class(f"-{state}")
        self._body.make_small(state == "always")
        if state == "why":
            self._why.begin()
        else:
            self.focus()
