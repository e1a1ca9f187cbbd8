"""The files that a thread and its runs changed, as a slice: to be shown without opening anything.

What is written down is what became of each file all in all, over the run and over the thread, so
folding it is putting the newest in the place of what was known.
"""

from collections.abc import Iterable, Mapping
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from longrein.core.events import Event, Rewound
from longrein.core.slices import Slice, read_fact
from longrein.workspace.checkpoints.values import FileChange, Listed

C = TypeVar("C", bound=FileChange)

KIND = "files_changed"
MOST_NOTED = 200
MOST_IN_THREAD = 500
MOST_RUNS = 20


class Noted(Struct, frozen=True, omit_defaults=True):
    """A file that changed: all in all over the run and the thread. None: it is as it was.

    `first` and `last` are the events at which it was changed, where that was before: by a child,
    which is told of at its end.
    """

    path: str
    run: FileChange | None = None
    thread: FileChange | None = None
    first: int = 0
    last: int = 0


class Facts(Struct, frozen=True, omit_defaults=True):
    """What is written down after a change. `run` is "" for a rewind, which belongs to none.

    `more`: how many files changed beside these; of a rewind, how many are changed still that are
    listed nowhere.
    """

    files: tuple[Noted, ...]
    run: str = ""
    more: int = 0


class ChangedFiles(Struct, frozen=True):
    """The files that a thread changed, and those that each of its last runs did, by path.

    `more`: at least so many were too many to be listed. `rewound` is the number of the last rewind
    of files.
    """

    files: tuple[Listed, ...] = ()
    runs: dict[str, tuple[FileChange, ...]] = {}
    more: int = 0
    rewound: int = 0


def fold(known: ChangedFiles, event: Event) -> ChangedFiles:
    """What is known after an event. A fact that cannot be read changes nothing."""
    if isinstance(event, Rewound) and event.files:
        return replace(known, rewound=event.since)
    facts = read_fact(event, KIND, Facts)
    if facts is None:
        return known
    before = {one.path: one for one in known.files}
    files = _merged(known.files, (_listed(before, one, event.seq) for one in facts.files))
    runs = dict(known.runs)
    if facts.run:
        inside = _merged(runs.pop(facts.run, ()), ((one.path, one.run) for one in facts.files))
        runs[facts.run] = inside[:MOST_IN_THREAD]
    over = max(len(files) - MOST_IN_THREAD, 0)
    return replace(
        known,
        files=files[:MOST_IN_THREAD],
        runs=dict(list(runs.items())[-MOST_RUNS:]),
        # The same files may be changed again and again: these numbers do not add up.
        more=max(known.more, facts.more, over) if facts.run else facts.more + over,
    )


def _listed(known: Mapping[str, Listed], noted: Noted, seq: int) -> tuple[str, Listed | None]:
    if (one := noted.thread) is None:
        return noted.path, None
    before = known.get(noted.path)
    fields = (one.path, one.status, one.added, one.removed, one.before, one.after, one.denied)
    first, last = noted.first or seq, noted.last or seq
    if before is not None:
        first, last = min(first, before.first), max(last, before.last)
    return noted.path, Listed(*fields, first=first, last=last)


def _merged(known: tuple[C, ...], newer: Iterable[tuple[str, C | None]]) -> tuple[C, ...]:
    by_path: dict[str, C | None] = {one.path: one for one in known}
    by_path.update(newer)
    return tuple(one for _, one in sorted(by_path.items()) if one is not None)


def newest(seq: int, event: Event) -> int:
    """The number of the newest change; what a rewind does to files is none."""
    facts = read_fact(event, KIND, Facts)
    if facts is None or not facts.run:
        return seq
    return max(seq, *(one.last or event.seq for one in facts.files), 0)


CHANGED_AT: Slice[int] = Slice("files_changed_at", int, 0, newest, rewinds="files")
"""The event after which no file was changed: by this a rewind knows whether files lie behind it."""

CHANGED: Slice[ChangedFiles] = Slice("changed_files", ChangedFiles, ChangedFiles(), fold)
"""What a thread changed: `session.read(CHANGED)`, or `ctx.read(CHANGED)` in a tool or a hook.

>>> from longrein import CHANGED
>>> CHANGED.initial.files
()
"""
