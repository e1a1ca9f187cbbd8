"""What was deleted or rewritten is in no file of the SQLite store any more."""

import random
import signal
import sqlite3
from pathlib import Path

from longrein.storage.base import Append, Facts, Posted, Snapshot
from longrein.storage.sqlite import SqliteStore
from longrein.testing.store_cases.setting import lease_on, written
from tests.storage.processes import finish, start
from tests.support import run

SECRET = b"PlantedSecretWord"


def _left(path: Path, secret: bytes = SECRET) -> int:
    """How often a secret is in the files, in whatever case.

    An index may keep the beginning of a word apart from the rest.
    """
    files = (path, Path(f"{path}-wal"))
    data = b"".join(file.read_bytes() for file in files if file.exists())
    return data.lower().count(secret.lower()[4:])


def _checkpoint(path: Path) -> None:
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0] == 0
    connection.close()


async def _planted(path: Path, timeout: float = 5) -> SqliteStore:
    """A store in which thread `thr_2` has the secret everywhere, between threads without it."""
    store = SqliteStore(path, "NORMAL", timeout)
    for number in range(5):
        lease = await written(store, f"thr_{number}")
        word = SECRET if number == 2 else b"something"
        for after in range(30):
            size = (after * 37) % 900
            await store.append(Append(lease, after, [b"%d %s " % (after, word) + b"x" * size]))
        facts = Facts(word.decode(), "idle", 1, (word.decode(),))
        await store.append(Append(lease, 30, [word * 10_000, b"the last"], facts))
        await store.save_snapshot(lease.thread, Snapshot(32, "v", word * 5_000, 1))
        blob = await store.put_blob(word * 7_000)
        await store.append(Append(lease, 32, [blob.encode()], blobs=[blob]))
        await store.post(Posted("cmd_1", lease.thread, word))
    assert len(await store.search("res", "plantedsecret", bytes.decode)) == 1
    assert _left(path)
    return store


def test_a_deleted_thread_is_gone_from_the_files(tmp_path: Path) -> None:
    path = tmp_path / "test.db"

    async def check() -> None:
        store = await _planted(path)
        await store.delete("thr_2")
        assert _left(path) == 0
        assert len(await store.search("res", "something", bytes.decode)) == 4
        await store.close()

    run(check())
    assert _left(path) == 0


def test_rewritten_events_are_gone_from_the_files(tmp_path: Path) -> None:
    path = tmp_path / "test.db"

    async def check() -> None:
        store = await _planted(path)
        lease = await lease_on(store, "thr_2")
        await store.answer("thr_2", "cmd_1", b"")
        await store.append(Append(lease, 33, [b"erased"], Facts("", "idle", 2)))
        await store.rewrite(lease, dict.fromkeys(range(1, 34), b"erased"))
        assert _left(path) == 0
        hits = await store.search("res", "erased", bytes.decode)
        assert [(hit.row.id, hit.seq) for hit in hits] == [("thr_2", 34)]
        assert _left(path) == 0
        await store.close()

    run(check())


def test_one_rewritten_event_is_gone_and_the_others_are_there(tmp_path: Path) -> None:
    path = tmp_path / "test.db"

    async def check() -> None:
        store = SqliteStore(path)
        lease = await written(store, "thr_1", b"before", SECRET, b"after")
        assert len(await store.search("res", "planted", bytes.decode)) == 1
        await store.rewrite(lease, {2: b"erased"})
        assert _left(path) == 0
        assert [event.data for event in await store.read("thr_1")] == [
            b"before",
            b"erased",
            b"after",
        ]
        await store.close()

    run(check())


def test_what_a_reader_still_sees_goes_with_the_next_checkpoint(tmp_path: Path) -> None:
    path = tmp_path / "test.db"

    async def check() -> None:
        store = await _planted(path, timeout=300)
        reader = sqlite3.connect(path, isolation_level=None)
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM events").fetchone()
        assert await store.delete("thr_2")
        assert _left(path)
        reader.close()
        _checkpoint(path)
        assert _left(path) == 0
        await store.close()

    run(check())


def test_words_left_by_a_deletion_that_was_killed_go_with_the_next_search(tmp_path: Path) -> None:
    path = tmp_path / "test.db"

    async def plant() -> None:
        store = await _planted(path)
        await store.close()

    async def search() -> None:
        store = SqliteStore(path)
        assert await store.search("res", "plantedsecret", bytes.decode) == []
        await store.close()

    run(plant())
    finish(start("delete_and_die", path, "thr_2"), status=-signal.SIGKILL)
    run(search())
    assert _left(path) == 0


def test_pieces_that_moving_rows_left_behind_go_with_a_vacuum(tmp_path: Path) -> None:
    path, draw = tmp_path / "test.db", random.Random(1)

    async def check() -> None:
        store = SqliteStore(path, "NORMAL")
        leases = [await written(store, f"thr_{number}") for number in range(40)]
        heads = [0] * 40
        for _ in range(75):
            for number in draw.sample(range(40), 30):
                write = Append(leases[number], heads[number], [_event(draw, number)])
                heads[number] = await store.append(write)
        for number in range(0, 40, 2):
            erased = dict.fromkeys(range(1, heads[number] + 1), b"erased")
            await store.rewrite(leases[number], erased)
        await store.vacuum()
        assert [_left(path, b"planted%03d" % number) > 0 for number in range(40)] == [
            False,
            True,
        ] * 20
        assert await store.head("thr_1") == heads[1]
        assert len(await store.search("res", "erased", bytes.decode)) == 20
        await store.close()

    run(check())


def _event(draw: random.Random, number: int) -> bytes:
    return b"x" * draw.choice([20, 60, 150, 400, 900, 3000]) + b"planted%03d" % number
