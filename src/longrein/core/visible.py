"""Text that nobody can steer a terminal with, or hide something in."""

import re
from functools import cache
from unicodedata import category

_CONTROLS = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\ud800-\udfff\ufeff\ufff9-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_INVISIBLE = (
    "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200c\u200d\u3164\ufe00-\ufe0f\uffa0"
    "\U00013430-\U0001343f\U00016fe4\U0001d159"
)
_BARELY_SEEN = "\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u2800\U000110bd\U000110cd"
"""Drawn, but as a blank or around what follows."""

_JOINED = "\u0900-\u0dff\u2190-\u2bff\U0001f000-\U0001faff"
_MOST_MARKS = 4
"""Marks on one letter: more would be drawn over other lines."""

_MAY_BE_MARKS = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u1fff\u20d0-\u20ff\u2cef-\u2dff\u302a-\u302f\u3099\u309a"
    "\ua66f-\uabef\ufb1e\ufe20-\ufe2f\U000101fd-\U00011fff\U00016af0-\U0001efff"
)
"""All marks are in here, and little that texts are full of."""

_LAST_MARK = 0x1EFFF
_UNUSUAL = re.compile(f"[{_CONTROLS}{_INVISIBLE}{_BARELY_SEEN}{_MAY_BE_MARKS}]")
_SUSPECT = re.compile(
    f"[{_CONTROLS}{_INVISIBLE}{_BARELY_SEEN}]|[{_MAY_BE_MARKS}]{{{_MOST_MARKS + 1}}}"
)


def visible(text: str, *, strict: bool = False) -> str:
    """The text with everything that could steer a terminal, or hide in it, written out.

    `strict` also shows the joiners and fillers that scripts and emoji need: for what a person says
    yes to, nothing may be hidden.

    >>> print(visible("red: \\x1b[31m"))
    red: \\x1b[31m
    """
    text = text.replace("\r\n", "\n")
    # Most texts are no more than this, and it is found out much sooner than the rest.
    if text.isascii() and text.replace("\n", "").replace("\t", "").isprintable():
        return text
    unusual = _UNUSUAL.search(text)
    if unusual is None or _SUSPECT.search(text, unusual.start()) is None:
        return text
    return (_strict() if strict else _loose()).sub(_written_out, text)


@cache
def _strict() -> re.Pattern[str]:
    hidden = f"{_CONTROLS}{_INVISIBLE}{_BARELY_SEEN}"
    return _pattern(hidden, f"(?<=[{hidden}])")


@cache
def _loose() -> re.Pattern[str]:
    return _pattern(
        f"{_CONTROLS}{_INVISIBLE}",
        f"(?<=[{_CONTROLS}])",
        # Joiners and selectors have a meaning behind letters that are not ASCII, one at a time.
        f"(?<=[{_INVISIBLE}])(?<![^\\x00-\\x7f{_INVISIBLE}][{_INVISIBLE}])"
        "(?<!\ufe0f\u200d)(?!(?<=[0-9#*]\ufe0f)\u20e3)",
        # A joiner takes the width of what follows it, so it may stand only where it joins.
        f"(?<=\u200d)(?:(?![{_JOINED}])|(?<![{_JOINED}\ufe0f]\u200d))",
    )


def _pattern(hidden: str, *reasons: str) -> re.Pattern[str]:
    """What fits a letter for one of the reasons, or a mark behind as many as a letter may have.

    What may fit at all stands in front, in few ranges: so long texts are passed over quickly.
    """
    marks = _marks()
    low = "".join(mark for mark in marks if mark <= "\uffff")
    is_mark = f"(?:(?<=[{low}])|(?<=[\U00010000-\U0010ffff]))"
    too_many = f"{is_mark}(?<=[{marks}]{{{_MOST_MARKS + 1}}})"
    return re.compile(f"[{hidden}{_MAY_BE_MARKS}](?:{'|'.join((*reasons, too_many))})")


@cache
def _marks() -> str:
    """Whatever is drawn on the letter before it. Finding it takes a while, so it is done late."""
    codes = range(0x300, _LAST_MARK)
    return "".join(chr(code) for code in codes if category(chr(code)) in ("Mn", "Me"))


def _written_out(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
