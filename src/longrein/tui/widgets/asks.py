"""All that waits for the person: one card at a time, or a line that says that something waits."""

from typing import TypeAlias, assert_never

from msgspec.structs import replace
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.events import Click, DescendantBlur, DescendantFocus, Key, Paste
from textual.message import Message
from textual.widgets import Static

from longrein.client.port import ThreadClient
from longrein.core.commands import Decision
from longrein.core.errors import LongreinError
from longrein.core.ids import Clock, SystemClock, TimeOrderedIds
from longrein.core.visible import visible
from longrein.tui.around import app_of
from longrein.tui.attempt import tell
from longrein.tui.draw.paper import STYLES
from longrein.tui.grace import Grace
from longrein.tui.look import LOW
from longrein.tui.view.asks import (
    ApprovalAsk,
    Ask,
    Decide,
    Heard,
    PlanAsk,
    QuestionAsk,
    answered,
    decided_on,
    summary,
    time_left,
)
from longrein.tui.widgets.approval_card import ApprovalCard
from longrein.tui.widgets.card import Card
from longrein.tui.widgets.plan_card import PlanCard
from longrein.tui.widgets.question_card import QuestionCard
from longrein.tui.widgets.squeezed import Squeezing
from longrein.tui.writing.begun import Begun

LOWEST = 10
"""A screen of fewer rows has one for what is asked."""

NARROW = 30
"""Cells below which what is asked needs those beside it."""

SETTLED = "This is settled already: by a rule, by somebody else, or because the run ended."

AnyCard: TypeAlias = ApprovalCard | QuestionCard | PlanCard


class Opened(Squeezing, Vertical):
    """What is asked, who waits for it, and what is wrong with an answer."""


