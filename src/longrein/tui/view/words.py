"""Texts in few words: one line of what is long."""

LONGEST = 120
"""Characters of what is told in one line."""


def brief(text: str, longest: int = LONGEST) -> str:
    """A text as one line that is not long.

    >>> brief("one\\n  two")
    'one two'
    >>> brief("far too long", 5)
    'far…'
    """
    # A long text need not be split to its end.
    line = " ".join(text[: longest * 4].split())
    if len(line) <= longest and len(text) <= longest * 4:
        return line
    return f"{line[: longest - 1].rstrip()}…"


def first_line(text: str) -> str:
    """The first line of a text that says something."""
    return next((line.strip() for line in text[:4_000].splitlines() if line.strip()), "")


def last_line(text: str) -> str:
    """The last line of a text that says something."""
    return next((line.strip() for line in text[-4_000:].splitlines()[::-1] if line.strip()), "")


def lines_in(text: str) -> int:
    """How many lines a text has."""
    return text.count("\n") + (text[-1:] not in ("", "\n"))
