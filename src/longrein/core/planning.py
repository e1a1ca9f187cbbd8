"""What planning is made of: todos and plans, as values that every front end can draw."""

from typing import Literal, TypeAlias

from msgspec import Struct

TodoStatus: TypeAlias = Literal["pending", "in_progress", "completed"]


class Todo(Struct, frozen=True, omit_defaults=True):
    """One thing to do. `doing` says it in the words of somebody who is at it.

    >>> from longrein import Todo
    >>> Todo("Write the tests", "in_progress").status
    'in_progress'
    """

    text: str
    status: TodoStatus = "pending"
    doing: str = ""


class Plan(Struct, frozen=True, omit_defaults=True):
    """A plan in Markdown and what became of it. `feedback` is why it was rejected.

    >>> from longrein import Plan
    >>> Plan("Ship it", "1. Build", "approved").title
    'Ship it'
    """

    title: str
    text: str
    status: Literal["approved", "rejected"]
    edited: bool = False
    feedback: str = ""