class Asks(Squeezing, Vertical):
    """Approvals, questions and plans. An answer is for the one that was seen, by its id."""

    DEFAULT_CSS = """
    Asks {
        height: auto;
        min-height: 1;
        display: none;
        padding: 0 1 0 0;
        &.-waiting { display: block; }
        & > .bar { height: 1; color: $text-warning; display: none; }
        &.-folded > .bar { display: block; }
        & > .open {
            height: auto;
            min-height: 1;
            margin-top: 1;
            border-left: solid $panel;
            padding: 0 1;
        }
        &:focus-within > .open { border-left: solid $warning; }
        &.-folded > .open { display: none; }
        & .head { height: auto; margin-bottom: 1; }
        & .what { width: 1fr; height: auto; }
        & .when { width: auto; height: 1; color: $text-muted; }
        & Field { min-height: 2; }
        & .problem { height: auto; color: $text-error; display: none; }
        & .problem.-told { display: block; }
        &.-low > .open { margin-top: 0; }
        &.-low .head { margin-bottom: 0; }
        &.-low Choices, &.-low Field, &.-low Menu, &.-low Remembering { margin-top: 0; }
        &.-low .what { max-height: 2; }
        &.-low .scope { margin-top: 0; }
        &.-lowest .what { max-height: 1; text-wrap: nowrap; text-overflow: ellipsis; }
    }
    """

    class Decided(Message):
        """The person decided: `command` is to be submitted, and `heard` told what became of it.

        `settle` does both.
        """

        def __init__(self, command: Decision, heard: Heard) -> None:
            super().__init__()
            self.command = command
            self.heard = heard

    class Typed(Message):
        """A card came up under the fingers of somebody who began to write: this is for the editor.

        The focus is not needed here any more.
        """

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class Left(Message):
        """The focus is no longer needed here: nothing waits any more, or it is left for later."""

    def __init__(
        self, grace: Grace | None = None, clock: Clock | None = None, begun: Begun | None = None
    ) -> None:
        super().__init__()
        self._grace = grace or Grace()
        self._clock = clock or SystemClock()
        self._ids = TimeOrderedIds(self._clock)
        self._begun = begun or Begun()
        self._waiting: tuple[Ask, ...] = ()
        self._shown: tuple[Ask, AnyCard] | None = None
        self._sent: set[str] = set()
        self._inside = False
        self._coming = False
        """Whether a card is to have the focus as soon as it can: until then nobody has it."""
        self._uncalled = False
        """Whether the card has the focus because it came up, not because the person wanted it."""

    def compose(self) -> ComposeResult:
        yield Static(classes="bar", markup=False)
        with Opened(classes="open"):
            with Horizontal(classes="head"):
                yield Static(classes="what", markup=False)
                yield Static(classes="when", markup=False)
            yield Static(classes="problem", markup=False)

    def on_mount(self) -> None:
        self.set_interval(1, self._tell_time)

    def on_resize(self) -> None:
        height = app_of(self).size.height
        self.set_class(height < LOW, "-low")
        self.set_class(height < LOWEST, "-lowest")
        self._tell_time()

    @property
    def waiting(self) -> bool:
        """Whether anything waits."""
        return bool(self._waiting)

    def show(self, waiting: tuple[Ask, ...], *, typing: bool) -> None:
        """Show what waits. What is new takes the focus unless the person is `typing`."""
        if waiting == self._waiting:
            return
        had = bool(self._waiting)
        self._waiting = waiting
        self._begun.changed()
        self.set_class(bool(waiting), "-waiting")
        if not waiting:
            self._clear()
            self._sent.clear()
            return
        if not self._keep():
            self._put(waiting[self._place()])
        if not had:
            self._uncalled = True
            self._fold(typing or not self.screen.is_current)
        self._sent &= {one.id for one in waiting}
        self._tell()

    def leave(self) -> None:
        """Show nothing of a thread that is left: its answers, and what was begun, stay with it."""
        self._sent |= {one.id for one in self._waiting}
        self.show((), typing=False)

    def attend(self) -> None:
        """Open the card and take the focus, as when the person asks for it."""
        self._uncalled = False
        if self._shown is not None:
            self._fold(False)

    def page(self, by: int) -> bool:
        """Scroll in the card, where it has the focus; whether it has."""
        if self._shown is None or not self.has_focus_within:
            return False
        self._shown[1].page(by)
        return True

    def _keep(self) -> bool:
        """Go on with the card that is shown, if what it shows still waits as it was."""
        if self._shown is None:
            return False
        was, card = self._shown
        same = next((one for one in self._waiting if one.id == was.id), None)
        # The name of who asks may come later than the asking.
        if same is None or replace(same, by=was.by) != was:
            return False
        self._shown = (same, card)
        return True

    def _place(self) -> int:
        """Where to go on: at the oldest that is not decided on."""
        open_ones = (n for n, one in enumerate(self._waiting) if one.id not in self._sent)
        return next(open_ones, 0)

    @property
    def _owns_focus(self) -> bool:
        return self.has_focus_within or (self._coming and self.screen.focused is None)

    def _put(self, ask: Ask) -> None:
        """Show another card in the place of the one that is shown."""
        focused = self._coming = self._owns_focus
        self._drop()
        card = _card(ask, self._decide, self._grace, self._begun)
        self._shown = (ask, card)
        self._problem("")
        self._uncalled = False
        self._grace.begin()
        self.query_one(".open").mount(card, before=self.query_one(".problem"))
        if focused:
            self.call_after_refresh(self._begin)

    def _begin(self) -> None:
        if self._shown is not None and not self.has_class("-folded"):
            self._shown[1].attend()

    def _clear(self) -> None:
        focused, self._coming = self._owns_focus, False
        self._drop()
        if focused:
            self.post_message(self.Left())

    def _drop(self) -> None:
        """Take away the card that is shown; if somebody was about to answer it, tell them."""
        if self._shown is None:
            return
        was, card = self._shown
        if card.busy and was.id not in self._sent:
            tell(self, SETTLED, "warning")
            if card.written:
                self.post_message(self.Typed(card.written))
        card.display = False
        card.remove()
        self._shown = None

    def _fold(self, folded: bool) -> None:
        self.set_class(folded, "-folded")
        self._coming = not folded
        if folded and self._shown is not None:
            self._shown[1].hush()
        if not folded:
            self._grace.begin()
            self.call_after_refresh(self._begin)

    def on_descendant_focus(self, event: DescendantFocus) -> None:
        if not self._inside:
            self._grace.begin()
        self._inside, self._coming = True, False

    def on_descendant_blur(self, event: DescendantBlur) -> None:
        self._inside = self.has_focus_within
        if not self._inside:
            self._uncalled = False

    def on_click(self, event: Click) -> None:
        if self.has_class("-folded"):
            self.attend()
        elif event.widget is not None and event.widget.has_class("when"):
            self._next()

    def on_paste(self, event: Paste) -> None:
        """What is pasted is for the editor, and so is what is typed next."""
        self._fold(True)

    def on_key(self, event: Key) -> None:
        if event.key == "tab" and self._shown is not None:
            event.stop()
            self._next()

    def _next(self) -> None:
        """Go to the next one that waits; behind the last comes the first."""
        if self._shown is None or len(self._waiting) < 2 or self._shown[1].busy:
            return
        ids = [one.id for one in self._waiting]
        self._put(self._waiting[(ids.index(self._shown[0].id) + 1) % len(ids)])
        self._tell()

    def on_card_left(self, event: Card.Left) -> None:
        event.stop()
        self._fold(True)
        self.post_message(self.Left())

    def on_card_too_soon(self, event: Card.TooSoon) -> None:
        event.stop()
        if event.text and (self._uncalled or not event.answers):
            self._fold(True)
            self.post_message(self.Typed(event.text))

    def on_card_wrote(self, event: Card.Wrote) -> None:
        event.stop()
        self._fold(True)
        self.post_message(self.Typed(event.text))

    def on_card_problem(self, event: Card.Problem) -> None:
        event.stop()
        self._problem(event.text)

    def _decide(self, command: Decision, heard: Heard) -> None:
        """Hand a decision on, once: another one for the same counts only when it was refused."""
        id = decided_on(command)
        if id in self._sent:
            return
        self._sent.add(id)
        self._problem("")
        self._tell_time()

        def hear(problem: str) -> None:
            if problem:
                self._sent.discard(id)
                self._tell_time()
            heard(problem)

        self.post_message(self.Decided(replace(command, id=self._ids.new("cmd")), hear))

    def _problem(self, text: str) -> None:
        told = self.query_one(".problem", Static)
        told.update(visible(text))
        told.set_class(bool(text), "-told")

    def _tell(self) -> None:
        self.query_one(".bar", Static).update(f"? {summary(self._waiting)} · Tab answers")
        if self._shown is not None:
            self.query_one(".what", Static).update(_title(self._shown[0]))
        self._tell_time()

    def _tell_time(self) -> None:
        if self._shown is None:
            return
        ask, _ = self._shown
        ids = [one.id for one in self._waiting]
        place = f"{ids.index(ask.id) + 1}/{len(ids)} Tab" if len(ids) > 1 else ""
        left = time_left(ask.deadline, self._clock.now())
        later = "Esc later" if self.size.width >= NARROW else "Esc"
        end = "sent" if ask.id in self._sent else later
        words = " · ".join(part for part in (left, place, end) if part)
        self.query_one(".when", Static).update(f" {words}")


