"""A list of things to do: the model writes and updates it, the thread keeps it, everybody sees it.

What the tools write down are changes, not lists: the fold applies each to the list as it is then.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, TypeAlias, assert_never

from msgspec import UNSET, Meta, Struct, UnsetType
from msgspec.structs import replace

from longrein.capabilities.base import Capability
from longrein.capabilities.contexts import HookContext
from longrein.capabilities.opening import Opening
from longrein.core.errors import ToolError
from longrein.core.events import Event
from longrein.core.planning import Todo, TodoStatus, todo_line
from longrein.core.slices import Slice, read_fact
from longrein.core.state import Kept
from longrein.tools.context import Context
from longrein.tools.define import Tool, tool

KIND = "todos"
MOST_ITEMS = 100
MOST_LETTERS = 500
MOST_REMINDED = 20

GUIDE = (
    "Keep a todo list for work of three or more steps; leave it out for less. Write it with "
    "write_todos before you begin. With update_todos set an item in_progress when you start it and "
    "completed as soon as it is done, not several at the end. Complete only what is really done."
)

TodoList: TypeAlias = tuple[Todo, ...]


class Added(Struct, frozen=True, tag="added"):
    """An item at the end of the list."""

    todo: Todo


class Edited(Struct, frozen=True, tag="edited", omit_defaults=True):
    """A new text, a new status, or both, for the item with this number; `was` was its text."""

    number: int
    was: str
    text: str | UnsetType = UNSET
    status: TodoStatus | UnsetType = UNSET


class Removed(Struct, frozen=True, tag="removed"):
    """The item with this number is gone; `was` was its text."""

    number: int
    was: str


class Written(Struct, frozen=True, tag="written"):
    """The whole list anew."""

    todos: TodoList


class Updated(Struct, frozen=True, tag="updated"):
    """Changes of the list, all with the numbers that its items had before."""

    changes: tuple[Added | Edited | Removed, ...]


Fact: TypeAlias = Written | Updated


def fold(todos: TodoList, event: Event) -> TodoList:
    """The list after an event. A fact that cannot be read changes nothing."""
    fact: Fact | None = read_fact(event, KIND, Fact)
    match fact:
        case None:
            return todos
        case Written():
            return fact.todos
        case Updated(changes=changes):
            return _updated(todos, changes)


def _updated(todos: TodoList, changes: Iterable[Added | Edited | Removed]) -> TodoList:
    after: list[Todo | None] = list(todos)
    for change in changes:
        match change:
            case Added(todo=todo):
                after.append(todo)
            case Edited():
                place = _place(todos, change)
                if place is not None and (todo := after[place]) is not None:
                    after[place] = _edited(todo, change)
            case Removed():
                place = _place(todos, change)
                if place is not None:
                    after[place] = None
            case _:
                assert_never(change)
    return tuple(todo for todo in after if todo is not None)


def _place(todos: TodoList, change: Edited | Removed) -> int | None:
    """Where the item is that was meant.

    Numbers shift when somebody else changes the list meanwhile: the text tells which item it was,
    and where no item has that text any more the change is about none.
    """
    place = change.number - 1
    if 0 <= place < len(todos) and todos[place].text == change.was:
        return place
    return next((n for n, todo in enumerate(todos) if todo.text == change.was), None)


def _edited(todo: Todo, change: Edited) -> Todo:
    if change.text is not UNSET:
        # What was said about doing it was said about something else.
        todo = replace(todo, text=change.text, doing="")
    return todo if change.status is UNSET else replace(todo, status=change.status)


TODOS: Slice[TodoList] = Slice("todos", TodoList, (), fold, rewinds="conversation")
"""The list of a thread: `session.read(TODOS)`, or `ctx.read(TODOS)` in a tool or a hook."""


# What the model gives. A docstring here would be a part of the schema, and said in every request.
class Item(Struct, frozen=True, forbid_unknown_fields=True):
    text: Annotated[str, Meta(description="What is to be done, in a few words.")]
    status: TodoStatus = "pending"
    doing: Annotated[str, Meta(description="The same as being done: 'Running the tests'.")] = ""


class Change(Struct, frozen=True, forbid_unknown_fields=True):
    number: Annotated[int, Meta(description="Which item; left out: a new one.")] | UnsetType = UNSET
    text: str | UnsetType = UNSET
    status: TodoStatus | UnsetType = UNSET
    remove: bool = False


def _one_by_one(arguments: Mapping[str, Any]) -> str:
    return KIND


# Both are to read, for the rules: they change nothing but the thread, also while planning.
@tool(category="read", idempotent=True, exclusive=_one_by_one)
async def write_todos(ctx: Context, todos: tuple[Item, ...]) -> str:
    """Write your todo list; it replaces the one that there is.

    Have at most one item in_progress. An empty list clears it.

    Args:
        todos: All items, in the order in which you will do them.
    """
    written = tuple(Todo(_text(item.text), item.status, item.doing.strip()) for item in todos)
    _check_length(written)
    ctx.record(KIND, Written(written))
    return shown(written)


@tool(category="read", idempotent=True, exclusive=_one_by_one)
async def update_todos(ctx: Context, changes: tuple[Change, ...]) -> str:
    """Change items of your todo list, add some, or remove some; you are shown the list after it.

    Have at most one item in_progress.

    Args:
        changes: All are made, or none. Numbers are those of the list before this call.
    """
    todos = ctx.read(TODOS)
    facts = tuple(_fact(todos, change) for change in changes)
    after = _updated(todos, facts)
    _check_length(after)
    if facts:
        ctx.record(KIND, Updated(facts))
    return shown(after)


def _fact(todos: TodoList, change: Change) -> Added | Edited | Removed:
    text = change.text if change.text is UNSET else _text(change.text)
    if change.number is UNSET:
        if text is UNSET or change.remove:
            raise ToolError(
                "Nothing was changed: a new item needs a `text`, and a change of an item its "
                "`number`."
            )
        return Added(Todo(text, "pending" if change.status is UNSET else change.status))
    if not 1 <= change.number <= len(todos):
        raise ToolError(
            f"Nothing was changed: there is no item {change.number}. To add one, leave out its "
            f"number. The list is:\n{shown(todos)}"
        )
    was = todos[change.number - 1].text
    if change.remove:
        return Removed(change.number, was)
    if text is UNSET and change.status is UNSET:
        raise ToolError(
            f"Nothing was changed: say what becomes of item {change.number}, with `status`, `text` "
            "or `remove`."
        )
    return Edited(change.number, was, text, change.status)


def _text(given: str) -> str:
    text = " ".join(given.split())
    if not text:
        raise ToolError("Nothing was changed: an item has no text. Say what is to be done.")
    if len(text) > MOST_LETTERS:
        raise ToolError(
            f"Nothing was changed: the item that begins with {text[:40]!r} has {len(text)} "
            f"characters. Say it in at most {MOST_LETTERS}."
        )
    return text


def _check_length(todos: TodoList) -> None:
    if len(todos) > MOST_ITEMS:
        raise ToolError(
            f"Nothing was changed: the list would have {len(todos)} items. Keep at most "
            f"{MOST_ITEMS}: remove what is completed, or make several items one."
        )


def shown(todos: TodoList) -> str:
    """The list as a model, or a person at a terminal, reads it.

    >>> from longrein import Todo
    >>> print(shown((Todo("Read the code", "completed"), Todo("Write the tests"))))
    1. [x] Read the code
    2. [ ] Write the tests
    """
    return "\n".join(map(todo_line, range(1, len(todos) + 1), todos)) or "The todo list is empty."


class Todos(Capability):
    """A todo list that the model keeps in the thread: tools to write and to update it.

    When a run begins and items are still open, the model is reminded of them.

    >>> from longrein import Todos
    >>> [tool.name for tool in Todos().tools()]
    ['write_todos', 'update_todos']
    """

    slice = TODOS

    def tools(self) -> Sequence[Tool]:
        return (write_todos, update_todos)

    def context(self, opening: Opening) -> str:
        return GUIDE

    def keeps(self, slices: Mapping[str, Kept]) -> str:
        kept = slices.get(TODOS.name)
        todos: TodoList = kept.value if kept else ()
        return f"Your todo list:\n{shown(todos)}" if todos else ""

    async def before_run(self, ctx: HookContext) -> None:
        """Remind of what earlier runs left open: the list itself may be far back, or left out."""
        todos = ctx.read(TODOS)
        still = [todo_line(n, it) for n, it in enumerate(todos, 1) if it.status != "completed"]
        if not still:
            return
        more = len(still) - MOST_REMINDED
        lines = still[:MOST_REMINDED] + [f"and {more} more"] * (more > 0)
        ctx.note(
            "\n".join(("Still open in your todo list:", *lines))
            + "\nGo on with these if they are still wanted; else bring the list up to date."
        )
