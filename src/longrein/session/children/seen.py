"""What people see of the children of a session: their views, and all that is asked below."""

from collections.abc import Iterator

from msgspec.structs import replace

from longrein.core.children import ChildView
from longrein.core.display import Below
from longrein.core.messages import Assistant
from longrein.core.outcomes import Waiting
from longrein.core.records import Approval, Question
from longrein.core.usage import Spent
from longrein.session.children.kin import Kin
from longrein.session.children.nursery import Nursery

MOST_TEXT = 2_000
"""Characters of what a child said last, in its view."""


def below(nursery: Nursery) -> Below:
    """What the children add to the display."""
    state, ledger = nursery.folded(), nursery.ledger
    if not state.children:
        return Below()
    every = list(asked(nursery))
    return Below(
        children=tuple(views(nursery)),
        approvals=tuple(one for one, _ in every if isinstance(one, Approval)),
        questions=tuple(one for one, _ in every if isinstance(one, Question)),
        spent=ledger.beneath(state),
        run_spent=ledger.beneath(state, state.run.id) if state.run else Spent(),
    )


def asked(nursery: Nursery) -> Iterator[tuple[Approval | Question, Kin]]:
    """All that is asked below, with its path, and the session that asks it."""
    for child, kin in nursery.kin:
        own = ((one, kin) for one in (*kin.folded.approvals, *kin.folded.questions))
        for one, asking in (*own, *asked(kin.nursery)):
            yield replace(one, path=(child.thread, *one.path)), asking


def settled(nursery: Nursery, id: str) -> bool:
    """Whether something that was asked here, in a child, or below it, is settled."""
    here = id in nursery.folded().settled
    return here or any(settled(kin.nursery, id) for _, kin in nursery.kin)


def waiting(nursery: Nursery, own: Waiting) -> Waiting | None:
    """What a run waits for, below it too; None while it is not known what that is."""
    every = [one for one, _ in asked(nursery)]
    approvals = (one.id for one in every if isinstance(one, Approval))
    questions = (one.id for one in every if isinstance(one, Question))
    parked = own.parked or not (own.approvals or own.questions)
    parked = parked and all(one.due for one in every)
    whole = Waiting((*own.approvals, *approvals), (*own.questions, *questions), parked)
    return whole if whole.approvals or whole.questions else None


def views(nursery: Nursery, above: tuple[str, ...] = ()) -> Iterator[ChildView]:
    """Every child, each followed by those below it."""
    for child in nursery.folded().children:
        path, kin = (*above, child.thread), nursery.of(child.thread) if child.open else None
        every = [one for one, _ in asked(kin.nursery)] if kin else []
        every += (*kin.folded.approvals, *kin.folded.questions) if kin else ()
        approvals = sum(isinstance(one, Approval) for one in every)
        yield ChildView(
            child.thread,
            child.agent,
            child.title,
            child.state,
            child.background,
            child.forked,
            child.call,
            said_last(kin) if kin else "",
            kin.ledger.whole() if kin else child.spent,
            approvals,
            len(every) - approvals,
            path,
            child.seq,
        )
        if kin:
            yield from views(kin.nursery, path)


def said_last(kin: Kin) -> str:
    """What a child is saying, or said last."""
    if saying := kin.saying:
        return saying[-MOST_TEXT:]
    for message in reversed(kin.folded.messages[-20:]):
        if isinstance(message, Assistant) and message.text.strip():
            return message.text[-MOST_TEXT:]
    return ""
