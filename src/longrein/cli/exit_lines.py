"""How a command ended, as its result tells it."""

import re

EXECUTE = "execute"
_ENDED = re.compile(r"^\[((?:.*, )?exit code (-?\d+))\]$", re.MULTILINE)


def exit_line(text: str) -> re.Match[str] | None:
    """The line about the end in the result of a command; None where it has not ended.

    >>> found = exit_line("done\\n[exit code 1]\\n[changed: a.txt]")
    >>> found and found[1]
    'exit code 1'
    """
    # The last one: a command can print a line that looks the same.
    return next(reversed(list(_ENDED.finditer(text))), None)


def mark_of(ended: re.Match[str]) -> str:
    """Whether that is a success."""
    return "✓" if ended[2] == "0" else "✗"
