"""Processes that are killed in the middle, and several at once."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import run
from tests.workspace.checkpoints.setting import Thread, contents, put, working

ROOT = Path(__file__).parents[3]


def start(name: str, folder: Path, argument: str) -> "subprocess.Popen[bytes]":
    paths = os.pathsep.join(entry for entry in sys.path if entry)
    return subprocess.Popen(
        [sys.executable, "-m", "tests.workspace.checkpoints.programs", name, folder, argument],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": paths},
        stderr=subprocess.PIPE,
    )


def finish(process: "subprocess.Popen[bytes]", status: int) -> None:
    try:
        _, errors = process.communicate(timeout=25)
    except subprocess.TimeoutExpired:
        process.kill()
        raise
    assert process.returncode == status, errors.decode()


def killed(name: str, folder: Path, argument: str = "") -> None:
    finish(start(name, folder, argument), -9)


def test_a_call_cut_off_before_its_change_leaves_nothing(tmp_path: Path) -> None:
    put(tmp_path / "project", {"a.txt": "one"})
    killed("edit", tmp_path, "kept")

    async def scenario() -> None:
        async with working(tmp_path) as thread:
            plan = await thread.kept.plan(0)
            assert plan.steps == plan.foreign == ()
            assert await thread.changed() == {}

    run(scenario())


def test_a_call_cut_off_after_its_change_is_put_back_if_somebody_says_so(tmp_path: Path) -> None:
    put(tmp_path / "project", {"a.txt": "one"})
    killed("edit", tmp_path, "changed")

    async def scenario() -> None:
        async with working(tmp_path) as thread:
            plan = await thread.kept.plan(5)
            assert [one.why for one in plan.foreign] == ["cut off"]
            assert await thread.changed() == {"a.txt": "modified"}
            await thread.rewind(5, 20, [one.path for one in plan.foreign])
            assert contents(thread.root) == {"a.txt": b"one"}

    run(scenario())


def test_a_tool_that_goes_on_after_a_crash_settles_what_was_cut_off(tmp_path: Path) -> None:
    put(tmp_path / "project", {"a.txt": "one"})
    killed("edit", tmp_path, "changed")

    async def scenario() -> None:
        async with working(tmp_path) as thread:
            await thread.edit(9, "a.txt", "three")
            assert [one.why for one in (await thread.kept.plan(5)).foreign] == ["cut off"]
            await thread.rewind(9, 20)
            assert contents(thread.root) == {"a.txt": b"two"}

    run(scenario())


@pytest.mark.parametrize("others_look", [False, True])
def test_what_a_command_did_that_was_cut_off_is_found(tmp_path: Path, others_look: bool) -> None:
    put(tmp_path / "project", {"a.txt": "one"})
    killed("command", tmp_path)

    async def scenario() -> None:
        async with working(tmp_path) as thread:
            if others_look:
                other = Thread(thread.checkpoints, thread.root, "thr_2")
                await other.shell(3, lambda: None)
            plan = await thread.kept.plan(5)
            paths = [thread.path("a.txt"), thread.path("new/b.txt")]
            assert [(one.path, one.why) for one in plan.foreign] == [
                (path, "cut off") for path in paths
            ]
            await thread.rewind(5, 20, paths)
            assert contents(thread.root) == {"a.txt": b"one"}
            assert await thread.shell(25, lambda: None) == ()

    run(scenario())


@pytest.mark.parametrize("steps", [0, 1, 3, 5])
def test_a_rewind_cut_off_can_be_repeated_and_all_of_it_undone(tmp_path: Path, steps: int) -> None:
    before = {f"{n}.txt": b"one" for n in range(4)}

    async def prepare() -> None:
        async with working(tmp_path) as thread:
            put(thread.root, {**before})
            for name in before:
                await thread.edit(5, name, "two")
            await thread.edit(7, "new/a.txt", "new")

    async def repeat() -> None:
        async with working(tmp_path) as thread:
            plan = await thread.kept.plan(5)
            assert (len(plan.steps), plan.foreign) == (6 - steps, ())
            await thread.rewind(5, 22)
            assert contents(thread.root) == before
            await thread.rewind(22, 24)
            assert contents(thread.root) == {
                **dict.fromkeys(before, b"two"),
                "new/a.txt": b"new",
            }

    run(prepare())
    killed("restore", tmp_path, str(steps))
    run(repeat())


def test_two_processes_work_on_one_store_and_tree(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    for process in [start("work", tmp_path, id) for id in ("thr_a", "thr_b")]:
        finish(process, 0)

    async def scenario() -> None:
        async with working(tmp_path) as thread:
            for id in ("thr_a", "thr_b"):
                other = Thread(thread.checkpoints, thread.root, id)
                made = {f"{id}/made-{number}.txt" for number in range(10)}
                assert {f"{id}/edited.txt", *made} <= set(await other.changed())
            first = Thread(thread.checkpoints, thread.root, "thr_a")
            _, restored = await first.rewind(0, 90)
            assert restored.failed == ()
            assert not (thread.root / "thr_a").exists()

    run(scenario())
