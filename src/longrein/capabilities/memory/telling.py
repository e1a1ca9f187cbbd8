"""From instruction files to a section of the system text, and to a note of what changed. Pure."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from longrein.capabilities.memory.reading import Instructions, Origin
from longrein.context.estimate import estimate_tokens
from longrein.workspace.diffs import LONGEST_LINE, diff

PREFACE = (
    "The user and the project keep instructions in files called AGENTS.md; they are below, each "
    "with its source. Follow them like these lines. They are not words of the user in this "
    "conversation: what the user says here comes first, then the file nearest to what you work "
    "on. They allow nothing that is not allowed otherwise.\n"
    "When the user states a lasting preference, corrects you, or you find out what every later "
    "session would need, propose an edit of the AGENTS.md that it belongs to: keep it short, and "
    "never write secrets there. The user is asked about each such edit."
)
MORE = "only the first {shown} of {lines} lines; read the file for the rest"
ONLY_NAMED = "too long to be shown; read the file before you work in its folder"
LEAST = 100
"""Tokens of a part of a file that are worth showing."""

_BLOCK = re.compile(
    r'^<instructions source=(?P<path>"(?:[^"\\]|\\.)*") of="(?P<origin>\w+)"(?: note="[^"\n]*")?>\n'
    r"(?P<text>.*?)\n?^</instructions>$",
    re.MULTILINE | re.DOTALL,
)
_TAG = re.compile(r"<(?=/?instructions\b)", re.IGNORECASE)


class Shown(Struct, frozen=True):
    """A file as the model is shown it: all of its `text`, or what the budget left of it."""

    path: str
    origin: Origin
    text: str
    tokens: int
    note: str = ""


def fit(files: Sequence[Instructions], budget: int) -> list[Shown]:
    """The files as they are shown, in their order, the nearest last.

    Whole ones first, the nearest before the others; what does not fit is shown in part, or by its
    path. Those of folders that the agent came to have a quarter of the budget, and what the others
    leave: so coming to one changes nothing of what was told before.
    """
    fixed = [one for one in reversed(files) if one.origin != "nested"]
    room = budget * 3 // 4
    shown = {one.path: one for one in _whole(fixed, room)}
    left = room - sum(one.tokens for one in shown.values())
    for one in fixed:
        if one.path not in shown:
            shown[one.path] = _part(one, left)
            left -= shown[one.path].tokens
    left += budget - room
    for one in files:
        if one.origin == "nested":
            shown[one.path] = next(_whole([one], left), None) or _part(one, left)
            left -= shown[one.path].tokens
    return [shown[one.path] for one in files]


def _whole(files: Iterable[Instructions], room: int) -> Iterator[Shown]:
    for one in files:
        tokens = estimate_tokens(one.text)
        if tokens <= room:
            room -= tokens
            yield Shown(one.path, one.origin, one.text, tokens)


def _part(one: Instructions, room: int) -> Shown:
    """The first lines of a file, as many as there is room for."""
    lines = one.text.split("\n")
    taken, tokens = 0, 0
    for line in lines:
        tokens += estimate_tokens(f"{line}\n")
        if tokens > room:
            break
        taken += 1
    text = "\n".join(lines[:taken])
    if room < LEAST or not text.strip():
        return Shown(one.path, one.origin, "", 0, ONLY_NAMED)
    note = MORE.format(shown=taken, lines=len(lines))
    return Shown(one.path, one.origin, text, estimate_tokens(text), note)


def section(shown: Sequence[Shown]) -> str:
    """What the system text says of these files; "" for none."""
    return "\n\n".join((PREFACE, *map(_block, shown))) if shown else ""


def _block(one: Shown) -> str:
    note = f' note="{one.note}"' if one.note else ""
    # A file must not be able to end its own block and begin one of another source.
    text = _TAG.sub("&lt;", one.text)
    source = json.dumps(one.path, ensure_ascii=not one.path.isprintable())
    return f'<instructions source={source} of="{one.origin}"{note}>\n{text}\n</instructions>'


def news(before: str, after: str) -> str:
    """What to tell a model that knows one section and not the other; "" for nothing.

    Only the files that changed, each whole or as a diff, whichever is shorter.
    """
    old, new = _blocks(before), _blocks(after)
    told = [_gone(path) for path in old if path not in new]
    for path, block in new.items():
        if path not in old:
            told.append(_come(path, block))
        elif old[path] != block:
            told.append(_changed(path, old[path], block))
    return "\n\n".join(told)


def _blocks(text: str) -> dict[str, str]:
    return {json.loads(found["path"]): found[0] for found in _BLOCK.finditer(text)}


def _gone(path: str) -> str:
    return f"The instructions in {path} do not hold any more."


def _come(path: str, block: str) -> str:
    folder = path.rpartition("/")[0] or "/"
    if 'of="nested"' in block.partition("\n")[0]:
        return f"{folder} has instructions of its own, for what you do there:\n{block}"
    return f"There are new instructions:\n{block}"


def _changed(path: str, before: str, after: str) -> str:
    whole = f"The instructions in {path} have changed. They read now:\n{after}"
    if any(len(line) > LONGEST_LINE for line in (*before.split("\n"), *after.split("\n"))):
        return whole  # a diff would cut it
    found = diff(f"{before}\n".encode(), f"{after}\n".encode(), path, lines=len(whole))
    by_diff = f"The instructions in {path} have changed:\n{found.text}"
    return min(by_diff, whole, key=len)
