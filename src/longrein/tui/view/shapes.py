"""What each tool's call looks like: a verb, its object, what came of it, and the bodies that open.

Functions of what is known so far, which may be half of the arguments and nothing of the result.
"""

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, TypeAlias, cast

import msgspec
from msgspec import Struct

from longrein.client.words import brief, first_line, last_line, lines_in
from longrein.core.offload import what_left_out
from longrein.core.planning import MARKS, Todo, TodoStatus, decision_in, done_of, todos_in
from longrein.core.results import exit_in
from longrein.core.words import counted
from longrein.tui.view.arguments import as_text, text_of
from longrein.tui.view.diffs import changes_in, diff_of_edits, told_diff
from longrein.tui.view.entries import (
    Body,
    CallState,
    DiffBody,
    FieldsBody,
    MarkdownBody,
    OutputBody,
    TodosBody,
)

MOST_OPEN = 30
"""Lines of a diff that is open without being opened."""

LONG_LINE = 100
"""Characters of a command that fit on the line of its call."""

_READ = re.compile(r": ((?:lines )?[\d,]+(?:-[\d,]+ of [^;\n]+| lines?))")
_HIT = re.compile(r"^\d+:", re.MULTILINE)
_JOB = re.compile(r"^\[(job \d+ .*)\]$", re.MULTILINE)


class Given(Struct, frozen=True):
    """What is known of a call: its arguments by name and as written, where it stands, what it has
    put out so far or came to, what a person who is asked about it is shown, the list of todos."""

    args: Mapping[str, Any]
    raw: str
    state: CallState
    text: str
    preview: str = ""
    todos: tuple[Todo, ...] = ()

    @property
    def ended(self) -> bool:
        return self.state not in ("writing", "ready", "asks", "running")


class Shape(Struct, frozen=True):
    """How a call is told. `state`: another one than the runtime's, as of a command that failed."""

    verb: str
    object: str = ""
    gist: str = ""
    bodies: tuple[Body, ...] = ()
    shown: bool = False
    state: CallState | None = None


Maker: TypeAlias = Callable[[str, Given], Shape]


def other(name: str, given: Given) -> Shape:
    """A tool that nothing more is known of."""
    texts = (value for value in given.args.values() if isinstance(value, str) and value.strip())
    return Shape(name, next(texts, ""), _said(given), (*fields(given), *_output(given)))


def fields(given: Given) -> tuple[FieldsBody, ...]:
    """The arguments by name, or as they were written where they have no names."""
    if given.args:
        named = tuple((str(name), as_text(value)) for name, value in given.args.items())
        return (FieldsBody(named),)
    raw = given.raw.strip()
    return (FieldsBody((("arguments", raw),)),) if raw not in ("", "{}") else ()


def _output(given: Given) -> tuple[OutputBody, ...]:
    return (OutputBody(given.text),) if given.text.strip() else ()


def _said(given: Given) -> str:
    """What came of a call: its own words where they are few, else how many lines."""
    if given.state == "running":
        return last_line(given.text)
    lines = lines_in(given.text)
    return first_line(given.text) if lines <= 1 else _length(given.text)


def _length(text: str) -> str:
    """How many lines a text has, and how much of it was left out."""
    left_out = what_left_out(text)
    lines = counted(lines_in(text) - bool(left_out), "line")
    return f"{lines}, {left_out} left out" if left_out else lines


def _path(given: Given) -> str:
    return text_of(given.args, "path", "file_path")


def _read(_: str, given: Given) -> Shape:
    head = given.text.partition("\n")[0]
    found = _READ.search(head)
    gist = found[1] if found else _said(given)
    return Shape("Read", _path(given), gist, _output(given))


def _list(_: str, given: Given) -> Shape:
    names = 0 if given.text == "(empty)" else lines_in(given.text)
    gist = ("empty" if not names else counted(names, "name")) if given.ended else ""
    return Shape("List", _path(given) or ".", gist, _output(given))


def _glob(_: str, given: Given) -> Shape:
    found = 0 if given.text.startswith("No files fit") else lines_in(given.text)
    gist = (counted(found, "file") if found else "none") if given.ended else ""
    return Shape("Find", _within(given), gist, _output(given))


