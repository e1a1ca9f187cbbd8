"""The file that checkpoints are in: whose it is, what is in it, what is left when it goes."""

import os
import sqlite3
from pathlib import Path

import pytest

from longrein.core.errors import StoreError, StoreNewer
from longrein.workspace.checkpoints.store import Checkpoints
from tests.support import run
from tests.workspace.checkpoints.setting import Thread, contents, put, working


def objects(folder: Path) -> int:
    with sqlite3.connect(folder / "app.db-files") as connection:
        (count,) = connection.execute("SELECT count(*) FROM contents").fetchone()
    connection.close()
    return count


def test_the_file_is_for_its_owners_eyes_only(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with working(tmp_path) as thread:
            await thread.edit(5, "a.txt", "one")
            for name in ("app.db-files", "app.db-files-wal"):
                assert (tmp_path / name).stat().st_mode & 0o777 == 0o600

    run(scenario())


def test_the_same_bytes_are_kept_once_and_packed(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with working(tmp_path) as thread:
            put(thread.root, {f"{n}.txt": "the same\n" * 10_000 for n in range(50)})
            await thread.shell(5, lambda: None)
        assert objects(tmp_path) == 1
        assert (tmp_path / "app.db-files").stat().st_size < 200_000

    run(scenario())


def test_forgetting_a_thread_removes_what_only_it_had(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with working(tmp_path) as thread:
            other = Thread(thread.checkpoints, thread.root, "thr_2")
            put(thread.root, {"a.txt": "shared"})
            await thread.edit(5, "a.txt", "a secret of the first")
            await other.edit(5, "b.txt", "of the second")
            await other.shell(7, lambda: put(thread.root, {"a.txt": "of the second, too"}))
            await thread.checkpoints.forget("thr_1")
            assert await thread.checkpoints.changed("thr_1") == ()
            await other.rewind(5, 20)
            assert contents(thread.root) == {"a.txt": b"a secret of the first"}
            await thread.checkpoints.forget("thr_2")

    run(scenario())
    assert objects(tmp_path) == 0
    left = b"".join(path.read_bytes() for path in tmp_path.glob("app.db-files*"))
    assert b"a secret of the first" not in left


def test_bytes_of_a_thread_go_with_it_though_others_use_its_tree(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with working(tmp_path) as thread:
            other = Thread(thread.checkpoints, thread.root, "thr_2")
            put(thread.root, {"a.txt": "one"})
            await thread.shell(5, lambda: put(thread.root, {"secret": "a secret"}))
            await thread.shell(7, lambda: (thread.root / "secret").unlink())
            await other.shell(5, lambda: put(thread.root, {"a.txt": "two"}))
            await thread.checkpoints.forget("thr_1")
            assert objects(tmp_path) == 2
            assert await thread.checkpoints.threads() == ["thr_2"]
            await other.rewind(5, 20)
            assert contents(thread.root) == {"a.txt": b"one"}

    run(scenario())


def test_a_look_keeps_anew_what_another_process_has_removed_meanwhile(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with working(tmp_path) as thread, working(tmp_path) as elsewhere:
            put(thread.root, {"a.txt": "one", "b.txt": "b"})
            await thread.shell(5, lambda: None)
            put(thread.root, {"a.txt": "two"})
            other = Thread(elsewhere.checkpoints, thread.root, "thr_2")
            await other.shell(5, lambda: put(thread.root, {"b.txt": "c"}))
            await elsewhere.checkpoints.forget("thr_2")
            put(thread.root, {"a.txt": "one"})
            await thread.shell(9, lambda: (thread.root / "a.txt").unlink())
            _, restored = await thread.rewind(9, 20)
            assert restored.failed == ()
            assert (thread.root / "a.txt").read_text() == "one"

    run(scenario())


def test_a_second_session_goes_on_where_the_first_ended(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with working(tmp_path) as thread:
            put(thread.root, {"a.txt": "one"})
            await thread.shell(5, lambda: put(thread.root, {"a.txt": "two"}))
        put(tmp_path / "project", {"b.txt": "by hand"})
        async with working(tmp_path) as thread:
            made = await thread.shell(9, lambda: put(thread.root, {"a.txt": "three"}))
            assert [one.path for one in made] == [thread.path("a.txt")]
            await thread.rewind(5, 20)
            assert contents(thread.root) == {"a.txt": b"one", "b.txt": b"by hand"}

    run(scenario())


def test_a_temporary_file_is_gone_when_it_is_closed() -> None:
    async def scenario() -> None:
        checkpoints = Checkpoints(None)
        await checkpoints.changed("thr_1")
        assert os.path.exists(checkpoints.path)  # noqa: ASYNC240
        await checkpoints.close()
        assert not os.path.exists(os.path.dirname(checkpoints.path))  # noqa: ASYNC240

    run(scenario())


def test_the_database_of_another_program_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "app.db-files"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE theirs (a)")
    connection.close()
    before = path.read_bytes()

    async def scenario() -> None:
        async with working(tmp_path) as thread:
            with pytest.raises(StoreError, match="another program"):
                await thread.edit(5, "a.txt", "one")
            assert contents(thread.root) == {}

    run(scenario())
    assert path.read_bytes() == before


def test_a_file_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with working(tmp_path) as thread:
            await thread.edit(5, "a.txt", "one")
        connection = sqlite3.connect(tmp_path / "app.db-files")
        connection.execute("PRAGMA user_version=99")
        connection.close()
        async with working(tmp_path) as thread:
            with pytest.raises(StoreNewer, match="Update Longrein"):
                await thread.changed()

    run(scenario())
