"""What the terminal can show."""

import os
import sys
from collections.abc import Iterator, Mapping
from typing import TextIO

from longrein.client.port import Check

SMALLEST = (80, 24)
"""Columns and rows that the app is made for."""

DUMB = ("", "dumb", "unknown")


def terminal_checks(environ: Mapping[str, str]) -> list[Check]:
    """What kind of terminal this is, its colours, its letters and its size."""
    return [_kind(environ), Check("colours", "note", colours(environ)), _letters(), *_size()]


def _kind(environ: Mapping[str, str]) -> Check:
    name = environ.get("TERM", "")
    if (out := _output()) is None or not out.isatty():
        return Check("terminal", "note", "none: standard output is not one")
    if name in DUMB:
        fix = "Set TERM to what your terminal is, as in TERM=xterm-256color."
        return Check("terminal", "missing", f"TERM is {name!r}: it cannot place text", fix)
    return Check("terminal", "ok", ", ".join((name, *_around(environ))))


def _around(environ: Mapping[str, str]) -> Iterator[str]:
    if program := environ.get("TERM_PROGRAM", ""):
        yield program
    if environ.get("TMUX"):
        yield "in tmux"
    elif environ.get("STY"):
        yield "in screen"
    if environ.get("SSH_CONNECTION"):
        yield "over ssh"


def colours(environ: Mapping[str, str]) -> str:
    """How many colours the terminal says that it has.

    >>> colours({"TERM": "xterm-256color", "COLORTERM": "truecolor"})
    'all (COLORTERM=truecolor)'
    """
    if environ.get("NO_COLOR"):
        return "none: NO_COLOR is set"
    term, many = environ.get("TERM", ""), environ.get("COLORTERM", "")
    if many in ("truecolor", "24bit"):
        return f"all (COLORTERM={many})"
    if "256" in term:
        return "256; where your terminal has them all, set COLORTERM=truecolor"
    return "none" if term in DUMB else "16"


def _letters() -> Check:
    # What Python found out from LC_ALL, LC_CTYPE and LANG when it began.
    out = _output()
    encoding = (out and out.encoding) or "none"
    if encoding.lower().replace("-", "") == "utf8":
        return Check("letters", "ok", "UTF-8")
    fix = "Set LANG to a UTF-8 locale, as in LANG=C.UTF-8."
    return Check("letters", "missing", f"{encoding}: not every letter can be shown", fix)


def _size() -> list[Check]:
    out = _output()
    try:
        columns, rows = os.get_terminal_size(1 if out is None else out.fileno())
    except OSError:
        return []
    if columns < SMALLEST[0] or rows < SMALLEST[1]:
        fix = f"Make the window larger: the app is made for {SMALLEST[0]} by {SMALLEST[1]} and up."
        return [Check("size", "missing", f"{columns} by {rows}", fix)]
    return [Check("size", "ok", f"{columns} by {rows}")]


def _output() -> TextIO | None:
    """Standard output itself: while the app is shown, `sys.stdout` is something of its own."""
    return sys.__stdout__