def _grep(_: str, given: Given) -> Shape:
    gist = ""
    if given.ended:
        nothing = given.text.startswith("Nothing found")
        lines = text_of(given.args, "show") in ("", "lines")
        found = len(_HIT.findall(given.text)) if lines else lines_in(given.text)
        gist = "none" if nothing else counted(found, "line" if lines else "file")
    return Shape("Search", _within(given), gist, _output(given))


def _within(given: Given) -> str:
    pattern, path = text_of(given.args, "pattern"), text_of(given.args, "path")
    return f"{pattern} in {path}" if path not in ("", ".") else pattern


def _write(_: str, given: Given) -> Shape:
    path, content = _path(given), text_of(given.args, "content")
    if given.state == "writing":
        return Shape("Write", path, _written(given))
    changed = told_diff(given.text) or _asked_diff(given)
    body = DiffBody(changed, path) if changed else DiffBody(content, path, whole=True)
    gist = _changes(given.text, changed) or counted(lines_in(content), "line")
    bodies = (body,) if body.text else ()
    return Shape("Write", path, gist, bodies)


def _edit(_: str, given: Given) -> Shape:
    path = _path(given)
    if given.state == "writing":
        return Shape("Edit", path, _written(given))
    edits = given.args["edits"] if "edits" in given.args else dict(given.args)
    diff = told_diff(given.text) or _asked_diff(given) or diff_of_edits(edits)
    bodies = (DiffBody(diff, path),) if diff else ()
    shown = given.ended and bool(diff) and lines_in(diff) <= MOST_OPEN
    return Shape("Edit", path, _changes(given.text, diff), bodies, shown)


def _written(given: Given) -> str:
    """How far a model is in writing something long."""
    return f"{counted(given.raw.count(chr(92) + 'n') + 1, 'line')} so far" if given.raw else ""


def _asked_diff(given: Given) -> str:
    return given.preview if "\n@@ " in given.preview else ""


def _changes(said: str, diff: str) -> str:
    changed = changes_in(said) or changes_in(diff)
    return f"+{changed[0]:,} -{changed[1]:,}" if changed else ""


def _delete(_: str, given: Given) -> Shape:
    what = first_line(given.text).removeprefix("Deleted ") if given.ended else ""
    return Shape("Delete", _path(given), what.removeprefix(_path(given)).strip(), _output(given))


def _move(_: str, given: Given) -> Shape:
    source, target = text_of(given.args, "source"), text_of(given.args, "target")
    return Shape("Move", f"{source} to {target}" if target else source, "", _output(given))


def _execute(_: str, given: Given) -> Shape:
    command = text_of(given.args, "command")
    lines = command.strip().split("\n")
    more = len(lines) > 1 or len(lines[0]) > LONG_LINE
    object = f"{lines[0]} …" if len(lines) > 1 else lines[0]
    verb = "Start" if given.args.get("background") is True else "Run"
    whole = (FieldsBody((("command", command),)),) if more else ()
    if not given.ended:
        # The newest line, so that nothing grows while it runs.
        return Shape(verb, object, last_line(given.text), (*whole, *_output(given)))
    end = exit_in(given.text)
    if end is None:
        return Shape(verb, object, _of_job(given), (*whole, *_output(given)))
    said = f"{end.before}{end.after}".rstrip("\n")
    output = (OutputBody(said),) if said.strip() else ()
    if end.good:
        gist = _length(said) if output else "no output"
        return Shape(verb, object, gist, (*whole, *output))
    gist = end.words.replace("exit code", "exit")
    return Shape(verb, object, gist, (*whole, *output), shown=True, state="failed")


def _of_job(given: Given) -> str:
    """How a job stands, as it was told last."""
    found = _JOB.findall(given.text)
    return found[-1] if found else _said(given)


def _job(_: str, given: Given) -> Shape:
    action = text_of(given.args, "action") or "read"
    number = text_of(given.args, "id")
    object = f"{number} {action}" if number else "list"
    if written := text_of(given.args, "input"):
        object += f" {brief(written, 60)}"
    return Shape("Job", object, _of_job(given), _output(given))


def _todos(name: str, given: Given) -> Shape:
    todos = todos_in(given.text) if given.ended else ()
    if not todos and name == "write_todos":
        todos = _asked(given.args.get("todos"))
    elif not todos and not given.ended:
        todos = given.todos
    doing = next((todo for todo in todos if todo.status == "in_progress"), None)
    gist = done_of(todos) if todos else ("empty" if given.ended else "")
    bodies = (TodosBody(todos),) if todos else ()
    object = (doing.doing or doing.text) if doing else ""
    return Shape("Todos", object, gist, bodies, name == "write_todos" and given.ended)


