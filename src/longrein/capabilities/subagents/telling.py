"""What became of children, in words for the model that delegated and for people."""

from collections.abc import Iterable, Mapping

from longrein.core.children import ChildState
from longrein.core.text import clean
from longrein.core.usage import Spent
from longrein.core.words import counted
from longrein.tools.children import ChildEnd, ChildView, EndStatus

LONGEST_SAID = 160
"""Characters of what a child said last, in a list."""

_ENDS: Mapping[EndStatus, str] = {
    "finished": "",
    "failed": "The subagent failed.",
    "stopped": "The subagent was stopped before it was done.",
    "limit": "The subagent ran into a limit before it was done.",
}

_STATES: Mapping[ChildState, str] = {
    "running": "running",
    "waiting": "waiting for a person",
    "finished": "finished",
    "failed": "failed",
    "stopped": "stopped",
    "limit": "stopped by a limit",
}


def result(end: ChildEnd) -> str:
    """What the model hears of a child's end; never empty."""
    said = end.value or end.text.strip()
    if end.status == "finished":
        return said or f"The subagent ended without a word. {done(end.spent)}"
    had = f"What it had:\n{said}" if said else "It had nothing to show for it."
    return f"{_ENDS[end.status]} {done(end.spent)} {had}"


def done(spent: Spent) -> str:
    """How much a child did.

    >>> from longrein import Spent
    >>> done(Spent(steps=1))
    'It took 1 step (0 tokens).'
    """
    return f"It took {counted(spent.steps, 'step')} ({spent.usage.total:,} tokens)."


def listed(children: Iterable[ChildView]) -> str:
    """Every child in a line, with what it said last."""
    return "\n".join(_line(child) for child in children) or "No task was delegated yet."


def _line(child: ChildView) -> str:
    state = _STATES[child.state]
    waits = [
        counted(count, what)
        for count, what in ((child.approvals, "approval"), (child.questions, "question"))
        if count
    ]
    state += f" ({', '.join(waits)})" if waits else ""
    where = ", in the background" if child.background else ""
    spent = f"{counted(child.spent.steps, 'step')}, {child.spent.usage.total:,} tokens"
    title = f" {child.title!r}" if child.title else ""
    said = f": {brief(child.text)}" if child.text.strip() else ""
    return f"{child.thread} {child.agent}{title}: {state}{where}, {spent}{said}"


def brief(text: str) -> str:
    """A text as one short line."""
    line = " ".join(clean(text).split())
    return line if len(line) <= LONGEST_SAID else f"{line[:LONGEST_SAID]}..."
