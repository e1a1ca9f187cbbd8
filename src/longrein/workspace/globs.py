"""Globs: which files a pattern names, in time that hardly grows with the pattern.

    *        any run of characters without a slash
    **       as a whole part: any number of folders, also none
    ?        one character, not a slash
    [a-z]    one of these; [!a-z] none of these
    {a,b}    either
    \\*       the character itself

A pattern without a slash is about names, in whatever folder; one with a slash begins at the folder
that is searched, one that begins with a slash at the root. Dot files are nothing special.
"""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import takewhile
from typing import TypeAlias

from longrein.workspace.paths import join
from longrein.workspace.problems import BadPattern

Fits: TypeAlias = Callable[[str], bool]

MOST_ALTERNATIVES = 256
LONGEST = 1_000
"""Characters of a pattern."""

_PIECE = re.compile(
    r"\\(?P<escaped>.)|(?P<stars>\*+)|(?P<one>\?)|\[(?P<set>[!^]?\]?[^]]*)\]|.", re.S
)
_SAYS = re.compile(r"(?!\.\.$)[^*?\[\]{}\\]*")
_PLAIN = re.compile(r"[\w.*-]+", re.ASCII)


def fits(pattern: str, under: str = "/") -> Fits:
    """Whether a canonical path is one that the pattern names.

    Raises `BadPattern`.

    >>> python = fits("*.{py,pyi}")
    >>> python("/src/main.py"), python("/notes.md")
    (True, False)
    >>> fits("src/*.py", "/app")("/app/src/a.py"), fits("src/*.py")("/src/lib/a.py")
    (True, False)
    """
    full = "|".join(f"(?:{_absolute(one, under)})" for one in _alternatives(pattern))
    try:
        found = _compiled(full).fullmatch
    except re.error as error:
        raise BadPattern("", f"The pattern {pattern!r} cannot be read: {error}.") from None
    return lambda path: found(path) is not None


def beginning(pattern: str, under: str = "/") -> str:
    """The folder in which everything is that a pattern names, as far as it says so itself.

    >>> beginning("/memories/**"), beginning("src/*.py", "/app"), beginning("*.py", "/app")
    ('/memories', '/app/src', '/app')
    """
    folder = "/" if pattern.startswith("/") else under
    for name in takewhile(_SAYS.fullmatch, pattern.split("/")[:-1]):
        folder = folder if name in ("", ".") else join(folder, name)
    return folder


def plain_names(pattern: str) -> list[str]:
    """Globs that the names of all files fit which the pattern names; [] where that says nothing.

    >>> plain_names("src/**/*.{py,pyi}"), plain_names("src/**")
    (['*.py', '*.pyi'], [])
    """
    names = [one.rpartition("/")[2] for one in _alternatives(pattern)]
    told = all(_PLAIN.fullmatch(name) and name.strip("*") for name in names)
    return names if told else []


def names_regex(parts: list[str]) -> str:
    """The regular expression for a relative path whose names fit these parts, `**` among them.

    Every run but the last of its kind is taken as short as it can be and never tried again (it is
    an atomic group): that finds a way if there is one, and keeps the time bounded.
    """
    groups: list[list[str]] = [[]]
    for part in parts:
        if part.strip("*") == "" and len(part) > 1:
            groups.append([])
        else:
            groups[-1].append(_name(part))
    texts = ["/".join(group) for group in groups]
    if len(texts) == 1:
        return texts[0]
    first = f"{texts[0]}/" if texts[0] else ""
    middle = "".join(f"(?>(?:[^/]+/)*?{text}/)" for text in texts[1:-1] if text)
    last = f"(?:[^/]+/)*{texts[-1]}" if texts[-1] else ".+"
    return first + middle + last


_compiled = lru_cache(maxsize=256)(re.compile)


def _absolute(pattern: str, under: str) -> str:
    """The regular expression for whole paths."""
    if pattern.startswith("/"):
        under, pattern = "/", pattern[1:]
    elif "/" not in pattern:
        pattern = f"**/{pattern}"
    parts = [part for part in pattern.split("/") if part not in ("", ".")]
    if ".." in parts:
        raise BadPattern(
            "", f"The pattern {pattern!r} has '..'. Begin at the folder that you mean."
        )
    return re.escape(join(under, "")) + names_regex(parts)


def _name(glob: str) -> str:
    """The regular expression for one name, which must be followed by a slash or the end."""
    pieces = [""]
    for found in _PIECE.finditer(glob):
        if found["stars"]:
            pieces.append("")
        elif found["one"]:
            pieces[-1] += "[^/]"
        elif found["set"]:
            pieces[-1] += _set(found["set"])
        else:
            pieces[-1] += re.escape(found["escaped"] or found[0])
    if len(pieces) == 1:
        return pieces[0]
    middle = "".join(f"(?>[^/]*?{piece})" for piece in pieces[1:-1] if piece)
    return f"{pieces[0]}{middle}[^/]*{pieces[-1]}"


def _set(text: str) -> str:
    negated = text[0] in "!^"
    inner = re.sub(r"([\\\[\]^&~|])", r"\\\1", text[1:] if negated else text)
    return f"[^/{inner}]" if negated else f"(?!/)[{inner}]"


def _alternatives(pattern: str) -> list[str]:
    """The pattern without braces: one for each way to choose."""
    if not pattern or len(pattern) > LONGEST:
        raise BadPattern("", f"A pattern has 1 to {LONGEST} characters.")
    done: list[str] = []
    waiting = [pattern]
    while waiting:
        one = waiting.pop()
        choice = next(_choices(one), None)
        if choice is None:
            done.append(one)
        else:
            start, end, options = choice
            waiting += [one[:start] + option + one[end:] for option in reversed(options)]
        if len(done) + len(waiting) > MOST_ALTERNATIVES:
            raise BadPattern(
                "", f"The pattern has over {MOST_ALTERNATIVES} alternatives. Search several times."
            )
    return done


def _choices(pattern: str) -> Iterator[tuple[int, int, list[str]]]:
    """Each pair of braces that has a comma: where it begins and ends, and what is in it."""
    for start, character in enumerate(pattern):
        if character != "{" or pattern[:start].endswith("\\"):
            continue
        depth, options = 0, [""]
        for place in range(start, len(pattern)):
            at = pattern[place]
            depth += (at == "{") - (at == "}")
            if depth == 0:
                if len(options) > 1:
                    yield start, place + 1, options
                break
            if at == "," and depth == 1:
                options.append("")
            elif place > start:
                options[-1] += at
