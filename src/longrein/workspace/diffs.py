"""What changed in a file, as a short unified diff. Pure.

The work is bounded whatever the files are: what begins and ends alike is left out first, the rest
is compared up to a number of differences, and where there are more, all of it counts as replaced.
"""

from collections.abc import Iterator, Sequence
from itertools import islice

from msgspec import Struct

from longrein.core.words import counted
from longrein.workspace.editing import Written, ends_in_crlf, read_text
from longrein.workspace.previews import CUT, CUT_DIFF

LARGEST = 4 * 1024 * 1024
"""Bytes of a file that is compared; of a larger one only the sizes are told."""

MOST_LINES = 200
LONGEST_LINE = 400
_AROUND = 3
_MOST_DIFFERENCES = 500


class Diff(Struct, frozen=True):
    """A diff: the lines that name the file, what changed, and how many lines were added and removed
    (none of what has no lines)."""

    names: str = ""
    body: str = ""
    added: int = 0
    removed: int = 0

    @property
    def text(self) -> str:
        """All of it."""
        return f"{self.names}\n{self.body}" if self.names else self.body


class Change(Struct, frozen=True):
    """The lines [start, stop) of the old text became the lines [first, last) of the new."""

    start: int
    stop: int
    first: int
    last: int


def diff(before: bytes | None, after: bytes | None, path: str, lines: int = MOST_LINES) -> Diff:
    """What makes one content of a file the other; None is a file that is not there.

    At most `lines` lines are shown, and the beginning of long ones. What is no text, or large, is
    one line with the sizes; what is the same is nothing.

    >>> print(diff(b"a\\nb\\n", b"a\\nc\\n", "/notes.md").text)
    --- /notes.md
    +++ /notes.md
    @@ -1,2 +1,2 @@
     a
    -b
    +c
    >>> diff(b"\\0", b"\\0\\0", "/a.bin").text
    '/a.bin: not text; 1 byte before, 2 bytes after'
    """
    if before == after:
        return Diff()
    old, new = _text(before), _text(after)
    if old is None or new is None:
        why = "too large to compare" if _largest(before, after) > LARGEST else "not text"
        return Diff(body=f"{path}: {why}; {_size(before)} before, {_size(after)} after")
    was, now = _lines(old.text), _lines(new.text)
    changes = find_changes(was, now)
    added = sum(one.last - one.first for one in changes)
    removed = sum(one.stop - one.start for one in changes)
    visible_ends = ends_in_crlf(old.text) != ends_in_crlf(new.text)
    shown = list(islice(_unified(was, now, changes, visible_ends=visible_ends), lines + 1))
    if len(shown) > lines:
        shown[lines:] = [f"{CUT_DIFF} {added:,} lines added and {removed:,} removed in all)"]
    if (old.encoding, old.mark) != (new.encoding, new.mark) and before and after:
        shown.append(f"(encoding: {_encoding(old)} before, {_encoding(new)} after)")
    names = f"--- {_named(before, path)}\n+++ {_named(after, path)}"
    return Diff(names, "\n".join(shown), added, removed)


def find_changes(was: Sequence[str], now: Sequence[str]) -> list[Change]:
    """Which lines became which others, in order."""
    head, most = 0, min(len(was), len(now))
    while head < most and was[head] == now[head]:
        head += 1
    tail, most = 0, most - head
    while tail < most and was[-1 - tail] == now[-1 - tail]:
        tail += 1
    a, b = was[head : len(was) - tail], now[head : len(now) - tail]
    return [
        Change(one.start + head, one.stop + head, one.first + head, one.last + head)
        for one in _between(a, b)
    ]


def _between(a: Sequence[str], b: Sequence[str]) -> list[Change]:
    if not a and not b:
        return []
    trace = _trace(a, b) if a and b else None
    if trace is None:
        return [Change(0, len(a), 0, len(b))]
    gone, come = _differences(trace, len(a), len(b))
    changes: list[Change] = []
    i = j = 0
    while i < len(a) or j < len(b):
        start, first = i, j
        while i in gone:
            i += 1
        while j in come:
            j += 1
        if (start, first) != (i, j):
            changes.append(Change(start, i, first, j))
        else:
            i, j = i + 1, j + 1
    return changes


