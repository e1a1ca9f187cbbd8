"""The table of changes: what each path of a thread was before and after, in order."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

import msgspec
from msgspec.structs import replace

from longrein.storage.tables.database import Database
from longrein.workspace.checkpoints.objects import refer
from longrein.workspace.checkpoints.values import (
    ABSENT,
    Origin,
    Row,
    Standing,
    Version,
    When,
    Whose,
)

_COLUMNS = "id, seq, run, call, origin, path, before, after, sure, thread, above"
_encode = msgspec.msgpack.Encoder().encode
_version = msgspec.msgpack.Decoder(Version).decode
_standings = msgspec.msgpack.Decoder(tuple[Standing, ...]).decode
_OURS = "(thread = ? OR (root = ? AND above IS NOT NULL))"


def begin(
    db: Database, thread: Whose, when: When, origin: Origin, versions: Mapping[bytes, Version]
) -> None:
    """Write down what paths are, before something changes them."""
    for path, before in versions.items():
        _account_for(db, thread, when, path, before)
        _insert(db, thread, when, origin, path, before, None)


def finish(
    db: Database, thread: Whose, when: When, versions: Mapping[bytes, Version]
) -> list[bytes]:
    """Write down what the paths of a call became; gives those that changed.

    A path that the call did not begin with is what it was last known to be: mostly, not there.
    """
    rows = of_call(db, thread, when.call)
    begun = {row.path: row for row in rows if row.after is None or not row.sure}
    changed: list[bytes] = []
    for path, after in versions.items():
        row = begun.get(path)
        if row is None:
            last = newest(db, thread, path)
            before = last.after if last is not None and last.after is not None else ABSENT
            if before != after:
                _insert(db, thread, when, "tool", path, before, after)
                changed.append(path)
        elif row.before == after:
            db.execute("DELETE FROM changes WHERE id = ?", (row.id,))
        else:
            _end(db, thread, row.id, after)
            changed.append(path)
    return changed


def add(
    db: Database,
    thread: Whose,
    when: When,
    path: bytes,
    before: Version,
    after: Version,
    *,
    mark: int,
    sure: bool = True,
) -> bool:
    """Write down a change that a command made since `mark`; False if it is accounted for."""
    last = newest(db, thread, path)
    if last is not None and last.id > mark and last.after is not None:
        # A tool, or another command, was at it while this one ran.
        if last.before != before:
            _doubt_others(db, thread, path, mark, before)
        before = last.after
    else:
        _account_for(db, thread, when, path, before)
    if before == after:
        return False
    _insert(db, thread, when, "command", path, before, after, sure=sure)
    return True


def by_others(db: Database, thread: Whose, when: When, path: bytes, now: Version) -> None:
    """Write down what somebody else made of a path, if the thread was ever at it.

    Of a path that a tool is at just now, its call will tell.
    """
    last = newest(db, thread, path)
    if last is not None and last.after is not None:
        _account_for(db, thread, when, path, now)


def restored(
    db: Database, thread: Whose, when: When, versions: Mapping[bytes, tuple[Version, Version]]
) -> None:
    """Write down what a rewind is about to do."""
    for path, (before, after) in versions.items():
        _account_for(db, thread, when, path, before)
        _insert(db, thread, when, "restore", path, before, after)


def settle(db: Database, thread: Whose, row: Row, now: Version) -> None:
    """End a change that was cut off with what is there: nothing, or nobody knows whose it is."""
    if row.before == now:
        db.execute("DELETE FROM changes WHERE id = ?", (row.id,))
    else:
        _end(db, thread, row.id, now, sure=False)


def remove(db: Database, ids: Iterable[int]) -> None:
    db.connection.executemany("DELETE FROM changes WHERE id = ?", [(id,) for id in ids])


def renumber(db: Database, thread: Whose, mark: int, seq: int) -> None:
    """Have the thread's own changes after a mark belong to another event."""
    db.execute("UPDATE changes SET seq = ? WHERE thread = ? AND id > ?", (seq, thread.key, mark))


def of_others(db: Database, thread: Whose, mark: int) -> dict[bytes, list[Row]]:
    """What tools and rewinds of other trees changed after a mark, and surely they, by path."""
    which = "id > ? AND root <> ? AND origin IN ('tool', 'restore') AND sure ORDER BY id"
    found: dict[bytes, list[Row]] = {}
    for row in _rows(db, which, (mark, thread.root)):
        found.setdefault(row.path, []).append(row)
    return found


def since(db: Database, thread: Whose, seq: int, besides: Collection[str] = ()) -> list[Row]:
    """The changes at or after an event, in order: of the thread, and of those below it but for
    some and all below these. They are numbered as the thread is."""
    return [row for row in _seen(db, thread, besides=besides) if row.seq >= seq]


def after_mark(db: Database, thread: Whose, mark: int) -> list[Row]:
    """The thread's own changes after a mark."""
    return _rows(db, "thread = ? AND id > ? ORDER BY id", (thread.key, mark))


def seen_after(db: Database, thread: Whose, mark: int) -> list[Row]:
    """The changes of the thread and of those below it after a mark."""
    return _seen(db, thread, "id > ?", (mark,))


def of_run(db: Database, thread: Whose, run: str) -> list[Row]:
    """The changes in a run, and of the children that work for it."""
    return [row for row in _seen(db, thread) if row.run == run]


