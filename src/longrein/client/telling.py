"""What people are asked, in words: what wants to run, what it would touch, and who asks.

Nothing is left out and nothing is repeated. Texts are as they were said: whoever shows them makes
them harmless.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from posixpath import normpath
from typing import Protocol, cast

from msgspec import Struct

from longrein.client.remembering import DEFAULT
from longrein.client.words import brief
from longrein.core.display import Display
from longrein.core.policy import Touches
from longrein.core.records import Approval, Question
from longrein.permissions.matching import for_people
from longrein.workspace.previews import CUT, DANGER, FOUND
from longrein.workspace.previews import CUT_DIFF as CUT_DIFF

PLAN = "plan"
"""The kind of a question that shows a plan in Markdown."""

APPROVE = "approve"
"""The yes to a plan."""

NOT_ALL = "This is not the whole change. All that the call was given:"
"""Stands between a diff that was cut and all of the arguments."""

NAMES = 2
"""Lines of a diff that name the file, before what changes in it."""

READ = 4_000
"""Characters of an argument that are looked at for its first words, or that may be a path."""

NEW = "--- /dev/null"
"""Begins the diff of a file that was not there."""

LONGEST_TASK = 40
"""Characters of the name of a task."""

_IN_ALL = re.compile(rf"{re.escape(CUT_DIFF)} ([\d,]+) lines added and ([\d,]+) removed in all\)")


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


class LaidOut(Struct, frozen=True):
    """A call that somebody is asked about, in lines.

    `what` is its tool. `given` are its arguments, without those that the `preview` shows word for
    word; `touched` is what it would touch and the preview does not name. `rule` asks, where that
    says something; empty: it is asked about because such calls always are. `diff`: the preview is
    one, and `cut` where it shows only a part of the change; then `uncut` are all of the arguments.
    Of a long new file the preview has only the name, and `uncut` what is written.
    `danger`: it is known to be dangerous; `dangers` are the lines of the preview that say so.
    """

    what: str
    given: tuple[str, ...]
    preview: tuple[str, ...]
    touched: tuple[str, ...]
    rule: str
    diff: bool
    cut: bool
    uncut: tuple[str, ...]
    danger: bool
    dangers: tuple[str, ...]


def lay_out(asked: Asked) -> LaidOut:
    """What wants to run: its arguments, what it would do, what it touches, what rule asks."""
    told = asked.rule.startswith(DEFAULT) or _tells_danger(asked)
    preview = _with_line(asked, _lines(asked.preview))
    diff = asked.category == "edit" and _is_diff(preview)
    cut = diff and any(line.startswith(CUT_DIFF) or line.endswith(CUT) for line in preview)
    # What a file holds names nothing that the change would touch.
    named = "\n".join(preview[:NAMES]) if diff else asked.preview
    dangers = () if diff else tuple(line for line in preview if line.startswith(DANGER))
    given, uncut = _given(asked, preview, diff=diff), argument_lines(asked.arguments) if cut else []
    if cut and preview[0] == NEW:
        preview = preview[:NAMES]
        given, uncut, cut = [], _given(asked, preview, diff=False), False
    return LaidOut(
        asked.tool if asked.tool == asked.category else f"{asked.tool} ({asked.category})",
        tuple(given),
        preview,
        tuple(
            line for line in touched(asked.touches) if not _is_named(line.partition(" ")[2], named)
        ),
        "" if told else asked.rule,
        diff,
        cut,
        tuple(uncut),
        # A preview may have been cut before the line that says it.
        bool(dangers) or any(rule.always for rule in asked.touches.judged),
        dangers,
    )


def headline(asked: Asked) -> str:
    """A call in a few words: its tool, the file or the command, and how many lines change."""
    values = [value for value in _values(asked.arguments).values() if isinstance(value, str)]
    words = [asked.tool, *(" ".join(value[:READ].split())[:60] for value in values[:1])]
    preview = _lines(asked.preview)
    added, removed = changes_in(preview[NAMES:] if _is_diff(preview) else ())
    if added or removed:
        words.append(f"(+{added:,} -{removed:,})")
    return " ".join(words)


def changes_in(diff: Sequence[str]) -> tuple[int, int]:
    """How many lines a change adds and removes, by the lines of a diff without its names.

    >>> changes_in(("@@ -1 +1,2 @@", "-b", "+c", "+d"))
    (2, 1)
    >>> changes_in(("+a", "... (cut; 1,200 lines added and 3 removed in all)"))
    (1200, 3)
    """
    for line in diff[-2:]:
        if all_in_all := _IN_ALL.match(line):
            return int(all_in_all[1].replace(",", "")), int(all_in_all[2].replace(",", ""))
    return sum(line.startswith("+") for line in diff), sum(line.startswith("-") for line in diff)


def asking(shown: Display, asked: Approval | Question) -> str:
    """The subagent that asks something, with those above it; empty: the agent itself does. One of
    several of its kind is named with its task."""
    kinds = Counter(child.agent for child in shown.children)
    names = {
        child.thread: f"{child.agent} ({brief(child.title, LONGEST_TASK)})"
        if kinds[child.agent] > 1 and child.title
        else child.agent
        for child in shown.children
    }
    return " > ".join(names.get(thread, thread) for thread in asked.path)


def touched(touches: Touches) -> Iterator[str]:
    """One line for each thing that a call would touch."""
    yield from (f"touches {path}" for path in touches.paths)
    yield from (f"runs {command}" for command in for_people(touches.commands))
    yield from (f"connects to {host}" for host in touches.hosts)


def argument_lines(arguments: str) -> list[str]:
    """The arguments of a call, one on a line; a text of several lines below its name."""
    values = _values(arguments)
    return _lines_of(values) if values else list(_lines(arguments.removesuffix("{}")))


def _with_line(asked: Asked, preview: tuple[str, ...]) -> tuple[str, ...]:
    """The preview of a command that is made of several: the line itself in the place of those that
    stand in it."""
    line = _values(asked.arguments).get("command") if asked.category == "execute" else None
    if not isinstance(line, str) or not preview or line in preview:
        return preview
    parts = {part for part in for_people(asked.touches.commands) if part in line}
    rest = tuple(one for one in preview if one not in parts)
    return rest if "\n" in line else (line, *rest)


def _lines(text: str) -> tuple[str, ...]:
    """The lines of a text as programs count them: all else that could end one stays in it."""
    return tuple(text.removesuffix("\n").split("\n")) if text else ()


def _is_diff(lines: Sequence[str]) -> bool:
    heads = ("--- ", "+++ ", "@@ ")
    return len(lines) >= len(heads) and all(map(str.startswith, lines, heads))


def _is_named(what: str, text: str) -> bool:
    """Whether something stands in a text as it is, not only as a part of a longer name."""
    at = text.find(what)
    while at >= 0:
        after = text[at + len(what) : at + len(what) + 2].removeprefix("/")[:1]
        if not _is_of_name(text[max(at - 1, 0) : at]) and not _is_of_name(after):
            return True
        at = text.find(what, at + 1)
    return False


def _is_of_name(letter: str) -> bool:
    return letter.isalnum() or letter in tuple("_-./")


def _given(asked: Asked, preview: Sequence[str], *, diff: bool) -> list[str]:
    """The arguments, without those that stand in the preview, word for word."""
    if not preview:
        return argument_lines(asked.arguments) or ["(no arguments)"]
    shown = set(preview)
    values = _values(asked.arguments)
    kept = {
        key: value
        for key, value in values.items()
        if not (diff and _is_in_diff(value)) and not _stands_in(value, shown, asked)
    }
    return _lines_of(kept) if values else argument_lines(asked.arguments)


def _lines_of(values: Mapping[str, object]) -> list[str]:
    lines: list[str] = []
    for key, value in values.items():
        if isinstance(value, str) and "\n" in value:
            # In one go: there may be very many.
            lines += [f"{key}:", *f"  | {value}".replace("\n", "\n  | ").split("\n")]
        else:
            lines.append(f"{key}: {json.dumps(value, ensure_ascii=False)}")
    return lines


def _is_in_diff(value: object) -> bool:
    """Whether a diff holds every line of it: it is what an edit puts into the file."""
    return isinstance(value, list) or (isinstance(value, str) and "\n" in value)


def _stands_in(value: object, shown: set[str], asked: Asked) -> bool:
    if not isinstance(value, str) or not value:
        return False
    inside = f"/{normpath(value).lstrip('/')}" if len(value) <= READ else value
    paths = [path for path in asked.touches.paths if path.endswith(inside)]
    return not shown.isdisjoint((value, f"+{value}")) or any(
        f"+++ {path}" in shown or f"--- {path}" in shown for path in paths
    )


def _tells_danger(asked: Asked) -> bool:
    """Whether the preview says already what the rule is about."""
    return f"{DANGER}{asked.rule.removeprefix(FOUND)})" in asked.preview


@lru_cache(4)  # they may be long, and are looked at from several sides
def _values(arguments: str) -> Mapping[str, object]:
    """The arguments by name; none where they are not JSON, or no object."""
    try:
        values = json.loads(arguments or "{}")
    except (ValueError, RecursionError):
        return {}
    return cast("dict[str, object]", values) if isinstance(values, dict) else {}
