"""Texts in few words, and whether what somebody typed is in one."""

LONGEST = 120
"""Characters of what is told in one line."""


def brief(text: str, longest: int = LONGEST) -> str:
    """A text as one line that is not long.

    >>> brief("one\\n  two")
    'one two'
    >>> brief("far too long", 5)
    'far…'
    >>> brief("so   " * 99, 5)
    'so s…'
    """
    # A long text need not be split to its end: so many words are too long in any case.
    line = " ".join(text.split(maxsplit=longest))
    return line if len(line) <= longest else f"{line[: longest - 1].rstrip()}…"


def first_line(text: str) -> str:
    """The first line of a text that says something."""
    return next((line.strip() for line in text[:4_000].splitlines() if line.strip()), "")


def last_line(text: str) -> str:
    """The last line of a text that says something."""
    return next((line.strip() for line in text[-4_000:].splitlines()[::-1] if line.strip()), "")


def lines_in(text: str) -> int:
    """How many lines a text has."""
    return text.count("\n") + (text[-1:] not in ("", "\n"))


def in_order(letters: str, text: str) -> bool:
    """Whether the letters are in the text in this order. No pattern: those can take for ever.

    >>> in_order("pn", "plan"), in_order("np", "plan")
    (True, False)
    """
    at = -1
    for letter in letters:
        at = text.find(letter, at + 1)
        if at < 0:
            return False
    return True


def seen_from(place: str, path: str) -> str:
    """A path as it is written in a folder.

    >>> seen_from("/project", "/project/src/app.py"), seen_from("/project", "/etc/hosts")
    ('src/app.py', '/etc/hosts')
    """
    return path.removeprefix(f"{place.rstrip('/')}/") if place else path
