"""Commands that other processes sent to the owner of a thread, and their answers."""

from longrein.storage.base import Posted
from longrein.storage.tables.database import Database
from longrein.storage.tables.threads import key_of

_POSTED = """SELECT i.id, t.id, i.data, i.answer FROM inbox i JOIN threads t ON t.key = i.thread
    WHERE t.id = ? AND t.kept IS NULL"""


def post(db: Database, command: Posted) -> Posted:
    found = posted(db, command.thread, command.id)
    if found is not None:
        return found
    db.execute(
        "INSERT INTO inbox (thread, id, data, answer) VALUES (?, ?, ?, ?)",
        (key_of(db, command.thread), command.id, command.data, command.answer),
    )
    return command


def posted(db: Database, thread: str, id: str) -> Posted | None:
    row = db.execute(f"{_POSTED} AND i.id = ?", (thread, id)).fetchone()
    return None if row is None else Posted(*row)


def pending(db: Database, thread: str) -> list[Posted]:
    rows = db.execute(f"{_POSTED} AND i.answer IS NULL ORDER BY i.place", (thread,))
    return [Posted(*row) for row in rows]


def inboxes(db: Database, owner: str) -> list[str]:
    # Begins with what is pending, of which there is little; an owner may have many threads.
    rows = db.execute(
        """SELECT DISTINCT t.id FROM inbox i INDEXED BY inbox_pending
        CROSS JOIN threads t ON t.key = i.thread WHERE i.answer IS NULL AND t.owner = ?""",
        (owner,),
    )
    return [id for (id,) in rows]


def answer(db: Database, thread: str, id: str, answer: bytes) -> None:
    settle(db, key_of(db, thread), id, answer)


def settle(db: Database, key: int, id: str, answer: bytes) -> None:
    """Answer a command. The first answer stays."""
    db.execute(
        "UPDATE inbox SET answer = ?, data = x'' WHERE thread = ? AND id = ? AND answer IS NULL",
        (answer, key, id),
    )
