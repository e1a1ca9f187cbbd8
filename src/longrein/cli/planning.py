"""Todos and plans as lines of text: what changed when something was written down."""

from collections.abc import Iterator, Sequence

import msgspec

from longrein.capabilities import plans, todos
from longrein.core.events import Recorded
from longrein.core.planning import Plan, Todo, done_of


class TodoLog:
    """Follows a todo list, and tells what each change of it came to."""

    def __init__(self, begin: todos.TodoList = ()) -> None:
        self._todos = begin

    def after(self, event: Recorded) -> Iterator[str]:
        """How much is done and the items that are new or changed; nothing where nothing did."""
        before, self._todos = self._todos, todos.fold(self._todos, event)
        if before == self._todos:
            return
        yield todo_headline(self._todos)
        for item, line in zip(self._todos, todo_lines(self._todos), strict=True):
            if item not in before:
                yield f"  {line}"


def todo_headline(items: Sequence[Todo]) -> str:
    """How much of a list is done."""
    return f"todos: {done_of(items)}"


def todo_lines(items: todos.TodoList) -> list[str]:
    """One line for each item."""
    return todos.shown(items).split("\n") if items else []


def plan_line(event: Recorded) -> Iterator[str]:
    """What became of a plan, where that is what was written down."""
    if event.kind != plans.KIND:
        return
    try:
        plan = msgspec.convert(event.data, Plan)
    except msgspec.ValidationError:
        return
    edited = ", with changes" if plan.edited else ""
    why = f" ({plan.feedback})" if plan.feedback else ""
    yield f"plan {plan.status}{edited}: {plan.title}{why}"
