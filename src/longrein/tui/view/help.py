"""Keys and commands as lines, from the tables that the app goes by."""

from collections.abc import Sequence

from longrein.client.port import CommandInfo
from longrein.tui.keys import KEYS
from longrein.tui.view.tones import EMPTY, Line, line

NAME = 24


def help_lines(commands: Sequence[CommandInfo]) -> list[Line]:
    """All keys in groups, then all commands."""
    lines: list[Line] = []
    for group in KEYS:
        lines += [line(group.title, "strong"), *(_line(one.keys, one.what) for one in group.keys)]
        lines.append(EMPTY)
    said = [_line(f"/{one.name} {one.hint}".rstrip(), one.description) for one in commands]
    return [*lines, line("Commands", "strong"), *said]


def _line(name: str, what: str) -> Line:
    return (f"  {name:<{NAME}}  ", "accent"), (what, "")
