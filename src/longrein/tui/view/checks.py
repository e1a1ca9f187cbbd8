"""What works here and what is missing, as lines."""

from collections.abc import Sequence

from longrein.client.port import Check
from longrein.core.words import counted
from longrein.tui.view.tones import EMPTY, Line, Toned, line

NAME = 18
_MARKS: dict[str, Toned] = {
    "ok": ("✓ ", "good"),
    "missing": ("✗ ", "bad"),
    "note": ("! ", "warn"),
}


def check_lines(checks: Sequence[Check]) -> list[Line]:
    """A line for each thing that was looked at, with what to do below it."""
    lines: list[Line] = []
    for check in checks:
        found = check.found.replace("`", "")
        lines.append((_MARKS[check.state], (f"{check.name:<{NAME}} ", ""), (found, "dim")))
        lines += [line(f"  {'':<{NAME}} {check.fix}", "prose")] if check.fix else []
    missing = sum(check.state == "missing" for check in checks)
    said: Toned = (
        (f"{counted(missing, 'thing')} to put right.", "bad")
        if missing
        else ("All that is needed is here.", "good")
    )
    return [*lines, EMPTY, (said,)]