async def settle(asks: Asks, thread: ThreadClient, decided: Asks.Decided) -> None:
    """Carry a decision out; what is wrong with it stands in the card, what came late is told."""
    try:
        answer = await thread.submit(decided.command)
    except LongreinError as error:
        decided.heard(str(error))
        return
    words, done = answered(answer), answer.status in ("applied", "already")
    # A page stays open with what was written in it, where that has come too late.
    decided.heard("" if done or answer.status == "accepted" else words)
    if words:
        tell(asks, words, "information" if done else "warning")


def _card(ask: Ask, decide: Decide, grace: Grace, begun: Begun) -> AnyCard:
    match ask:
        case ApprovalAsk():
            return ApprovalCard(ask, decide, grace, begun)
        case QuestionAsk():
            return QuestionCard(ask, decide, grace, begun)
        case PlanAsk():
            return PlanCard(ask, decide, grace, begun)
        case _:
            assert_never(ask)


def _title(ask: Ask) -> Content:
    by = f"  asked by the subagent {ask.by}" if ask.by else ""
    match ask:
        case ApprovalAsk():
            what = ask.title
        case QuestionAsk():
            what = "A question for you"
        case PlanAsk():
            what = f"Plan: {ask.title}"
        case _:
            assert_never(ask)
    return Content.assemble(
        ("? ", "bold $text-warning"),
        (visible(what, strict=True), "bold"),
        (visible(by, strict=True), STYLES["dim"]),
    )
