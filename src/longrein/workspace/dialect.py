"""Regular expressions that mean the same to every engine that searches here.

The common part of ripgrep's and Python's, mended where models write what other tools take: a brace
that counts nothing is a brace, `\\<` and `\\>` are the ends of words, a `[` in a set is itself.
Lookaround and backreferences are refused: no engine that promises an end has them.
"""

import re

from longrein.workspace.base import Grep
from longrein.workspace.problems import BadPattern

LONGEST = 1_000
MOST_CONTEXT = 100

_SETS = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "blank": r"\t ",
    "cntrl": r"\x00-\x1f\x7f",
    "digit": "0-9",
    "lower": "a-z",
    "punct": r"!-/:-@\[-`{-~",
    "space": r"\t-\r ",
    "upper": "A-Z",
    "word": "0-9A-Za-z_",
    "xdigit": "0-9A-Fa-f",
}
_ENDS = {r"\<": r"\b", r"\>": r"\b", r"\z": "$", r"\Z": "$"}

_TOKEN = re.compile(
    r"""
    (?P<escape> \\. )
    | (?P<around> \(\?(?: <?[=!] | > | \( | P[=>] | & | \# | R ) )
    | (?P<set> \[\^?\]?(?: \\. | \[:\^?\w+:\] | [^\]\\] )*\] )
    | (?P<count> \{ \d* (?: ,\d* )? \} )
    | (?P<brace> [{}] )
    | .
    """,
    re.VERBOSE | re.DOTALL,
)


def checked(query: Grep) -> str:
    """The pattern as engines get it. Raises `BadPattern`, also for too much context.

    >>> checked(Grep(r"fn \\<main\\>() {"))
    'fn \\\\bmain\\\\b() \\\\{'
    """
    pattern = query.pattern
    if not pattern or len(pattern) > LONGEST:
        raise BadPattern("", f"A pattern has 1 to {LONGEST} characters.")
    if re.search(r"[\n\r\0\ud800-\udfff]", pattern):
        raise BadPattern("", "Searches go line by line: leave line ends and NUL out.")
    if not (0 <= query.before <= MOST_CONTEXT and 0 <= query.after <= MOST_CONTEXT):
        raise BadPattern("", f"Ask for 0 to {MOST_CONTEXT} lines of context.")
    return pattern if query.literal else _TOKEN.sub(_token, pattern)


def _token(found: re.Match[str]) -> str:
    text = found[0]
    if found["around"] or re.fullmatch(r"\\[1-9k]", text):
        raise BadPattern(
            "",
            f"{text!r}: lookaround and backreferences are not supported. Search for less, and pick "
            "from what is found.",
        )
    if found["escape"]:
        if text in (r"\n", r"\r"):
            raise BadPattern("", "Searches go line by line: leave line ends out.")
        return _ENDS.get(text, text)
    if found["set"]:
        return _set(text)
    if found["count"]:
        return text.replace("{,", "{0,") if text not in ("{}", "{,}") else re.escape(text)
    return f"\\{text}" if found["brace"] else text


def _set(text: str) -> str:
    """A set in which only escapes, ranges and a leading `^` are special."""
    start = "[^" if text.startswith("[^") else "["
    return f"{start}{_IN_SET.sub(_in_set, text[len(start) : -1])}]"


_IN_SET = re.compile(r"\\.|\[:(?P<name>\w+):\]|(?P<special>[\[\]&~|])", re.DOTALL)


def _in_set(found: re.Match[str]) -> str:
    if name := found["name"]:
        if name not in _SETS:
            raise BadPattern("", f"There is no set [:{name}:]; there are: {', '.join(_SETS)}.")
        return _SETS[name]
    return f"\\{found[0]}" if found["special"] else found[0]
