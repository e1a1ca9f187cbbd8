"""What shell commands change is found by looking before and after, and can be put back."""

import os
import shutil
import subprocess
from pathlib import Path

from longrein.workspace.checkpoints.values import Keeping
from tests.support import run
from tests.workspace.checkpoints.setting import At, Thread, contents, put, working


def test_a_rewind_undoes_what_a_command_did(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with working(tmp_path) as thread:
            root = thread.root
            put(root, {"a.txt": "one\r\n", "b.txt": "b", "d/c.txt": "c", "x.sh": "x"})
            os.symlink("a.txt", root / "link")

            def command() -> None:
                (root / "a.txt").write_text("two")
                (root / "b.txt").unlink()
                shutil.rmtree(root / "d")
                (root / "x.sh").chmod(0o755)
                (root / "link").unlink()
                os.symlink("b.txt", root / "link")
                put(root, {"new/deep/e.txt": "e"})

            before = (root / "x.sh").stat().st_mode
            made = await thread.shell(5, command)
            assert {one.path.removeprefix(f"{root}/"): one.status for one in made} == {
                "a.txt": "modified",
                "b.txt": "deleted",
                "d/c.txt": "deleted",
                "link": "modified",
                "new/deep/e.txt": "added",
                "x.sh": "mode",
            }
            await thread.rewind(5, 20)
            assert contents(root) == {
                "a.txt": b"one\r\n",
                "b.txt": b"b",
                "d/c.txt": b"c",
                "x.sh": b"x",
            }
            assert (root / "x.sh").stat().st_mode == before
            assert os.readlink(root / "link") == "a.txt"
            assert not (root / "new").exists()
            await thread.rewind(20, 22)
            assert os.readlink(root / "link") == "b.txt"
            assert contents(root / "new") == {"deep/e.txt": b"e"}

    run(scenario())


def test_a_file_in_the_place_of_a_folder_and_the_other_way_round_come_back(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with working(tmp_path) as thread:
            root = thread.root
            put(root, {"a": "file", "d/x": "in folder"})

            def command() -> None:
                (root / "a").unlink()
                put(root, {"a/inner": "now a folder"})
                shutil.rmtree(root / "d")
                put(root, {"d": "now a file"})

            await thread.shell(5, command)
            _, restored = await thread.rewind(5, 20)
            assert restored.failed == ()
            assert contents(root) == {"a": b"file", "d/x": b"in folder"}

    run(scenario())


def test_what_others_change_between_commands_is_not_the_commands(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with working(tmp_path) as thread:
            root = thread.root
            put(root, {"a.txt": "a", "b.txt": "b"})
            await thread.shell(5, lambda: None)
            put(root, {"a.txt": "by hand", "c.txt": "by hand"})
            made = await thread.shell(7, lambda: put(root, {"b.txt": "by command"}))
            assert [one.path for one in made] == [f"{root}/b.txt"]
            await thread.rewind(5, 20)
            assert contents(root) == {"a.txt": b"by hand", "b.txt": b"b", "c.txt": b"by hand"}

    run(scenario())


def test_what_somebody_wrote_and_a_command_overwrote_comes_back(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with working(tmp_path) as thread:
            root = thread.root
            put(root, {"a.txt": "a"})
            await thread.shell(5, lambda: None)
            put(root, {"a.txt": "by hand"})
            await thread.shell(7, lambda: put(root, {"a.txt": "by command"}))
            plan, _ = await thread.rewind(3, 20)
            assert plan.foreign == ()
            assert contents(root) == {"a.txt": b"by hand"}

    run(scenario())


def test_a_change_within_the_grain_of_the_clock_is_not_missed(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with working(tmp_path) as thread:
            file = thread.root / "a.txt"
            for seq in range(5, 25):
                put(thread.root, {"a.txt": f"{seq:04}"})
                stamp = file.stat()

                def command(seq: int = seq, stamp: os.stat_result = stamp) -> None:
                    with file.open("r+") as opened:
                        opened.write(f"{seq + 100:04}")
                    os.utime(file, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))

                made = await thread.shell(seq, command)
                assert [one.status for one in made] == ["modified"]

    run(scenario())


def test_a_file_edited_by_a_tool_is_not_taken_for_somebody_elses(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with working(tmp_path) as thread:
            put(thread.root, {"a.txt": "one"})
            await thread.shell(3, lambda: None)
            await thread.edit(5, "a.txt", "two")
            await thread.shell(7, lambda: put(thread.root, {"a.txt": "three"}))
            await thread.edit(9, "a.txt", "four")
            plan, _ = await thread.rewind(5, 20)
            assert plan.foreign == ()
            assert contents(thread.root) == {"a.txt": b"one"}

    run(scenario())


def test_what_a_tool_changes_beside_a_command_counts_once(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with working(tmp_path) as thread:
            at = At(5, call="call_a")
            put(thread.root, {"a.txt": "one", "b.txt": "one"})
            await thread.kept.before_command(at)
            await thread.edit(6, "a.txt", "two")
            await thread.edit(6, "b.txt", "two")
            put(thread.root, {"b.txt": "three"})
            made = await thread.kept.after_command(at)
            assert [one.path for one in made] == [thread.path("b.txt")]
            plan, _ = await thread.rewind(5, 20)
            assert plan.foreign == ()
            assert contents(thread.root) == {"a.txt": b"one", "b.txt": b"one"}

    run(scenario())


def test_what_a_job_in_the_background_changes_is_told_and_not_overwritten_unasked(
    tmp_path: Path,
) -> None:
    async def scenario() -> None:
        async with working(tmp_path) as thread:
            put(thread.root, {"a.txt": "one"})
            assert await thread.shell(5, lambda: None) == ()
            await thread.edit(7, "by-tool.txt", "tool")
            put(thread.root, {"a.txt": "by the job"})
            made = await thread.kept.after_command(At(9, call="call_job"))
            assert [one.path for one in made] == [thread.path("a.txt")]
            assert await thread.kept.after_command(At(11, call="call_job_again")) == ()
            plan, _ = await thread.rewind(9, 20)
            assert [one.why for one in plan.foreign] == ["cut off"]
            await thread.rewind(5, 22, [thread.path("a.txt")])
            assert contents(thread.root) == {"a.txt": b"one"}
            assert await thread.kept.after_command(At(25, call="call_job_later")) == ()

    run(scenario())


def test_what_a_command_did_that_was_stopped_is_found_by_the_next_plan(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with working(tmp_path) as thread:
            put(thread.root, {"a.txt": "one"})
            await thread.kept.before_command(At(5, call="call_stopped"))
            put(thread.root, {"a.txt": "two"})
            assert [one.why for one in (await thread.kept.plan(5)).foreign] == ["cut off"]
            assert await thread.shell(9, lambda: None) == ()
            await thread.rewind(5, 20, [thread.path("a.txt")])
            assert contents(thread.root) == {"a.txt": b"one"}

    run(scenario())


def test_threads_on_one_tree_see_each_others_changes_as_foreign(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with working(tmp_path) as thread:
            other = Thread(thread.checkpoints, thread.root, "thr_2")
            put(thread.root, {"a.txt": "one"})
            await thread.shell(5, lambda: put(thread.root, {"a.txt": "two"}))
            await other.shell(9, lambda: put(thread.root, {"a.txt": "three"}))
            assert [one.path for one in (await thread.kept.plan(5)).foreign] == [
                thread.path("a.txt")
            ]
            await other.rewind(9, 20)
            assert contents(thread.root) == {"a.txt": b"two"}
            assert (await thread.kept.plan(5)).foreign == ()

    run(scenario())


def test_the_repository_and_its_index_are_never_touched(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with working(tmp_path) as thread:
            root = thread.root

            def git(*arguments: str) -> None:
                who = ["-c", "user.name=a", "-c", "user.email=a@example.com"]
                subprocess.run(["git", *who, *arguments], cwd=root, check=True, capture_output=True)

            git("init")
            put(root, {"a.txt": "one"})
            git("add", "a.txt")
            git("commit", "-m", "first")

            def command() -> None:
                put(root, {"a.txt": "two"})
                git("commit", "-a", "-m", "second")

            made = await thread.shell(5, command)
            assert [one.path for one in made] == [thread.path("a.txt")]
            repository = contents(root / ".git")
            plan, _ = await thread.rewind(5, 20)
            assert (root / "a.txt").read_text() == "one"
            assert contents(root / ".git") == repository
            assert plan.lost == ()

    run(scenario())


def test_a_large_file_that_a_command_made_goes_and_one_that_it_changed_is_lost(
    tmp_path: Path,
) -> None:
    async def scenario() -> None:
        async with working(tmp_path, keeping=Keeping(largest=1000)) as thread:
            root = thread.root
            put(root, {"old.bin": b"o" * 2000, "small.txt": "s"})

            def command() -> None:
                put(root, {"old.bin": b"n" * 2000, "new.bin": b"n" * 3000})

            made = await thread.shell(5, command)
            assert [(one.status, one.before) for one in made] == [("added", ""), ("modified", "")]
            plan, _ = await thread.rewind(5, 20)
            assert [one.path for one in plan.steps] == [f"{root}/new.bin"]
            assert [one.path for one in plan.lost] == [f"{root}/old.bin"]
            assert (await thread.kept.plan(20)).lost == ()
            assert set(contents(root)) == {"old.bin", "small.txt"}
            await thread.rewind(20, 22)
            assert (root / "new.bin").read_bytes() == b"n" * 3000

    run(scenario())


def test_names_that_are_no_text_come_back(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with working(tmp_path) as thread:
            name = "caf\udce9\n.txt"
            put(thread.root, {name: "one"})
            made = await thread.shell(5, lambda: (thread.root / name).unlink())
            assert [one.path for one in made] == [f"{thread.root}/caf\\xe9\n.txt"]
            _, restored = await thread.rewind(5, 20)
            assert restored.failed == ()
            assert contents(thread.root) == {name: b"one"}

    run(scenario())
