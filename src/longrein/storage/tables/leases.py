"""Who may write which thread. The clock is SQLite's, so that all processes on a file share it."""

from longrein.core.errors import LeaseLost, NotFound
from longrein.storage.base import Lease
from longrein.storage.tables.database import Database

_NOW = "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)"

_ALIVE = f"SELECT 1 FROM owners WHERE id = ? AND alive_until > {_NOW}"


def beat(db: Database, owner: str, seconds: float) -> None:
    db.execute(
        f"INSERT OR REPLACE INTO owners VALUES (?, {_NOW} + ?)", (owner, round(seconds * 1000))
    )


def take(db: Database, thread: str, owner: str) -> Lease | None:
    row = db.execute(
        "SELECT key, owner, epoch, rewrites FROM threads WHERE id = ? AND kept IS NULL", (thread,)
    ).fetchone()
    if row is None:
        raise NotFound(f"There is no thread {thread}.")
    key, holder, epoch, rewrites = row
    if not _alive(db, owner):
        raise LeaseLost(f"{owner} did not say in time that it lives; it must before it writes.")
    if holder not in (None, owner) and _alive(db, holder):
        return None
    db.execute("UPDATE threads SET owner = ?, epoch = ? WHERE key = ?", (owner, epoch + 1, key))
    db.tips.pop(thread, None)
    return Lease(thread, owner, epoch + 1, rewrites)


def _alive(db: Database, owner: str) -> bool:
    return db.execute(_ALIVE, (owner,)).fetchone() is not None


def release(db: Database, lease: Lease) -> None:
    db.execute(
        "UPDATE threads SET owner = NULL WHERE id = ? AND owner = ? AND epoch = ?",
        (lease.thread, lease.owner, lease.epoch),
    )
    db.tips.pop(lease.thread, None)


def owner(db: Database, thread: str) -> str | None:
    row = db.execute(
        f"""SELECT owners.id FROM threads JOIN owners ON owners.id = threads.owner
        WHERE threads.id = ? AND threads.kept IS NULL AND owners.alive_until > {_NOW}""",
        (thread,),
    ).fetchone()
    return None if row is None else row[0]


def retire(db: Database, owner: str) -> None:
    db.execute("UPDATE threads SET owner = NULL WHERE owner = ?", (owner,))
    db.execute(f"DELETE FROM owners WHERE id = ? OR alive_until <= {_NOW}", (owner,))
    db.tips.clear()