def _asked(items: object) -> tuple[Todo, ...]:
    """The list that a model writes, as far as it is one."""
    if not isinstance(items, list | tuple):
        return ()
    given: list[Any] = [item for item in items if isinstance(item, dict)]  # pyright: ignore[reportUnknownVariableType]
    return tuple(
        Todo(text_of(item, "text"), _status(item.get("status")), text_of(item, "doing"))
        for item in given
        if text_of(item, "text").strip()
    )


def _status(given: object) -> TodoStatus:
    known: TodoStatus
    for known in MARKS:
        if known == given:
            return known
    return "pending"


def _plan(_: str, given: Given) -> Shape:
    plan = text_of(given.args, "plan")
    decided, gist, state = decision_in(given.text), "", None
    if decided is not None:
        changes = " with changes" if decided.edited else ""
        feedback = f": {decided.feedback}" if decided.feedback else ""
        gist, plan = f"{decided.status}{changes}{feedback}", decided.text or plan
        state = "declined" if decided.status == "rejected" else None
    bodies = (MarkdownBody(plan),) if plan.strip() else ()
    return Shape("Plan", text_of(given.args, "title"), gist, bodies, state=state)


def _ask(_: str, given: Given) -> Shape:
    question, choices = text_of(given.args, "question"), given.args.get("choices")
    asked = [("question", question)]
    if isinstance(choices, list | tuple) and choices:
        asked.append(("choices", "\n".join(map(as_text, choices))))  # pyright: ignore[reportUnknownArgumentType]
    answer = _answer(given)
    said = (OutputBody(answer),) if answer.strip() else ()
    return Shape("Ask", question, answer, (FieldsBody(tuple(asked)), *said) if question else ())


def _answer(given: Given) -> str:
    """What was answered; several of the choices as a person would write them."""
    found: object = None
    if given.args.get("several") is True:
        with suppress(ValueError, RecursionError):
            found = msgspec.json.decode(given.text)
    if not isinstance(found, list):
        return given.text if given.ended else ""
    return ", ".join(map(as_text, cast("list[object]", found))) or "none of them"


def _task(_: str, given: Given) -> Shape:
    agent = text_of(given.args, "agent", "subagent_type")
    about, prompt = text_of(given.args, "description"), text_of(given.args, "prompt")
    answer = (MarkdownBody(given.text),) if given.state == "ok" and given.text.strip() else ()
    asked = (FieldsBody((("task", prompt),)),) if prompt.strip() else ()
    object = f"{agent}: {about}" if about else agent
    gist = last_line(given.text) if not given.ended else _task_end(given)
    return Shape("Delegate", object, gist, (*asked, *answer))


def _task_end(given: Given) -> str:
    if given.args.get("background") is True:
        return "in the background"
    return counted(lines_in(given.text), "line") if lines_in(given.text) > 1 else given.text


def _tasks(_: str, given: Given) -> Shape:
    object = f"{text_of(given.args, 'action') or 'list'} {text_of(given.args, 'id')}".strip()
    return Shape("Tasks", object, _said(given), _output(given))


def _skill(_: str, given: Given) -> Shape:
    loaded = given.ended and given.text.startswith("# Skill ")
    body = (MarkdownBody(given.text),) if given.state == "ok" and given.text.strip() else ()
    return Shape("Skill", text_of(given.args, "name"), "loaded" if loaded else _said(given), body)


def _recall(_: str, given: Given) -> Shape:
    wanted = text_of(given.args, "search", "observation") or " to ".join(
        text_of(given.args, name) for name in ("first", "last") if name in given.args
    )
    return Shape("Recall", wanted, _said(given), _output(given))


SHAPES: Mapping[str, Maker] = {
    "read_file": _read,
    "ls": _list,
    "glob": _glob,
    "grep": _grep,
    "write_file": _write,
    "edit_file": _edit,
    "delete": _delete,
    "move": _move,
    "execute": _execute,
    "job": _job,
    "write_todos": _todos,
    "update_todos": _todos,
    "submit_plan": _plan,
    "ask_user": _ask,
    "task": _task,
    "tasks": _tasks,
    "skill": _skill,
    "recall": _recall,
}
"""How the calls of the built-in tools are told, by their names."""
