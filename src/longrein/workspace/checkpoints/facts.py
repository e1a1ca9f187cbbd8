"""The files that a thread and its runs changed, as a slice: to be shown without opening anything.

What is written down is what became of each file all in all, over the run and over the thread, so
folding it is putting the newest in the place of what was known.
"""

from collections.abc import Iterable

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from longrein.core.events import Event, Recorded
from longrein.core.slices import Slice
from longrein.workspace.checkpoints.values import FileChange

KIND = "files_changed"
MOST_NOTED = 200
MOST_IN_THREAD = 500
MOST_RUNS = 20


class Noted(Struct, frozen=True, omit_defaults=True):
    """A file that changed: all in all over the run and the thread. None: it is as it was."""

    path: str
    run: FileChange | None = None
    thread: FileChange | None = None


class Facts(Struct, frozen=True, omit_defaults=True):
    """What is written down after a change. `run` is "" for a rewind, which belongs to none.

    `more`: how many files changed beside these.
    """

    files: tuple[Noted, ...]
    run: str = ""
    more: int = 0


class ChangedFiles(Struct, frozen=True):
    """The files that a thread changed, and those that each of its last runs did, by path.

    `more` counts those that were too many to be listed.
    """

    files: tuple[FileChange, ...] = ()
    runs: dict[str, tuple[FileChange, ...]] = {}
    more: int = 0


def fold(known: ChangedFiles, event: Event) -> ChangedFiles:
    """What is known after an event. A fact that cannot be read changes nothing."""
    if not isinstance(event, Recorded) or event.kind != KIND:
        return known
    try:
        facts = msgspec.convert(event.data, Facts)
    except msgspec.ValidationError:
        return known
    files = _merged(known.files, ((one.path, one.thread) for one in facts.files))
    runs = dict(known.runs)
    if facts.run:
        before = runs.pop(facts.run, ())
        inside = _merged(before, ((one.path, one.run) for one in facts.files))
        runs[facts.run] = inside[:MOST_IN_THREAD]
    over = max(len(files) - MOST_IN_THREAD, 0)
    return replace(
        known,
        files=files[:MOST_IN_THREAD],
        runs=dict(list(runs.items())[-MOST_RUNS:]),
        more=known.more + facts.more + over,
    )


def _merged(
    known: tuple[FileChange, ...], newer: Iterable[tuple[str, FileChange | None]]
) -> tuple[FileChange, ...]:
    by_path: dict[str, FileChange | None] = {one.path: one for one in known}
    by_path.update(newer)
    return tuple(one for _, one in sorted(by_path.items()) if one is not None)


def newest(seq: int, event: Event) -> int:
    """The number of the newest change; what a rewind does to files is none."""
    if not isinstance(event, Recorded) or event.kind != KIND:
        return seq
    try:
        facts = msgspec.convert(event.data, Facts)
    except msgspec.ValidationError:
        return seq
    return event.seq if facts.run else seq


CHANGED_AT: Slice[int] = Slice("files_changed_at", int, 0, newest, rewinds="files")
"""The event after which no file was changed: by this a rewind knows whether files lie behind it."""

CHANGED: Slice[ChangedFiles] = Slice("changed_files", ChangedFiles, ChangedFiles(), fold)
"""What a thread changed: `session.read(CHANGED)`, or `ctx.read(CHANGED)` in a tool or a hook.

>>> from longrein import CHANGED
>>> CHANGED.initial.files
()
"""
