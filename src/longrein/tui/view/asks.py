"""What waits for the person: approvals, questions and plans, each with all that they need to know.

Texts are as they were said: whoever draws them makes them harmless, strictly, because somebody says
yes to them.
"""

from collections import Counter
from collections.abc import Callable
from functools import lru_cache
from typing import TypeAlias

from msgspec import Struct

from longrein.client.figures import SECOND, lasted
from longrein.client.remembering import Remember, is_asked_each_time, ways_to_remember
from longrein.client.telling import PLAN, LaidOut, asking, headline, lay_out
from longrein.core.commands import Answer, AnswerQuestion, Approve, Decision, Decline, Replace
from longrein.core.display import Display
from longrein.core.records import Approval, Question
from longrein.core.words import counted

Heard: TypeAlias = Callable[[str], None]
"""Is told what is wrong with a decision, or a text; nothing, once it was taken."""

Decide: TypeAlias = Callable[[Decision, Heard], None]
"""Brings a decision to the session, also when the card that it was made in is gone."""

_TITLES = {
    "execute": "Run this command?",
    "write_file": "Write this file?",
    "edit_file": "Edit this file?",
    "delete": "Delete this?",
    "move": "Move this?",
}

KEPT = 32
"""So many asks are kept laid out: a frame that changes nothing about them costs nothing."""


class ApprovalAsk(Struct, frozen=True):
    """A call that waits for a yes. `by` is the subagent that asks; empty: the agent itself.

    `ways` are the ways to remember a yes, in words; none: it is asked each time.
    """

    id: str
    by: str
    deadline: int
    title: str
    headline: str
    told: LaidOut
    arguments: str
    ways: tuple[tuple[str, Remember], ...]


class QuestionAsk(Struct, frozen=True):
    """A question: a text, one of `choices` or `several`, or where `other` a text of one's own."""

    id: str
    by: str
    deadline: int
    text: str
    choices: tuple[str, ...]
    several: bool
    other: bool


class PlanAsk(Struct, frozen=True):
    """A plan in Markdown, to be decided on."""

    id: str
    by: str
    deadline: int
    title: str
    text: str


Ask: TypeAlias = ApprovalAsk | QuestionAsk | PlanAsk


def asks(shown: Display) -> tuple[Ask, ...]:
    """All that waits for the person, what was asked first at the front."""
    waiting = sorted(shown.asked, key=lambda one: (one.time, one.id))
    return tuple(
        _approval(one, asking(shown, one))
        if isinstance(one, Approval)
        else _question(one, asking(shown, one))
        for one in waiting
    )


def summary(waiting: tuple[Ask, ...]) -> str:
    """How much waits, in a few words.

    >>> summary((PlanAsk("q", "", 0, "Title", "Text"),))
    '1 plan waits'
    """
    kinds = {ApprovalAsk: "approval", QuestionAsk: "question", PlanAsk: "plan"}
    counts = Counter(kinds[type(one)] for one in waiting)
    *others, last = [counted(number, kind) for kind, number in counts.items()]
    listed = f"{', '.join(others)} and {last}" if others else last
    return f"{listed} {'waits' if len(waiting) == 1 else 'wait'}"


def time_left(deadline: int, now: int) -> str:
    """How long something still waits for its answer; empty: for ever. In microseconds.

    >>> time_left(65_000_000, 0), time_left(3_725_000_000, 0), time_left(1, 2), time_left(0, 5)
    ('1m 05s left', '1h 02m left', 'its time is up', '')
    """
    if not deadline:
        return ""
    left = deadline - now
    return f"{lasted(left + SECOND - 1)} left" if left > 0 else "its time is up"


def decided_on(command: Decision) -> str:
    """The id of what a command decides on."""
    match command:
        case Approve(approval=id) | Replace(approval=id):
            return id
        case Decline(target=id) | AnswerQuestion(question=id):
            return id


def answered(answer: Answer) -> str:
    """What became of a decision, for the person; empty where it is simply done.

    >>> answered(Answer("applied"))
    ''
    """
    match answer.status:
        case "applied" | "already":
            return answer.message
        case "stale":
            return "This was settled before your answer arrived: nothing changed."
        case "missing":
            return "This does not wait any more, perhaps because of a rewind: nothing changed."
        case "accepted":
            return "Your answer is kept. The process that works on this thread has yet to see it."
        case "refused":
            return answer.message or "It was refused: nothing changed."


@lru_cache(KEPT)
def _approval(approval: Approval, by: str) -> ApprovalAsk:
    told = lay_out(approval)
    return ApprovalAsk(
        approval.id,
        by,
        approval.deadline,
        _TITLES.get(approval.tool) or f"Run {told.what}?",
        headline(approval),
        told,
        approval.arguments,
        () if is_asked_each_time(approval) else tuple(ways_to_remember(approval).items()),
    )


@lru_cache(KEPT)
def _question(question: Question, by: str) -> QuestionAsk | PlanAsk:
    if question.kind == PLAN:
        return PlanAsk(question.id, by, question.deadline, question.title, question.text)
    return QuestionAsk(
        question.id,
        by,
        question.deadline,
        question.text,
        question.choices,
        question.several,
        question.other,
    )
