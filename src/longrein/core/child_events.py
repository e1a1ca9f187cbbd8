"""Events of a thread about its children: threads that work on its behalf, each with its own log."""

from typing import Literal

from longrein.core.children import EndStatus
from longrein.core.durable import Durable
from longrein.core.usage import Spent


class ChildStarted(Durable, frozen=True):
    """A child works for a call, in a thread of its own, which is there already.

    `agent` is the name of its `Subagent`, `task` what it is told to do. `background`: nobody waits
    for it, its end comes as a signal. A `forked` one begins with this thread's conversation up to
    event `at`. `number` is which one of its call it is, from 0 on.
    """

    child: str
    call: str
    agent: str
    title: str = ""
    task: str = ""
    background: bool = False
    forked: bool = False
    at: int = 0
    number: int = 0


class ChildChanged(Durable, frozen=True):
    """A child that has not ended runs again, or has only people left to wait for."""

    child: str
    status: Literal["running", "waiting"]


class ChildEnded(Durable, frozen=True):
    """A child has ended, once; `spent` is what it and all below it used for that.

    `settled` are the newest approvals and questions that were settled there: an answer that comes
    late is known as such.
    """

    child: str
    status: EndStatus
    spent: Spent = Spent()
    settled: tuple[str, ...] = ()


class ChildSpent(Durable, frozen=True):
    """A child that had ended worked on, for a person; `spent` is all that it and all below it have
    used by now."""

    child: str
    spent: Spent
