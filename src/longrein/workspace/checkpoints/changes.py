"""The table of changes: what each path of a thread was before and after, in order."""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from longrein.storage.tables.database import Database
from longrein.workspace.checkpoints.objects import refer
from longrein.workspace.checkpoints.values import ABSENT, Origin, Row, Version, When

_COLUMNS = "id, seq, run, call, origin, path, before, after, sure"
_encode = msgspec.msgpack.Encoder().encode
_version = msgspec.msgpack.Decoder(Version).decode


def begin(
    db: Database, thread: int, when: When, origin: Origin, versions: Mapping[bytes, Version]
) -> None:
    """Write down what paths are, before something changes them."""
    for path, before in versions.items():
        _account_for(db, thread, when, path, before)
        _insert(db, thread, when, origin, path, before, None)


def finish(db: Database, thread: int, when: When, versions: Mapping[bytes, Version]) -> list[bytes]:
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
    thread: int,
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
        before = last.after
    else:
        _account_for(db, thread, when, path, before)
    if before == after:
        return False
    _insert(db, thread, when, "command", path, before, after, sure=sure)
    return True


def by_others(db: Database, thread: int, when: When, path: bytes, now: Version) -> None:
    """Write down what somebody else made of a path, if the thread was ever at it.

    Of a path that a tool is at just now, its call will tell.
    """
    last = newest(db, thread, path)
    if last is not None and last.after is not None:
        _account_for(db, thread, when, path, now)


def restored(
    db: Database, thread: int, when: When, versions: Mapping[bytes, tuple[Version, Version]]
) -> None:
    """Write down what a rewind is about to do."""
    for path, (before, after) in versions.items():
        _account_for(db, thread, when, path, before)
        _insert(db, thread, when, "restore", path, before, after)


def settle(db: Database, thread: int, row: Row, now: Version) -> None:
    """End a change that was cut off with what is there: nothing, or nobody knows whose it is."""
    if row.before == now:
        db.execute("DELETE FROM changes WHERE id = ?", (row.id,))
    else:
        _end(db, thread, row.id, now, sure=False)


def remove(db: Database, ids: Iterable[int]) -> None:
    db.connection.executemany("DELETE FROM changes WHERE id = ?", [(id,) for id in ids])


def renumber(db: Database, thread: int, mark: int, seq: int) -> None:
    """Have the changes after a mark belong to another event."""
    db.execute("UPDATE changes SET seq = ? WHERE thread = ? AND id > ?", (seq, thread, mark))


def of_others(db: Database, thread: int, mark: int) -> dict[bytes, list[Row]]:
    """What tools and rewinds of other threads changed after a mark, and surely they, by path."""
    which = "id > ? AND thread <> ? AND origin IN ('tool', 'restore') AND sure ORDER BY id"
    found: dict[bytes, list[Row]] = {}
    for row in _rows(db, which, (mark, thread)):
        found.setdefault(row.path, []).append(row)
    return found


def since(db: Database, thread: int, seq: int) -> list[Row]:
    """The changes at or after an event, in order."""
    return _rows(db, "thread = ? AND seq >= ? ORDER BY id", (thread, seq))


def after_mark(db: Database, thread: int, mark: int) -> list[Row]:
    return _rows(db, "thread = ? AND id > ? ORDER BY id", (thread, mark))


def of_run(db: Database, thread: int, run: str) -> list[Row]:
    return _rows(db, "thread = ? AND run = ? ORDER BY id", (thread, run))


def of_call(db: Database, thread: int, call: str) -> list[Row]:
    return _rows(db, "thread = ? AND call = ? ORDER BY id", (thread, call))


def of_path(db: Database, thread: int, path: bytes) -> list[Row]:
    return _rows(db, "thread = ? AND path = ? ORDER BY id", (thread, path))


def cut_off(db: Database, thread: int) -> list[Row]:
    """Changes that were begun and not ended."""
    return _rows(db, "thread = ? AND after IS NULL ORDER BY id", (thread,))


def newest(db: Database, thread: int, path: bytes) -> Row | None:
    rows = _rows(db, "thread = ? AND path = ? ORDER BY id DESC LIMIT 1", (thread, path))
    return rows[0] if rows else None


def mark(db: Database) -> int:
    """A number that every later change is above."""
    return db.execute("SELECT max(id) FROM changes").fetchone()[0] or 0


def _account_for(db: Database, thread: int, when: When, path: bytes, now: Version) -> None:
    """See that a path is what its last change left; else somebody else was at it."""
    last = newest(db, thread, path)
    if last is None or last.after == now:
        return
    if last.after is None:
        settle(db, thread, last, now)
    else:
        _insert(db, thread, when, "foreign", path, last.after, now)


def _insert(
    db: Database,
    thread: int,
    when: When,
    origin: Origin,
    path: bytes,
    before: Version,
    after: Version | None,
    *,
    sure: bool = True,
) -> None:
    db.execute(
        """INSERT INTO changes (thread, seq, run, call, origin, path, before, after, sure)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)""",
        (
            *(thread, when.seq, when.run, when.call, origin, path),
            *(_encode(before), None if after is None else _encode(after), sure),
        ),
    )
    for version in (before, after):
        if version is not None:
            _hold(db, thread, version)


def _end(db: Database, thread: int, id: int, after: Version, *, sure: bool = True) -> None:
    values = (_encode(after), sure, id)
    db.execute("UPDATE changes SET after = ?, sure = ? WHERE id = ?", values)
    _hold(db, thread, after)


def _hold(db: Database, thread: int, version: Version) -> None:
    if version.kind in ("file", "link"):
        refer(db, thread, version.digest)


def _rows(db: Database, which: str, values: tuple[Any, ...]) -> list[Row]:
    found = db.execute(f"SELECT {_COLUMNS} FROM changes WHERE {which}", values)
    return [
        Row(
            *(id, seq, run, call, origin, path),
            *(_version(before), None if after is None else _version(after), bool(sure)),
        )
        for id, seq, run, call, origin, path, before, after, sure in found
    ]
