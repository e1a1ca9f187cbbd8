"""What an edit changes, told from what the model wrote and from what the tool said of it."""

import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import islice
from typing import Any, cast

from longrein.client.telling import CUT_DIFF
from longrein.client.telling import changes_in as told_changes
from longrein.tui.view.arguments import as_text

MOST_LINES = 400
"""Lines of a diff that is made here."""

LARGEST_COMPARED = 40
"""Lines on both sides that are compared line by line; more count as replaced."""

_AROUND = 2
_COUNTED = re.compile(r"\+([\d,]+) -([\d,]+)\)\.?$")
_CUT = f"\n{CUT_DIFF}"


def diff_of_edits(edits: object) -> str:
    """The edits of a call as a diff without line numbers, one after the other. Never raises.

    >>> print(diff_of_edits([{"old_string": "a\\nb", "new_string": "a\\nc"}]))
    @@ @@
     a
    -b
    +c
    """
    given = cast("Sequence[object]", edits) if isinstance(edits, list | tuple) else (edits,)
    lines = (line for one in given if isinstance(one, dict) for line in _hunk(cast("Any", one)))
    shown = list(islice(lines, MOST_LINES + 1))
    if len(shown) > MOST_LINES:
        shown[MOST_LINES:] = ["... (cut)"]
    return "\n".join(shown)


def told_diff(result: str) -> str:
    """The diff in what an edit said of itself; empty where it holds none, or not all of it."""
    start = result.find("\n@@ ")
    return "" if start < 0 or _CUT in result else result[start + 1 :]


def changes_in(text: str) -> tuple[int, int] | None:
    """How many lines were added and removed, as an edit or a diff tells it.

    >>> changes_in("Edited /project/a.txt (1 place, +3 -1).")
    (3, 1)
    >>> changes_in("@@ -1 +1 @@\\n-b\\n+c\\n+d")
    (2, 1)
    """
    if found := _COUNTED.search(text.partition("\n")[0]):
        return _number(found[1]), _number(found[2])
    start = text.find("@@ ")
    return told_changes(text[start:].split("\n")) if start >= 0 else None


def _number(digits: str) -> int:
    return int(digits.replace(",", ""))


def _hunk(edit: Mapping[str, Any]) -> Iterator[str]:
    old = as_text(edit.get("old_string", "")).split("\n")
    new = as_text(edit.get("new_string", "")).split("\n")
    if old == new:
        return
    yield "@@ @@"
    before, after = _alike(old, new)
    yield from (f" {line}" for line in old[max(before - _AROUND, 0) : before])
    yield from _replaced(old[before : len(old) - after], new[before : len(new) - after])
    if after:
        yield from (f" {line}" for line in old[len(old) - after :][:_AROUND])


def _alike(old: Sequence[str], new: Sequence[str]) -> tuple[int, int]:
    """How many lines both have in common at their beginning, and how many at their end."""
    shorter = min(len(old), len(new))
    before = next((n for n in range(shorter) if old[n] != new[n]), shorter)
    rest = shorter - before
    after = next((n for n in range(rest) if old[-1 - n] != new[-1 - n]), rest)
    return before, after


def _replaced(old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    if max(len(old), len(new)) > LARGEST_COMPARED:
        yield from (f"-{line}" for line in old)
        yield from (f"+{line}" for line in new)
        return
    for what, start, stop, first, last in SequenceMatcher(None, old, new, False).get_opcodes():
        if what == "equal":
            yield from (f" {line}" for line in old[start:stop])
        else:
            yield from (f"-{line}" for line in old[start:stop])
            yield from (f"+{line}" for line in new[first:last])
