"""What the model knows of files: the revision of each that it last read or wrote."""

from typing import TypeAlias

from msgspec import Struct

from longrein.core.events import Event, Rewound
from longrein.core.slices import Slice, read_fact
from longrein.workspace.paths import is_below

KIND = "files_seen"
MOST = 1_000
"""Paths that are remembered: those that were seen last."""


class Known(Struct, frozen=True, array_like=True):
    """A revision, and the event since which the model knows it."""

    revision: str
    seq: int


Knowledge: TypeAlias = dict[str, Known]


class Saw(Struct, frozen=True, tag="saw"):
    """The model read this revision of a file, or wrote it."""

    path: str
    revision: str


class Lost(Struct, frozen=True, tag="lost"):
    """A file, or a folder with all that was in it, is gone."""

    path: str


class Moved(Struct, frozen=True, tag="moved"):
    """A file, or a folder with all that is in it, has another path."""

    source: str
    target: str


Fact: TypeAlias = Saw | Lost | Moved


def fold(seen: Knowledge, event: Event) -> Knowledge:
    """What is known after an event. A fact that cannot be read changes nothing.

    When the conversation is rewound the model forgets what it saw since.
    """
    if isinstance(event, Rewound) and event.conversation:
        return {path: known for path, known in seen.items() if known.seq < event.before}
    fact: Fact | None = read_fact(event, KIND, Fact)
    match fact:
        case None:
            return seen
        case Saw(path=path, revision=revision):
            # What was seen last stands last.
            others = [(one, known) for one, known in seen.items() if one != path]
            return dict([*others, (path, Known(revision, event.seq))][-MOST:])
        case Lost(path=path):
            return {one: known for one, known in seen.items() if not is_below(one, path)}
        case Moved(source=source, target=target):
            left = {one: known for one, known in seen.items() if not is_below(one, target)}
            return {
                target + one[len(source) :] if is_below(one, source) else one: known
                for one, known in left.items()
            }


SEEN: Slice[Knowledge] = Slice(KIND, dict[str, Known], {}, fold)
"""What the model knows, by path; the newest last."""
