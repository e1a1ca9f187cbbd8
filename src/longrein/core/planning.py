"""What planning is made of: todos and plans, as values that every front end can draw.

What a model is told of them is written here, and read again by front ends.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

from msgspec import Struct

TodoStatus: TypeAlias = Literal["pending", "in_progress", "completed"]
MARKS: Mapping[TodoStatus, str] = {"pending": " ", "in_progress": "~", "completed": "x"}
_STATUS: Mapping[str, TodoStatus] = {mark: status for status, mark in MARKS.items()}
_LINE = re.compile(r"^\d+\. \[([ ~x])\] (.*)$", re.MULTILINE)
_APPROVED, _REJECTED = "The plan is approved", "The plan was rejected"
_NOW = "Carry it out now"


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


def todo_line(number: int, todo: Todo) -> str:
    """An item of a list as a model, or a person at a terminal, reads it.

    >>> todo_line(1, Todo("Write the tests", "completed"))
    '1. [x] Write the tests'
    """
    return f"{number}. [{MARKS[todo.status]}] {todo.text}"


def todos_in(text: str) -> tuple[Todo, ...]:
    """The items that a text of such lines tells of.

    >>> [todo.text for todo in todos_in(todo_line(1, Todo("Write the tests")))]
    ['Write the tests']
    """
    return tuple(Todo(found[2], _STATUS[found[1]]) for found in _LINE.finditer(text))


def done_of(todos: Sequence[Todo]) -> str:
    """How much of a list is done.

    >>> done_of((Todo("Write the tests", "completed"), Todo("Ship it")))
    '1 of 2 done'
    """
    return f"{sum(todo.status == 'completed' for todo in todos)} of {len(todos)} done"


def decision_words(plan: Plan) -> str:
    """What the model hears of a plan that was decided on."""
    if plan.status == "approved":
        changes = f" with changes. {_NOW} as it stands here:\n\n{plan.text}"
        return f"{_APPROVED}{changes if plan.edited else f'. {_NOW}.'}"
    if plan.feedback:
        return f"{_REJECTED}. Revise it and submit it again. The feedback:\n\n{plan.feedback}"
    return (
        f"{_REJECTED} and no reason was given. Find out what should be different, then revise it "
        "and submit it again."
    )


def decision_in(result: str) -> Plan | None:
    """The plan as far as such words tell of it; None where they tell of none.

    >>> decision_in(decision_words(Plan("Ship it", "1. Build", "rejected", feedback="Test first.")))
    Plan(title='', text='', status='rejected', edited=False, feedback='Test first.')
    """
    head, _, rest = result.partition("\n\n")
    if head.startswith(_REJECTED):
        return Plan("", "", "rejected", feedback=rest)
    edited = head.startswith(f"{_APPROVED} with changes")
    return Plan("", rest, "approved", edited) if head.startswith(_APPROVED) else None
