"""What a rewind of files would do. Pure.

What a path was at a point is the `before` of the first change since. What somebody else changed
before we did stays; what they changed after we did is not overwritten unless that is asked for.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Literal, TypeAlias

from msgspec import Struct

from longrein.workspace.checkpoints.places import Found
from longrein.workspace.checkpoints.values import (
    ABSENT,
    FOLDER,
    LeftOut,
    Listed,
    Row,
    Version,
    shown,
)

Action: TypeAlias = Literal["write", "remove", "mode"]

Doubt: TypeAlias = Literal["changed", "between", "cut off"]
"""Why a file may hold somebody else's work: it is not what we left; it was not what we left when
we changed it again; or it changed under a call that was cut off, or a job in the background, and
nobody knows whether that is all that changed it."""


class Step(Struct, frozen=True):
    """One path that a rewind changes, from what it is now."""

    path: str
    action: Action
    raw: bytes
    now: Version
    target: Version


class Foreign(Struct, frozen=True):
    """A file that holds, or may hold, somebody else's work, and is left as it is."""

    path: str
    why: Doubt


class RestorePlan(Struct, frozen=True):
    """What a rewind of files to just before event `since` would do.

    `foreign` is left alone; plan again with these paths in `overwrite` to have them changed too.
    `lost` are changes that cannot be undone.
    """

    since: int
    steps: tuple[Step, ...] = ()
    foreign: tuple[Foreign, ...] = ()
    lost: tuple[LeftOut, ...] = ()


class Wanted(Struct, frozen=True):
    """What a path was at a point, what we last left there, and whether that can be relied on."""

    target: Version
    last: Version
    doubt: Doubt | None = None


def wanted(rows: Iterable[Row]) -> dict[bytes, Wanted]:
    """What each path was before the first of our own changes among these."""
    found: dict[bytes, Wanted] = {}
    for row in rows:
        if row.after is None:  # begun, and nothing has come of it
            continue
        known = found.get(row.path)
        if known is not None:
            doubt = known.doubt or _doubt(row)
            if row.before != known.last:  # one who is not below us has changed it
                doubt = doubt or "between"
            found[row.path] = Wanted(known.target, row.after, doubt)
        elif row.origin != "foreign":
            found[row.path] = Wanted(row.before, row.after, _doubt(row))
    return found


def _doubt(row: Row) -> Doubt | None:
    if row.origin == "foreign":
        return "between"
    return None if row.sure else "cut off"


def judge(
    path: bytes, want: Wanted, now: Found, *, overwrite: bool
) -> Step | Foreign | LeftOut | None:
    """What becomes of one path; None for nothing."""
    target, here = want.target, now.version
    no_file = {here.kind, target.kind} <= {"absent", "folder"}
    if here == target or now.is_still(target) or (no_file and here != want.last):
        return None
    if target.kind == "unkept" or here.kind == "unkept":
        version = target if target.kind == "unkept" else here
        return LeftOut(shown(path), version.why())
    doubt = want.doubt if now.is_still(want.last) else "changed"
    if doubt is not None and not overwrite and not no_file:  # an empty folder is nobody's work
        return Foreign(shown(path), doubt)
    return Step(shown(path), _action(here, target), path, here, target)


def make_plan(
    since: int,
    wants: Mapping[bytes, Wanted],
    found: Mapping[bytes, Found],
    overwrite: Collection[str],
    elsewhere: Collection[str] = (),
) -> RestorePlan:
    """All of it together; of what is kept `elsewhere` nothing is known here."""
    judged = [
        judge(path, want, found[path], overwrite=shown(path) in overwrite)
        for path, want in sorted(wants.items())
    ]
    return RestorePlan(
        since,
        tuple(one for one in judged if isinstance(one, Step)),
        tuple(one for one in judged if isinstance(one, Foreign)),
        (
            *(one for one in judged if isinstance(one, LeftOut)),
            *(LeftOut(path, "elsewhere") for path in elsewhere),
        ),
    )


def kept_elsewhere(since: int, rows: Iterable[Row], listed: Iterable[Listed]) -> list[str]:
    """Files that a thread changed since an event, by what it knows, and no such change is here.

    A fork does not have the changes of the thread that it was made from, a thread that was
    imported none at all.
    """
    here: dict[str, int] = {}
    for row in rows:
        here.setdefault(shown(row.path), row.seq)
    return [
        one.path
        for one in listed
        if one.last >= since
        and here.get(one.path, one.last + 1) > (one.first if one.first >= since else one.last)
    ]


def needs_removing(step: Step) -> bool:
    """Whether what is there has to go first: a rename puts no file in the place of a folder."""
    if step.now == ABSENT:
        return False
    return step.target == ABSENT or (step.now == FOLDER) != (step.target == FOLDER)


def _action(here: Version, target: Version) -> Action:
    if target == ABSENT:
        return "remove"
    return "mode" if (here.kind, here.digest) == (target.kind, target.digest) else "write"
