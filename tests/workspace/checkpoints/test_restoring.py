"""A rewind that meets with something: changes while it runs, and what cannot be done."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from longrein.core import points
from tests.support import run
from tests.workspace.checkpoints.setting import At, Thread, contents, put, working


@contextmanager
def at_point(point: str, do: Callable[[], object]) -> Generator[None, None, None]:
    """Something that happens when a point is reached."""
    points.on_reach = lambda name: do() if name == point else None
    try:
        yield
    finally:
        points.on_reach = None


def test_a_file_that_changed_since_the_plan_is_left(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with working(tmp_path) as thread:
            put(thread.root, {"a.txt": "one"})
            await thread.edit(5, "a.txt", "two")
            plan = await thread.kept.plan(5)
            put(thread.root, {"a.txt": "by hand"})
            restored = await thread.kept.restore(plan, At(20))
            assert (restored.done, [one.why for one in restored.foreign]) == ((), ["changed"])
            assert contents(thread.root) == {"a.txt": b"by hand"}

    run(scenario())


@pytest.mark.parametrize("was_there", [True, False])
def test_a_file_that_changes_while_a_rewind_runs_is_left(tmp_path: Path, was_there: bool) -> None:
    async def scenario() -> None:
        async with working(tmp_path) as thread:
            put(thread.root, {"a.txt": "one"} if was_there else {})
            await thread.edit(5, "a.txt", "two")
            with at_point("restore.begun", lambda: put(thread.root, {"a.txt": "by hand"})):
                _, restored = await thread.rewind(5, 20)
            assert (restored.done, [one.why for one in restored.foreign]) == ((), ["changed"])
            assert contents(thread.root) == {"a.txt": b"by hand"}

    run(scenario())


def test_a_file_that_appears_where_one_is_put_back_is_left(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with working(tmp_path) as thread:
            put(thread.root, {"a.txt": "one"})
            await thread.shell(5, lambda: (thread.root / "a.txt").unlink())
            with at_point("restore.begun", lambda: put(thread.root, {"a.txt": "by hand"})):
                _, restored = await thread.rewind(5, 20)
            assert [one.why for one in restored.foreign] == ["changed"]
            assert contents(thread.root) == {"a.txt": b"by hand"}

    run(scenario())


def test_what_cannot_be_put_back_is_told_and_the_rest_is_done(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with working(tmp_path) as thread:
            put(thread.root, {"a.txt": "one", "d/b.txt": "one"})
            await thread.edit(5, "a.txt", "two")
            await thread.edit(5, "d/b.txt", "two")
            await thread.files.remove(thread.path("d"), recursive=True)
            put(thread.root, {"d": "a file by hand"})
            _, restored = await thread.rewind(5, 20, [thread.path("d/b.txt")])
            assert [one.path for one in restored.failed] == [thread.path("d/b.txt")]
            assert contents(thread.root) == {"a.txt": b"one", "d": b"a file by hand"}
            assert await thread.changed() == {"d/b.txt": "modified"}

    run(scenario())


def test_a_link_in_the_place_of_a_folder_leads_nowhere(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with working(tmp_path) as thread:
            put(tmp_path, {"outside/b.txt": "theirs"})
            put(thread.root, {"d/b.txt": "one"})
            await thread.edit(5, "d/b.txt", "theirs")
            await thread.files.remove(thread.path("d"), recursive=True)
            (thread.root / "d").symlink_to(tmp_path / "outside")
            _, restored = await thread.rewind(5, 20, [thread.path("d/b.txt")])
            assert restored.done == ()
            assert contents(tmp_path / "outside") == {"b.txt": b"theirs"}

    run(scenario())


def test_nothing_is_left_beside_files_that_were_put_back(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with working(tmp_path) as thread:
            put(thread.root, {"a.txt": "one"})
            await thread.edit(5, "a.txt", "two")
            await thread.edit(5, "gone/b.txt", "two")
            await thread.rewind(5, 20)
            assert [path.name for path in thread.root.iterdir()] == ["a.txt"]

    run(scenario())


def test_a_file_in_memory_that_changed_since_the_plan_is_left(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with working(tmp_path) as thread:
            files = thread.files
            at = At(5)
            await files.write("/notes.md", b"one")
            await thread.kept.before(at, files, ["/notes.md"])
            await files.write("/notes.md", b"two")
            await thread.kept.after(at, files, ["/notes.md"])
            plan = await thread.kept.plan(5)
            await files.write("/notes.md", b"by hand")
            restored = await thread.kept.restore(plan, At(20))
            assert [one.path for one in restored.foreign] == ["/notes.md"]
            assert (await files.read("/notes.md")).data == b"by hand"

    run(scenario())


async def cut_off(thread: Thread, since: int, seq: int) -> None:
    """A rewind that is done, and then nothing is written of it in the thread."""
    await thread.kept.restore(await thread.kept.plan(since), At(seq, "", ""), thread.known)


def test_what_a_rewind_did_that_no_event_tells_of_is_undone_with_the_next(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with working(tmp_path) as thread:
            await thread.edit(5, "a.txt", "a")
            await thread.edit(9, "b.txt", "b")
            await cut_off(thread, 5, 20)
            assert contents(thread.root) == {}
            await thread.rewind(9, 23)
            assert contents(thread.root) == {"a.txt": b"a"}
            await thread.rewind(23, 25)
            assert contents(thread.root) == {"a.txt": b"a", "b.txt": b"b"}
            await thread.rewind(25, 27)
            assert contents(thread.root) == {"a.txt": b"a"}

    run(scenario())


def test_a_rewind_that_the_thread_knows_of_is_not_undone_with_the_next(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with working(tmp_path) as thread:
            await thread.edit(5, "a.txt", "a")
            await thread.edit(9, "b.txt", "b")
            await thread.rewind(9, 20)
            await thread.rewind(5, 30)
            await thread.rewind(30, 32)
            assert contents(thread.root) == {"a.txt": b"a"}

    run(scenario())


@pytest.mark.parametrize("changed", [True, False])
def test_a_rewind_that_no_event_tells_of_stays_done_for_what_came_after_it(
    tmp_path: Path, changed: bool
) -> None:
    async def scenario() -> None:
        async with working(tmp_path) as thread:
            await thread.edit(5, "a.txt", "a")
            await cut_off(thread, 5, 20)
            if changed:
                await thread.edit(25, "c.txt", "c")
            before = contents(thread.root)
            await thread.rewind(5 if changed else 25, 30)
            assert contents(thread.root) == {}
            await thread.rewind(30, 32)
            assert contents(thread.root) == before

    run(scenario())
