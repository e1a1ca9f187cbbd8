"""What a thread knows of its children: threads that work on its behalf."""

from typing import Literal, TypeAlias

from msgspec import Struct

from longrein.core.usage import Limits, Spent

EndStatus: TypeAlias = Literal["finished", "failed", "stopped", "limit"]
"""How a child ended: it had nothing more to do; it could not go on; a person, its parent or a
rewind stopped it; a limit did."""

ChildState: TypeAlias = Literal["running", "waiting", "finished", "failed", "stopped", "limit"]
"""Where a child stands: something of it runs; only people are left to wait for; or its end."""

OPEN: tuple[ChildState, ...] = ("running", "waiting")


class Child(Struct, frozen=True, omit_defaults=True):
    """A child as its parent's log tells of it.

    `thread` is the child's own thread, `call` the call of the parent that it works for, in `run`;
    `seq` is the event with which it began, and `at` the one up to which a forked one reads its
    parent. `number` is which one of its call it is, `task` what it was told to do. `spent` is what
    it and all below it used, known once it has ended. `dropped`: the thread was rewound to before
    it began, so it is to end, and nobody is told.
    """

    thread: str
    call: str
    agent: str
    title: str = ""
    task: str = ""
    background: bool = False
    forked: bool = False
    at: int = 0
    state: ChildState = "running"
    seq: int = 0
    run: str = ""
    spent: Spent = Spent()
    dropped: bool = False
    number: int = 0

    @property
    def open(self) -> bool:
        return self.state in OPEN


class Account(Struct, frozen=True, omit_defaults=True):
    """A run that is over while children of it still work: what it may spend and has spent.

    `below` is what those of its children used that have ended.
    """

    run: str
    limits: Limits
    spent: Spent = Spent()
    below: Spent = Spent()


class ChildView(Struct, frozen=True):
    """How a child stands, for people and for the code of its parent.

    `path` are the threads from the root's child down to this one, `text` the last that it said or
    is saying, `spent` what it and all below it have used so far. `approvals` and `questions` count
    what it and all below it ask people. `began` is the event of its parent with which it began.

    >>> from longrein import ChildView
    >>> ChildView("thr_2", "reviewer", "Read the diff", "running").state
    'running'
    """

    thread: str
    agent: str
    title: str
    state: ChildState
    background: bool = False
    forked: bool = False
    call: str = ""
    text: str = ""
    spent: Spent = Spent()
    approvals: int = 0
    questions: int = 0
    path: tuple[str, ...] = ()
    began: int = 0

    @property
    def open(self) -> bool:
        return self.state in OPEN
