"""The index of threads: create, list, delete, and which one is current."""

from typing import Any, NamedTuple

from msgspec.json import Decoder, Encoder

from longrein.core.errors import NotFound, UsageError
from longrein.core.usage import Spent
from longrein.storage.base import Facts, ThreadRow
from longrein.storage.tables import index
from longrein.storage.tables.blobs import drop_references
from longrein.storage.tables.database import Database
from longrein.storage.tables.schema import LAST_SEQ, spot

_ROW = """SELECT t.id, t.resource, t.title, t.status, t.created, t.updated,
    coalesce(p.id, ''), t.fork_at, t.tags, t.spent, t.rewrites, t.under, t.agent, t.call
    FROM threads t LEFT JOIN threads p ON p.key = t.parent"""

_LINE = """WITH RECURSIVE line (key, parent, after, upto) AS (
        SELECT key, parent, fork_at, ?2 FROM threads WHERE id = ?1 AND kept IS NULL
        UNION ALL
        SELECT t.key, t.parent, t.fork_at, min(line.after, line.upto)
        FROM line JOIN threads t ON t.key = line.parent)
    SELECT key, after, upto FROM line WHERE after <= upto"""


_json = Encoder()
_tags = Decoder(tuple[str, ...])
_spent = Decoder(Spent)


class Stretch(NamedTuple):
    """A part of what a thread reads: the events of one log after a position and up to another."""

    key: int
    after: int
    upto: int


def line(db: Database, thread: str) -> list[Stretch]:
    """What a thread reads: its own events first, then those of its parents."""
    found = [Stretch(*row) for row in db.execute(_LINE, (thread, LAST_SEQ))]
    if not found:
        raise NotFound(f"There is no thread {thread}.")
    return found


def key_of(db: Database, thread: str) -> int:
    row = db.execute("SELECT key FROM threads WHERE id = ? AND kept IS NULL", (thread,)).fetchone()
    if row is None:
        raise NotFound(f"There is no thread {thread}.")
    return row[0]


def head(db: Database, key: int) -> int:
    row = db.execute(
        """SELECT coalesce(
            (SELECT max(spot) FROM events WHERE spot > ?1 AND spot <= ?2) & ?3,
            (SELECT fork_at FROM threads WHERE key = ?4))""",
        (spot(key, 0), spot(key, LAST_SEQ), LAST_SEQ, key),
    ).fetchone()
    return row[0]


def create(db: Database, row: ThreadRow) -> None:
    _insert(db, row)


