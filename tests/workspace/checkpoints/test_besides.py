"""Paths that checkpoints have nothing to do with: a store in the folder, and what mounts cover."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from hashlib import sha256
from pathlib import Path

from longrein.workspace.checkpoints.store import Checkpoints
from longrein.workspace.checkpoints.thread import ThreadCheckpoints
from longrein.workspace.disk import DiskFiles
from longrein.workspace.memory import MemoryFiles
from longrein.workspace.mounts import Mounts
from tests.support import run
from tests.workspace.checkpoints.setting import At, Thread, contents, put

STORE = [
    f"data/app.db{part}"
    for part in ("", "-wal", "-shm", "-files", "-files-wal", "-files-shm", "-outputs")
]


@asynccontextmanager
async def working(root: Path) -> AsyncGenerator[Thread, None]:
    """A thread whose store lies in the folder that it works in."""
    put(root, {"data/app.db": "store", "data/app.db-outputs/1/a": "output", "a.txt": "one"})
    checkpoints = Checkpoints(f"{root}/data/app.db-files")
    try:
        yield Thread(checkpoints, root, besides=STORE)
    finally:
        await checkpoints.close()


async def is_kept(thread: Thread, content: str) -> bool:
    return await thread.checkpoints.load(sha256(content.encode()).hexdigest()) is not None


def test_a_store_in_the_folder_is_not_looked_at(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with working(tmp_path) as thread:
            new = {"data/app.db": "new", "data/app.db-wal": "new", "data/app.db-outputs/2": "new"}
            for seq in (5, 7):
                other = {"data/app.db2": f"{seq}", "a.txt": f"{seq}"}
                made = await thread.shell(seq, lambda other=other: put(tmp_path, new | other))
                assert [one.path for one in made] == [
                    *(thread.path("a.txt"), thread.path("data/app.db2"))
                ]
            assert (await thread.kept.not_kept()).total == 0
            _, restored = await thread.rewind(5, 20)
            assert len(restored.done) == 2
            assert {name: (tmp_path / name).read_text() for name in new} == new
            assert (tmp_path / "a.txt").read_text() == "one"
            assert await is_kept(thread, "one")
            assert not await is_kept(thread, "store")
            assert not await is_kept(thread, "output")
            assert not await is_kept(thread, "new")

    run(scenario())


def test_a_store_is_not_kept_with_a_folder_that_a_tool_removes(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with working(tmp_path) as thread:
            put(tmp_path, {"data/b.txt": "b"})
            at, folder = At(5), thread.path("data")
            await thread.kept.before(at, thread.files, [folder])
            (tmp_path / "data/b.txt").unlink()
            put(tmp_path, {"data/app.db": "newer"})
            await thread.kept.after(at, thread.files, [folder])
            assert await thread.changed() == {"data/b.txt": "deleted"}
            assert not await is_kept(thread, "store")
            await thread.rewind(5, 20)
            assert (tmp_path / "data/b.txt").read_text() == "b"
            assert (tmp_path / "data/app.db").read_text() == "newer"

    run(scenario())


def test_what_was_kept_of_a_store_before_it_was_known_is_not_restored(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with working(tmp_path) as thread:
            unknowing = Thread(thread.checkpoints, tmp_path)
            await unknowing.edit(5, "data/app.db", "new")
            assert len((await unknowing.kept.plan(5)).steps) == 1
            plan, _ = await thread.rewind(5, 20, [thread.path("data/app.db")])
            assert (plan.steps, plan.foreign, plan.lost) == ((), (), ())

    run(scenario())


def test_what_one_thread_does_not_look_at_is_not_gone_for_another(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with working(tmp_path) as thread:
            other = Thread(thread.checkpoints, tmp_path, "thr_2")
            await other.shell(5, lambda: None)
            assert await thread.shell(5, lambda: None) == ()
            made = await other.shell(7, lambda: put(tmp_path, {"data/app.db-outputs/1/a": "new"}))
            assert thread.path("data/app.db-outputs/1/a") in [one.path for one in made]

    run(scenario())


def test_what_a_mount_covers_is_not_looked_at(tmp_path: Path) -> None:
    async def scenario() -> None:
        checkpoints, notes = Checkpoints(None), MemoryFiles()
        files = Mounts({"/": DiskFiles(tmp_path), "/notes": notes})
        kept = ThreadCheckpoints(
            checkpoints, "thr_1", files, folder=str(tmp_path), mounts=["/notes"]
        )
        await notes.write("/a.md", b"in the mount")
        await kept.before_command(At(5))
        put(tmp_path, {"notes/a.md": "on the disk", "b.md": "b"})
        assert [one.path for one in await kept.after_command(At(5))] == ["/b.md"]
        await kept.restore(await kept.plan(5, ["/notes/a.md"]), At(20))
        assert (await notes.read("/a.md")).data == b"in the mount"
        assert contents(tmp_path) == {"notes/a.md": b"on the disk"}
        await checkpoints.close()

    run(scenario())
