"""What file tools change is kept before, and can be put back."""

import os
from pathlib import Path

import pytest

from longrein.workspace.checkpoints.store import Checkpoints
from longrein.workspace.checkpoints.thread import ThreadCheckpoints
from longrein.workspace.checkpoints.values import Keeping
from longrein.workspace.disk import DiskFiles
from longrein.workspace.memory import MemoryFiles
from longrein.workspace.mounts import Mounts
from longrein.workspace.problems import Refused
from tests.support import run
from tests.workspace.checkpoints.setting import At, contents, put, working


def test_a_rewind_puts_back_what_tools_changed(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with working(tmp_path) as thread:
            put(thread.root, {"a.txt": "one\r\n", "b.bin": b"\0\xff"})
            await thread.edit(5, "a.txt", "two\n")
            await thread.edit(7, "a.txt", "three\n")
            await thread.edit(9, "b.bin", "text")
            await thread.edit(11, "new/deep/c.txt", "new")
            plan, restored = await thread.rewind(5, 20)
            assert {step.action for step in plan.steps} == {"write", "remove"}
            assert restored.foreign == restored.failed == ()
            assert contents(thread.root) == {"a.txt": b"one\r\n", "b.bin": b"\0\xff"}
            assert not (thread.root / "new").exists()

    run(scenario())


def test_a_rewind_stops_at_the_event_that_it_goes_to(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with working(tmp_path) as thread:
            put(thread.root, {"a.txt": "one"})
            await thread.edit(5, "a.txt", "two")
            await thread.edit(7, "a.txt", "three")
            await thread.rewind(7, 20)
            assert contents(thread.root) == {"a.txt": b"two"}

    run(scenario())


def test_a_rewind_is_undone_by_a_rewind_and_every_point_stays_in_reach(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with working(tmp_path) as thread:
            await thread.edit(5, "a.txt", "one")
            await thread.edit(7, "a.txt", "two")
            await thread.edit(9, "b.txt", "other")
            _, back = await thread.rewind(5, 20)
            assert contents(thread.root) == {}
            _, undone = await thread.rewind(back.seq, 22)
            assert contents(thread.root) == {"a.txt": b"two", "b.txt": b"other"}
            await thread.rewind(9, 24)
            assert contents(thread.root) == {"a.txt": b"two"}
            await thread.rewind(undone.seq, 26)
            assert contents(thread.root) == {}
            await thread.rewind(7, 28)
            assert contents(thread.root) == {"a.txt": b"one"}

    run(scenario())


def test_modes_come_back_even_of_files_that_are_read_only_now(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with working(tmp_path) as thread:
            put(thread.root, {"run.sh": "echo"})
            script = thread.root / "run.sh"
            script.chmod(0o755)
            await thread.edit(5, "run.sh", "exit")
            await thread.shell(7, lambda: script.chmod(0o444))
            await thread.rewind(5, 20)
            assert (script.read_text(), script.stat().st_mode & 0o777) == ("echo", 0o755)

    run(scenario())


def test_what_somebody_else_changed_afterwards_is_left_and_reported(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with working(tmp_path) as thread:
            put(thread.root, {"a.txt": "one", "b.txt": "one"})
            await thread.edit(5, "a.txt", "two")
            await thread.edit(5, "b.txt", "two")
            put(thread.root, {"a.txt": "by hand"})
            plan, restored = await thread.rewind(5, 20)
            assert [(one.path, one.why) for one in plan.foreign] == [
                (thread.path("a.txt"), "changed")
            ]
            assert restored.foreign == plan.foreign
            assert contents(thread.root) == {"a.txt": b"by hand", "b.txt": b"one"}

    run(scenario())


def test_what_somebody_else_changed_is_overwritten_if_that_is_asked_for(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with working(tmp_path) as thread:
            put(thread.root, {"a.txt": "one"})
            await thread.edit(5, "a.txt", "two")
            put(thread.root, {"a.txt": "by hand"})
            _, done = await thread.rewind(5, 20, [thread.path("a.txt")])
            assert contents(thread.root) == {"a.txt": b"one"}
            await thread.rewind(done.seq, 22)
            assert contents(thread.root) == {"a.txt": b"by hand"}

    run(scenario())


def test_a_change_by_hand_between_two_of_ours_is_in_the_way(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with working(tmp_path) as thread:
            put(thread.root, {"a.txt": "one"})
            await thread.edit(5, "a.txt", "two")
            put(thread.root, {"a.txt": "by hand"})
            await thread.edit(7, "a.txt", "three")
            plan = await thread.kept.plan(5)
            assert [one.why for one in plan.foreign] == ["between"]

    run(scenario())


def test_a_change_by_hand_before_ours_stays(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with working(tmp_path) as thread:
            put(thread.root, {"a.txt": "one"})
            await thread.edit(3, "a.txt", "two")
            put(thread.root, {"a.txt": "by hand"})
            await thread.edit(7, "a.txt", "three")
            await thread.rewind(5, 20)
            assert contents(thread.root) == {"a.txt": b"by hand"}

    run(scenario())


def test_a_deleted_folder_comes_back_with_all_that_was_in_it(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with working(tmp_path) as thread:
            put(thread.root, {"d/a.txt": "a", "d/e/b.txt": "b", ".gitignore": "e/"})
            (thread.root / "d/empty").mkdir()
            os.symlink("a.txt", thread.root / "d/link")
            at, path = At(5), thread.path("d")
            await thread.kept.before(at, thread.files, [path])
            await thread.files.remove(path, recursive=True)
            await thread.kept.after(at, thread.files, [path])
            assert set(await thread.changed()) == {"d/a.txt", "d/e/b.txt", "d/link"}
            await thread.rewind(5, 20)
            assert contents(thread.root / "d") == {"a.txt": b"a", "e/b.txt": b"b"}
            assert (thread.root / "d/empty").is_dir()
            assert os.readlink(thread.root / "d/link") == "a.txt"

    run(scenario())


def test_a_moved_folder_goes_back(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with working(tmp_path) as thread:
            put(thread.root, {"d/a.txt": "a", "d/e/b.txt": "b"})
            at, paths = At(5), [thread.path("d"), thread.path("f/g")]
            await thread.kept.before(at, thread.files, paths)
            await thread.files.move(*paths)
            await thread.kept.after(at, thread.files, paths)
            assert contents(thread.root) == {"f/g/a.txt": b"a", "f/g/e/b.txt": b"b"}
            await thread.rewind(5, 20)
            assert contents(thread.root) == {"d/a.txt": b"a", "d/e/b.txt": b"b"}
            assert not (thread.root / "f").exists()

    run(scenario())


def test_a_folder_that_was_there_before_stays_although_it_is_empty(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with working(tmp_path) as thread:
            (thread.root / "was").mkdir()
            await thread.edit(5, "was/a.txt", "a")
            await thread.edit(5, "new/b.txt", "b")
            await thread.rewind(5, 20)
            assert os.listdir(thread.root) == ["was"]

    run(scenario())


def test_a_new_folder_in_which_somebody_put_a_file_stays(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with working(tmp_path) as thread:
            await thread.edit(5, "new/a.txt", "a")
            put(thread.root, {"new/by-hand.txt": "b"})
            _, restored = await thread.rewind(5, 20)
            assert restored.failed == restored.foreign == ()
            assert contents(thread.root) == {"new/by-hand.txt": b"b"}

    run(scenario())


def test_a_call_that_changed_nothing_leaves_nothing(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with working(tmp_path) as thread:
            put(thread.root, {"a.txt": "one"})
            at = await thread.edit(5, "a.txt", "one")
            assert at.facts == []
            assert (await thread.kept.plan(0)).steps == ()

    run(scenario())


def test_a_file_too_large_to_be_kept_is_said_to_be_lost(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with working(tmp_path) as thread:
            large = thread.root / "large.bin"
            with large.open("wb") as file:
                file.truncate(65 * 1024 * 1024)
            await thread.edit(5, "large.bin", "small")
            plan = await thread.kept.plan(5)
            assert [str(one) for one in plan.lost] == [f"{large}: it is too large to be kept"]
            assert plan.steps == ()

    run(scenario())


def test_files_in_memory_are_rewound_through_their_port() -> None:
    async def scenario() -> None:
        checkpoints, files = Checkpoints(None), MemoryFiles()
        kept = ThreadCheckpoints(checkpoints, "thr_1", files)
        await files.write("/a.md", b"one")
        for seq, path in ((5, "/a.md"), (7, "/notes/b.md")):
            at = At(seq, call=f"call_{seq}")
            await kept.before(at, files, [path])
            await files.write(path, b"two")
            await kept.after(at, files, [path])
        await kept.restore(await kept.plan(5), At(20))
        assert (await files.read("/a.md")).data == b"one"
        assert await files.stat("/notes") is None
        await files.write("/a.md", b"by hand")
        assert [one.path for one in (await kept.plan(20)).foreign] == ["/a.md"]
        await checkpoints.close()

    run(scenario())


def test_a_call_that_failed_without_a_change_is_in_nobodys_way(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with working(tmp_path) as thread:
            put(thread.root, {"a.txt": "one"})
            await thread.edit(5, "a.txt", "two")
            await thread.kept.before(At(7, call="call_7"), thread.files, [thread.path("a.txt")])
            plan, _ = await thread.rewind(5, 20)
            assert plan.foreign == ()
            assert contents(thread.root) == {"a.txt": b"one"}

    run(scenario())


def test_a_plan_made_while_a_call_runs_does_not_confuse_the_call(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with working(tmp_path) as thread:
            put(thread.root, {"a.txt": "one", "b.txt": "one"})
            at, paths = At(5), [thread.path("a.txt"), thread.path("b.txt")]
            await thread.kept.before(at, thread.files, paths)
            await thread.files.write(paths[0], b"two")
            assert [one.why for one in (await thread.kept.plan(0)).foreign] == ["cut off"]
            await thread.files.write(paths[1], b"two")
            await thread.kept.after(at, thread.files, paths)
            plan, _ = await thread.rewind(5, 20)
            assert plan.foreign == ()
            assert contents(thread.root) == {"a.txt": b"one", "b.txt": b"one"}

    run(scenario())


def test_a_file_system_mounted_in_the_folder_is_rewound_through_its_port(tmp_path: Path) -> None:
    async def scenario() -> None:
        checkpoints, notes = Checkpoints(None), MemoryFiles()
        files = Mounts({"/": DiskFiles(tmp_path), "/notes": notes})
        kept = ThreadCheckpoints(
            checkpoints, "thr_1", files, folder=str(tmp_path), mounts=["/notes"]
        )
        for seq, path in ((5, "/notes/a.md"), (7, "/b.md")):
            at = At(seq, call=f"call_{seq}")
            await kept.before(at, files, [path])
            await files.write(path, b"new")
            await kept.after(at, files, [path])
        restored = await kept.restore(await kept.plan(5), At(20))
        assert restored.failed == ()
        assert await notes.stat("/a.md") is None
        assert contents(tmp_path) == {}
        await checkpoints.close()

    run(scenario())


def test_a_folder_with_more_than_can_be_kept_is_not_let_go(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with working(tmp_path, keeping=Keeping(files=3)) as thread:
            put(thread.root, {f"d/{n}/{n}.txt": "" for n in range(4)})
            with pytest.raises(Refused, match="too many to keep"):
                await thread.kept.before(At(5), thread.files, [thread.path("d")])

    run(scenario())