def _insert(db: Database, row: ThreadRow) -> int:
    if db.execute("SELECT 1 FROM threads WHERE id = ?", (row.id,)).fetchone():
        raise UsageError(f"There is a thread {row.id} already.")
    parent = key_of(db, row.parent) if row.parent else None
    if row.under:
        key_of(db, row.under)
    if row.fork_at > (0 if parent is None else head(db, parent)):
        raise UsageError(f"Thread {row.parent or row.id} has no event {row.fork_at} to fork at.")
    cursor = db.execute(
        """INSERT INTO threads
        (id, resource, title, status, created, updated, parent, fork_at, tags, spent, rewrites,
         under, agent, call)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
        (row.id, row.resource, row.title, row.status, row.created, row.updated, parent,
         row.fork_at, _text(row.tags), _text(row.spent), row.rewrites,
         row.under, row.agent, row.call),
    )  # fmt: skip
    assert cursor.lastrowid is not None
    return cursor.lastrowid


def _text(value: object) -> str:
    return _json.encode(value).decode()


def state(db: Database, key: int, facts: Facts) -> None:
    """Have the row of a thread say these facts."""
    db.execute(
        "UPDATE threads SET title = ?, status = ?, updated = ?, tags = ?, spent = ? WHERE key = ?",
        (facts.title, facts.status, facts.updated, _text(facts.tags), _text(facts.spent), key),
    )


def thread(db: Database, id: str) -> ThreadRow | None:
    row = db.execute(f"{_ROW} WHERE t.id = ? AND t.kept IS NULL", (id,)).fetchone()
    return None if row is None else _row(row)


def _row(columns: tuple[Any, ...]) -> ThreadRow:
    *plain, tags, spent, rewrites, under, agent, call = columns
    read = {"tags": _tags.decode(tags), "spent": _spent.decode(spent), "rewrites": rewrites}
    return ThreadRow(*plain, **read, under=under, agent=agent, call=call)


def threads(
    db: Database,
    resource: str,
    before: tuple[int, str] | None,
    limit: int,
    tag: str,
    status: str,
    under: str | None,
) -> list[ThreadRow]:
    where, values = "t.resource = ? AND t.kept IS NULL", [resource]
    if under:
        where, values = f"{where} AND t.under > '' AND t.under = ?", [resource, under]
    elif under is not None:
        where += " AND t.under = ''"
    if before:
        where, values = f"{where} AND (t.updated, t.id) < (?, ?)", [*values, *before]
    if tag:
        where += " AND EXISTS (SELECT 1 FROM json_each(t.tags) WHERE value = ?)"
        values.append(tag)
    if status:
        where += " AND t.status = ?"
        values.append(status)
    rows = db.execute(
        f"{_ROW} WHERE {where} ORDER BY t.updated DESC, t.id DESC LIMIT ?", (*values, limit)
    )
    return [_row(row) for row in rows]


def idle_since(db: Database, resource: str, updated_before: int, limit: int) -> list[ThreadRow]:
    rows = db.execute(
        f"""{_ROW} WHERE t.resource = ? AND t.kept IS NULL AND t.under = '' AND t.updated < ?
        ORDER BY t.updated, t.id LIMIT ?""",
        (resource, updated_before, limit),
    )
    return [_row(row) for row in rows]


def resources(db: Database) -> list[str]:
    rows = db.execute("SELECT DISTINCT resource FROM threads WHERE kept IS NULL ORDER BY resource")
    return [resource for (resource,) in rows]


def spent(db: Database, resource: str) -> Spent:
    rows = db.execute(
        """SELECT spent FROM threads WHERE resource = ?1 AND kept IS NULL
        UNION ALL SELECT spent FROM resources WHERE name = ?1""",
        (resource,),
    )
    return sum((_spent.decode(text) for (text,) in rows), Spent())


def delete(db: Database, thread: str) -> bool:
    """Hide a thread and remove what no fork reads of it, its children first."""
    try:
        key = key_of(db, thread)
    except NotFound:
        return False
    children = db.execute(
        "SELECT id FROM threads WHERE under = ? AND under > '' AND kept IS NULL", (thread,)
    ).fetchall()
    for (child,) in children:
        delete(db, child)
    db.tips.pop(thread, None)
    _keep_spent(db, key)
    db.execute("UPDATE threads SET kept = ?, owner = NULL WHERE key = ?", (LAST_SEQ, key))
    db.execute("DELETE FROM inbox WHERE thread = ?", (key,))
    db.execute("DELETE FROM current WHERE thread = ?", (key,))
    _trim(db, key)
    return True


def _keep_spent(db: Database, key: int) -> None:
    """Add what a thread used to what its resource did in threads that are gone."""
    resource, text = db.execute(
        "SELECT resource, spent FROM threads WHERE key = ?", (key,)
    ).fetchone()
    own = _spent.decode(text)
    if own == Spent():
        return
    at = index.resource_key(db, resource)
    (before,) = db.execute("SELECT spent FROM resources WHERE key = ?", (at,)).fetchone()
    both = _text(_spent.decode(before) + own)
    db.execute("UPDATE resources SET spent = ? WHERE key = ?", (both, at))


def _trim(db: Database, key: int | None) -> None:
    """Remove what nobody reads of a deleted thread and then, if deleted, of its parents."""
    while key is not None:
        parent, kept = db.execute(
            "SELECT parent, kept FROM threads WHERE key = ?", (key,)
        ).fetchone()
        if kept is None:
            return
        read: int | None = db.execute(
            "SELECT max(min(fork_at, coalesce(kept, fork_at))) FROM threads WHERE parent = ?",
            (key,),
        ).fetchone()[0]
        _cut(db, key, after=-1 if read is None else read)
        if read is None:
            db.execute("DELETE FROM threads WHERE key = ?", (key,))
        else:
            db.execute("UPDATE threads SET kept = ? WHERE key = ?", (read, key))
        key = parent


def _cut(db: Database, key: int, after: int) -> None:
    stretch = (spot(key, after), spot(key, LAST_SEQ))
    db.execute("DELETE FROM events WHERE spot > ? AND spot <= ?", stretch)
    db.execute("DELETE FROM snapshots WHERE spot > ? AND spot <= ?", stretch)
    drop_references(db, *stretch)
    index.forget_after(db, key, after)


def current(db: Database, resource: str, scope: str) -> str | None:
    row = db.execute(
        """SELECT t.id FROM current c JOIN threads t ON t.key = c.thread
        WHERE c.resource = ? AND c.scope = ? AND t.kept IS NULL""",
        (resource, scope),
    ).fetchone()
    return None if row is None else row[0]


def set_current(db: Database, resource: str, scope: str, thread: str) -> None:
    _set_current(db, resource, scope, key_of(db, thread))


def _set_current(db: Database, resource: str, scope: str, key: int) -> None:
    db.execute("INSERT OR REPLACE INTO current VALUES (?, ?, ?)", (resource, scope, key))


def claim_current(db: Database, resource: str, scope: str, row: ThreadRow) -> str:
    found = current(db, resource, scope)
    if found is not None:
        return found
    _set_current(db, resource, scope, _insert(db, row))
    return row.id
