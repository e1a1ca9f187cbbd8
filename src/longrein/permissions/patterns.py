"""`matches`: whether a pattern fits a text, in time that grows with the text and no faster.

    pattern    text, hosts, commands         paths
    *          any run of characters         any run without a slash
    **         the same                      any run; as a whole part: any number of parts
    ?          one character                 one character, not a slash
    [x]        the character x itself        the same; [*], [?], [[]

A pattern fits the whole text or not at all. Dot files and newlines are nothing special. Case
counts, but in hosts, where a dot at the end does not count either. `/dir/**` fits `/dir` too, and
`/dir/**/file` fits `/dir/file`. In commands ` *` at the end fits no further words too:
`git status *` fits `git status`.
"""

import re
from enum import Enum
from functools import lru_cache
from typing import Literal, TypeAlias

from msgspec import Struct

Kind: TypeAlias = Literal["text", "path", "host", "command"]

LONGEST_KEPT = 4_096
"""Longer patterns are not kept ready, so that what is kept stays bounded."""


def matches(pattern: str, text: str, kind: Kind = "text") -> bool:
    """Whether the pattern fits the whole text.

    >>> matches("git *", "git push"), matches("git *", "git")
    (True, False)
    >>> matches("/etc/*", "/etc/ssh/config", "path"), matches("/etc/**", "/etc", "path")
    (False, True)
    >>> matches("*.example.com", "API.example.com.", "host")
    True
    >>> matches("git status *", "git status", "command"), matches("git *", "gitx", "command")
    (True, False)
    """
    if kind == "host":
        pattern, text = _host(pattern), _host(text)
    if kind == "command" and pattern.endswith(" *") and matches(pattern[:-2], text):
        return True
    read = _kept if len(pattern) <= LONGEST_KEPT else _read
    reading = read(pattern, kind == "path")
    return reading == text if isinstance(reading, str) else _accepts(reading, text)


def literal(text: str) -> str:
    """The pattern that fits this text and no other.

    >>> literal("rm *.txt")
    'rm [*].txt'
    """
    return _SPECIAL.sub(r"[\g<0>]", text)


def exact(pattern: str) -> str | None:
    """The one text that a pattern fits; None where it has wildcards.

    >>> exact("rm [*].txt"), exact("rm *.txt")
    ('rm *.txt', None)
    """
    reading = _read(pattern, path=False)
    return reading if isinstance(reading, str) else None


class _Wild(Enum):
    ONE = "?"
    RUN = "*"
    DEEP = "**"


_Token: TypeAlias = str | _Wild

_SPECIAL = re.compile(r"[*?\[]")
_TOKEN = re.compile(r"\[(?P<escaped>.)\]|(?P<stars>\*+)|(?P<one>\?)|.", re.DOTALL)


class _Automaton(Struct, frozen=True):
    """Every way to read a pattern, followed at once: bit n stands for "n characters are fitted".

    `steps`: the states that a character leads on from, `other` those for characters that the
    pattern does not name. `stays`: the states that hold a run, `stays_at_slash` those whose run
    crosses slashes. Who comes to a state of `skips` is in the next one too. From `forever` nothing
    that follows leads away.
    """

    steps: dict[str, int]
    other: int
    stays: int
    stays_at_slash: int
    skips: int
    accepts: int
    forever: int


def _accepts(automaton: _Automaton, text: str) -> bool:
    steps, other, skips = automaton.steps, automaton.other, automaton.skips
    stays, stays_at_slash = automaton.stays, automaton.stays_at_slash
    states = 1 | (1 & skips) << 1
    for character in text:
        if states & automaton.forever:
            return True
        come = (states & steps.get(character, other)) << 1
        stayed = states & (stays_at_slash if character == "/" else stays)
        states = come | (come & skips) << 1 | stayed
        if not states:
            return False
    return bool(states & automaton.accepts)


def _read(pattern: str, path: bool) -> str | _Automaton:
    """The one text that a pattern without wildcards fits, or what tells which texts it fits."""
    tokens = _tokens(pattern, path)
    plain = [token for token in tokens if isinstance(token, str)]
    return "".join(plain) if len(plain) == len(tokens) else _automaton(tokens, path)


_kept = lru_cache(maxsize=1_024)(_read)


def _automaton(tokens: list[_Token], path: bool) -> _Automaton:
    steps: dict[str, int] = {"/": 0} if path else {}
    other = runs = deep = skips = state = 0
    for place, token in enumerate(tokens):
        here = 1 << state
        if token is _Wild.RUN:
            runs |= here
        elif token is _Wild.DEEP:
            deep |= here
            if path and _is_part(tokens, place) and place + 1 < len(tokens):
                skips |= here
        elif token is _Wild.ONE:
            other |= here
            state += 1
        else:
            steps[token] = steps.get(token, 0) | here
            state += 1
    for character in steps:
        if character != "/" or not path:
            steps[character] |= other
    end = 1 << state
    itself = end >> 1 if path and tokens[-2:] == ["/", _Wild.DEEP] else 0
    return _Automaton(steps, other, runs | deep, deep, skips, end | itself, end & deep)


def _tokens(pattern: str, path: bool) -> list[_Token]:
    """The pattern in pieces; in free text every run crosses slashes."""
    tokens: list[_Token] = []
    for found in _TOKEN.finditer(pattern):
        if stars := found["stars"]:
            deep = not path or len(stars) > 1
            # `**/**` says no more than `**`, and no state may skip to one that skips again.
            if path and deep and tokens[-1:] == ["/"] and _is_part(tokens, len(tokens) - 2):
                del tokens[-2:]
            tokens.append(_Wild.DEEP if deep else _Wild.RUN)
        elif found["one"]:
            tokens.append(_Wild.ONE)
        else:
            tokens.append(found["escaped"] or found[0])
    return tokens


def _is_part(tokens: list[_Token], place: int) -> bool:
    """Whether a `**` stands here between slashes, or between a slash and an end."""
    return (
        place >= 0
        and tokens[place] is _Wild.DEEP
        and (place == 0 or tokens[place - 1] == "/")
        and tokens[place + 1 : place + 2] in ([], ["/"])
    )


def _host(name: str) -> str:
    return name.lower().removesuffix(".")