def _trace(a: Sequence[str], b: Sequence[str]) -> list[dict[int, int]] | None:
    """How far each diagonal reaches with 0, 1, 2, ... differences (Myers' greedy algorithm); None
    where there are too many."""
    reach = {1: 0}
    trace: list[dict[int, int]] = []
    for count in range(min(len(a) + len(b), _MOST_DIFFERENCES) + 1):
        trace.append(dict(reach))
        for diagonal in range(-count, count + 1, 2):
            x = _step(reach, diagonal, count)
            y = x - diagonal
            while x < len(a) and y < len(b) and a[x] == b[y]:
                x, y = x + 1, y + 1
            reach[diagonal] = x
            if x >= len(a) and y >= len(b):
                return trace
    return None


def _step(reach: dict[int, int], diagonal: int, count: int) -> int:
    """Where a diagonal is entered from the better of its neighbours."""
    if diagonal == -count or (diagonal != count and reach[diagonal - 1] < reach[diagonal + 1]):
        return reach[diagonal + 1]
    return reach[diagonal - 1] + 1


def _differences(trace: list[dict[int, int]], x: int, y: int) -> tuple[set[int], set[int]]:
    """The lines that are only in the old text, and those only in the new: the way back."""
    gone, come = set[int](), set[int]()
    for count in range(len(trace) - 1, 0, -1):
        reach, diagonal = trace[count], x - y
        entered = _step(reach, diagonal, count)
        down = entered == reach.get(diagonal + 1) and (
            diagonal == -count or (diagonal != count and reach[diagonal - 1] < entered)
        )
        before = diagonal + 1 if down else diagonal - 1
        x = reach[before]
        y = x - before
        (come if down else gone).add(y if down else x)
    return gone, come


def _unified(
    was: Sequence[str], now: Sequence[str], changes: Sequence[Change], *, visible_ends: bool
) -> Iterator[str]:
    for group in _groups(changes):
        start, stop = max(group[0].start - _AROUND, 0), min(group[-1].stop + _AROUND, len(was))
        first = group[0].first - (group[0].start - start)
        last = group[-1].last + (stop - group[-1].stop)
        yield f"@@ -{_range(start, stop)} +{_range(first, last)} @@"
        at = start
        for one in group:
            yield from _marked(" ", was[at : one.start], visible_ends)
            yield from _marked("-", was[one.start : one.stop], visible_ends)
            yield from _marked("+", now[one.first : one.last], visible_ends)
            at = one.stop
        yield from _marked(" ", was[at:stop], visible_ends)


def _groups(changes: Sequence[Change]) -> Iterator[list[Change]]:
    """Changes that are shown together, because the lines around them touch."""
    group: list[Change] = []
    for one in changes:
        if group and one.start - group[-1].stop > 2 * _AROUND:
            yield group
            group = []
        group.append(one)
    if group:
        yield group


def _range(start: int, stop: int) -> str:
    count = stop - start
    return f"{start + 1}" if count == 1 else f"{start + bool(count)},{count}"


def _marked(sign: str, lines: Sequence[str], visible_ends: bool) -> Iterator[str]:
    for line in lines:
        text = line.removesuffix("\n")
        if text.endswith("\r"):
            text = text[:-1] + ("\\r" if visible_ends else "")
        yield sign + (text if len(text) <= LONGEST_LINE else f"{text[:LONGEST_LINE]}{CUT}")
        if not line.endswith("\n"):
            yield "\\ No newline at end of file"


def _text(data: bytes | None) -> Written | None:
    data = data or b""
    return None if len(data) > LARGEST else read_text(data)


def _lines(text: str) -> list[str]:
    lines = text.split("\n")
    return [f"{line}\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])


def _named(data: bytes | None, path: str) -> str:
    return "/dev/null" if data is None else path


def _largest(*contents: bytes | None) -> int:
    return max(len(data or b"") for data in contents)


def _size(data: bytes | None) -> str:
    return "nothing" if data is None else counted(len(data), "byte")


def _encoding(written: Written) -> str:
    return f"{written.encoding} with byte order mark" if written.mark else written.encoding