def of_call(db: Database, thread: Whose, call: str) -> list[Row]:
    return _rows(db, "thread = ? AND call = ? ORDER BY id", (thread.key, call))


def of_path(db: Database, thread: Whose, path: bytes) -> list[Row]:
    """The changes of a path by the thread and those below it."""
    return _seen(db, thread, "path = ?", (path,))


def of_child(db: Database, thread: Whose, child: str) -> list[Row]:
    """The changes of a child, and of all below it, numbered as the thread is."""
    every, others = _seen(db, thread), {row.id for row in _seen(db, thread, besides=(child,))}
    return [row for row in every if row.id not in others]


def cut_off(db: Database, thread: Whose) -> list[Row]:
    """The thread's own changes that were begun and not ended."""
    return _rows(db, "thread = ? AND after IS NULL ORDER BY id", (thread.key,))


def cut_off_below(db: Database, thread: Whose, besides: Collection[str]) -> list[Row]:
    """The same, with those of all below it but for some."""
    return _seen(db, thread, "after IS NULL", besides=besides)


def newest(db: Database, thread: Whose, path: bytes) -> Row | None:
    """The newest change of a path in the tree of a thread; one that is under way only if it is the
    thread's own."""
    which = "root = ? AND path = ? AND (after IS NOT NULL OR thread = ?) ORDER BY id DESC LIMIT 1"
    rows = _rows(db, which, (thread.root, path, thread.key))
    return rows[0] if rows else None


def mark(db: Database) -> int:
    """A number that every later change is above."""
    return db.execute("SELECT max(id) FROM changes").fetchone()[0] or 0


def _account_for(db: Database, thread: Whose, when: When, path: bytes, now: Version) -> None:
    """See that a path is what its last change left; else somebody else was at it."""
    last = newest(db, thread, path)
    if last is None or last.after == now:
        return
    if last.after is None:
        settle(db, thread, last, now)
    else:
        _insert(db, thread, when, "foreign", path, last.after, now)


def _doubt_others(db: Database, thread: Whose, path: bytes, mark: int, before: Version) -> None:
    """A command changed a path, and then others of its tree did who took it as it was: what they
    say it was before is not what it was when all of this began."""
    which = "root = ? AND path = ? AND id > ? ORDER BY id LIMIT 1"
    for row in _rows(db, which, (thread.root, path, mark)):
        if row.before != before:
            db.execute("UPDATE changes SET sure = 0 WHERE id = ?", (row.id,))


def _insert(
    db: Database,
    thread: Whose,
    when: When,
    origin: Origin,
    path: bytes,
    before: Version,
    after: Version | None,
    *,
    sure: bool = True,
) -> None:
    db.execute(
        """INSERT INTO changes
        (thread, seq, run, call, origin, path, before, after, sure, root, above)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
        (
            *(thread.key, when.seq, when.run, when.call, origin, path),
            *(_encode(before), None if after is None else _encode(after), sure),
            *(thread.root, standings(thread, when)),
        ),
    )
    for version in (before, after):
        if version is not None:
            _hold(db, thread, version)


def _end(db: Database, thread: Whose, id: int, after: Version, *, sure: bool = True) -> None:
    values = (_encode(after), sure, id)
    db.execute("UPDATE changes SET after = ?, sure = ? WHERE id = ?", values)
    _hold(db, thread, after)


def _hold(db: Database, thread: Whose, version: Version) -> None:
    if version.kind in ("file", "link"):
        refer(db, thread.key, version.digest)


def standings(thread: Whose, when: When) -> bytes | None:
    """Where a child and those above it stood, as rows keep it."""
    if not when.above:
        return None
    return _encode((Standing(thread.thread, when.seq, when.run), *when.above))


def as_seen(thread: Whose, key: int, when: When, above: bytes | None) -> When | None:
    """A moment of a child as a thread above it counts; None: it is not below that thread."""
    if key == thread.key:
        return when
    stood = _standings(above) if above else ()
    found = next((one for one in stood if one.thread == thread.thread), None)
    return When(found.seq, found.run) if found else None


def among(above: bytes | None, threads: Collection[str]) -> bool:
    """Whether a change is one of these threads', or of one below them."""
    if above is None or not threads:
        return False
    return any(one.thread in threads for one in _standings(above))


def _rows(db: Database, which: str, values: tuple[Any, ...]) -> list[Row]:
    return [
        _row(one) for one in db.execute(f"SELECT {_COLUMNS} FROM changes WHERE {which}", values)
    ]


def _seen(
    db: Database,
    thread: Whose,
    which: str = "1",
    values: tuple[Any, ...] = (),
    besides: Collection[str] = (),
) -> list[Row]:
    """Changes of a thread and of those below it, in order, numbered as the thread is."""
    query = f"SELECT {_COLUMNS} FROM changes WHERE {_OURS} AND {which} ORDER BY id"
    rows: list[Row] = []
    for one in db.execute(query, (thread.key, thread.root, *values)):
        row, (key, above) = _row(one), one[-2:]
        seen = as_seen(thread, key, When(row.seq, row.run, row.call), above)
        if seen is not None and not among(above, besides):
            rows.append(replace(row, seq=seen.seq, run=seen.run, call=seen.call))
    return rows


def _row(columns: tuple[Any, ...]) -> Row:
    id, seq, run, call, origin, path, before, after, sure, *_ = columns
    ended = None if after is None else _version(after)
    return Row(id, seq, run, call, origin, path, _version(before), ended, bool(sure))
