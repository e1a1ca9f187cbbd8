"""What is asked of a person, laid out in lines: with nothing left out and nothing hidden."""

import json
from collections.abc import Iterator, Mapping
from posixpath import normpath
from typing import Protocol, cast

from longrein.cli.terminal import BOLD, DIM, PLAIN, Screen
from longrein.cli.wrapping import rows
from longrein.core.display import Display
from longrein.core.policy import Touches
from longrein.core.records import Approval, Question
from longrein.permissions.matching import for_people

PLAN = "plan"
"""The kind of a question that shows a plan in Markdown."""

APPROVE = "approve"
"""The yes to a plan."""

_DEFAULT = "default:"
_JUDGED = "shell: "
"""Before the name of a danger, in the rule that asks because of it."""

_PROMPT_ROWS = 3


class Asked(Protocol):
    """A tool call that somebody is asked about."""

    @property
    def tool(self) -> str: ...
    @property
    def category(self) -> str: ...
    @property
    def arguments(self) -> str: ...
    @property
    def rule(self) -> str: ...
    @property
    def touches(self) -> Touches: ...
    @property
    def preview(self) -> str: ...


def asked_by(shown: Display, asked: Approval | Question) -> str:
    """Which subagent asks something; empty: the agent itself does."""
    names = {child.thread: child.agent for child in shown.children}
    who = " > ".join(names.get(thread, thread) for thread in asked.path)
    return f"The subagent {who} asks:" if who else ""


def tell_approval(screen: Screen, asked: Asked) -> None:
    """Say what wants to run; where that is longer than the screen, what it is once more."""
    # The lines of a diff stay as they are: a break in them would be taken for one of the file.
    hang = None if asked.category == "edit" and asked.preview else 2
    first, *rest = approval_lines(asked)
    screen.say(first, BOLD, strict=True, hang=hang)
    for line in rest:
        style = DIM if line.startswith("  asked by ") else PLAIN
        screen.say(line, style, strict=True, hang=hang)
    if screen.size and _taken([first, *rest], screen.size[0]) > screen.size[1] - _PROMPT_ROWS:
        screen.say(f"? {headline(asked)}", BOLD, strict=True, hang=2)


def approval_lines(asked: Asked) -> list[str]:
    """What wants to run: its arguments, what it would do, what it touches, what rule asks."""
    what = asked.tool if asked.tool == asked.category else f"{asked.tool} ({asked.category})"
    lines = [f"? {what} wants to run:"]
    lines += (f"    {line}" for line in _laid_out(asked))
    lines += (f"    {line}" for line in asked.preview.splitlines())
    lines += (
        f"  {line}"
        for line in touched(asked.touches)
        if line.partition(" ")[2] not in asked.preview
    )
    if not asked.rule.startswith(_DEFAULT) and not _tells_danger(asked):
        lines.append(f"  asked by the rule {asked.rule}")
    return lines


def headline(asked: Asked) -> str:
    """A call in a few words: its tool, the file or the command, and how many lines change."""
    values = [value for value in _values(asked.arguments).values() if isinstance(value, str)]
    words = [asked.tool, *(" ".join(values[0].split())[:60] for _ in values[:1])]
    diff = asked.preview.splitlines()[2:] if asked.preview.startswith("--- ") else []
    added, removed = (sum(line.startswith(mark) for line in diff) for mark in "+-")
    if added or removed:
        more = " and more" if any(line.startswith("... (cut;") for line in diff) else ""
        words.append(f"(+{added} -{removed}{more})")
    return " ".join(words)


def tell_question(screen: Screen, question: Question) -> None:
    """Say what is asked, with its choices; a plan with its title."""
    if question.kind == PLAN:
        screen.say(f"? Plan: {question.title}", BOLD, strict=True, hang=2)
        for line in question.text.strip("\n").split("\n"):
            screen.say(f"    {line}", strict=True, hang=2)
        return
    screen.say(f"? {question.text}", BOLD, hang=2)
    for number, choice in enumerate(question.choices, 1):
        screen.say(f"    {number} {choice}", hang=2)


def touched(touches: Touches) -> Iterator[str]:
    """One line for each thing that a call would touch."""
    yield from (f"touches {path}" for path in touches.paths)
    yield from (f"runs {command}" for command in for_people(touches.commands))
    yield from (f"connects to {host}" for host in touches.hosts)


def laid_out(arguments: str) -> list[str]:
    """The arguments of a call, one on a line; a text of several lines below its name."""
    values = _values(arguments)
    return _lines_of(values) if values else arguments.removesuffix("{}").splitlines()


def _laid_out(asked: Asked) -> list[str]:
    """The arguments, without those that stand in the preview, word for word."""
    if not asked.preview:
        return laid_out(asked.arguments) or ["(no arguments)"]
    shown = set(asked.preview.splitlines())
    values = _values(asked.arguments)
    kept = {key: value for key, value in values.items() if not _stands_in(value, shown, asked)}
    return _lines_of(kept) if values else laid_out(asked.arguments)


def _lines_of(values: Mapping[str, object]) -> list[str]:
    lines: list[str] = []
    for key, value in values.items():
        if isinstance(value, str) and "\n" in value:
            lines += [f"{key}:", *(f"  | {line}" for line in value.split("\n"))]
        else:
            lines.append(f"{key}: {json.dumps(value, ensure_ascii=False)}")
    return lines


def _stands_in(value: object, shown: set[str], asked: Asked) -> bool:
    if asked.category == "edit" and (isinstance(value, list) or "\n" in str(value)):
        # A diff holds every line that an edit was given.
        return True
    if not isinstance(value, str) or not value:
        return False
    inside = f"/{normpath(value).lstrip('/')}"
    paths = [path for path in asked.touches.paths if path.endswith(inside)]
    return not shown.isdisjoint((value, f"+{value}")) or any(
        f"+++ {path}" in shown or f"--- {path}" in shown for path in paths
    )


def _tells_danger(asked: Asked) -> bool:
    """Whether the preview says already what the rule is about."""
    return f"dangerous ({asked.rule.removeprefix(_JUDGED)})" in asked.preview


def _values(arguments: str) -> dict[str, object]:
    """The arguments by name; none where they are not JSON, or no object."""
    try:
        values = json.loads(arguments or "{}")
    except ValueError:
        return {}
    return cast("dict[str, object]", values) if isinstance(values, dict) else {}


def _taken(lines: list[str], width: int) -> int:
    return sum(rows(line, width) for line in lines)
