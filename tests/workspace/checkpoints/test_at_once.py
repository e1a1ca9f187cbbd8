"""What happens beside a command: plans, jobs in the background, and other threads in its tree."""

from pathlib import Path

from tests.support import run
from tests.workspace.checkpoints.setting import At, Thread, contents, put, working


def test_a_plan_that_is_only_shown_leaves_the_command_that_runs_to_itself(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with working(tmp_path) as thread:
            put(thread.root, {"a.txt": "one"})
            at = At(5)
            await thread.kept.before_command(at)
            put(thread.root, {"a.txt": "two"})
            assert (await thread.kept.plan(5, dry=True)).foreign == ()
            put(thread.root, {"b.txt": "two"})
            made = await thread.kept.after_command(at)
            assert [one.path for one in made] == [thread.path("a.txt"), thread.path("b.txt")]
            plan, _ = await thread.rewind(5, 20)
            assert plan.foreign == ()
            assert contents(thread.root) == {"a.txt": b"one"}

    run(scenario())


def test_what_a_job_changed_before_the_next_command_may_be_its_own(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with working(tmp_path) as thread:
            put(thread.root, {"a.txt": "one"})
            thread.jobs_run = True
            await thread.shell(5, lambda: None)
            put(thread.root, {"a.txt": "by the job"})
            thread.jobs_run = False
            at = At(9, call="call_9")
            await thread.kept.before_command(at)
            assert at.facts[0]["files"][0]["path"] == thread.path("a.txt")
            assert await thread.kept.after_command(at) == ()
            put(thread.root, {"b.txt": "by hand"})
            assert await thread.shell(11, lambda: None) == ()
            plan = await thread.kept.plan(5)
            assert [(one.path, one.why) for one in plan.foreign] == [
                (thread.path("a.txt"), "cut off")
            ]
            await thread.rewind(5, 20, [thread.path("a.txt")])
            assert contents(thread.root) == {"a.txt": b"one", "b.txt": b"by hand"}

    run(scenario())


def test_what_a_job_changed_since_the_last_look_is_found_by_a_rewind(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with working(tmp_path) as thread:
            put(thread.root, {"a.txt": "one"})
            thread.jobs_run = True
            await thread.shell(5, lambda: None)
            put(thread.root, {"a.txt": "by the job"})
            assert [one.why for one in (await thread.kept.plan(5)).foreign] == ["cut off"]

    run(scenario())


def test_nothing_is_found_out_about_a_command_that_was_not_run(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with working(tmp_path) as thread:
            put(thread.root, {"a.txt": "one"})
            at = At(5)
            await thread.kept.before_command(at)
            await thread.kept.not_run(at)
            put(thread.root, {"a.txt": "by hand"})
            assert (await thread.kept.plan(5)).foreign == ()
            assert await thread.shell(9, lambda: None) == ()
            assert await thread.changed() == {}

    run(scenario())


def test_what_a_tool_of_another_thread_writes_beside_a_command_is_foreign(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with working(tmp_path) as thread:
            other = Thread(thread.checkpoints, thread.root, "thr_2")
            put(thread.root, {"a.txt": "one", "b.txt": "one"})
            at = At(5)
            await thread.kept.before_command(at)
            put(thread.root, {"b.txt": "by the command"})
            await other.edit(3, "a.txt", "by the other")
            await other.edit(4, "b.txt", "by the other")
            made = await thread.kept.after_command(at)
            assert [one.path for one in made] == [thread.path("b.txt")]
            plan, _ = await thread.rewind(5, 20)
            assert [one.path for one in plan.foreign] == [thread.path("b.txt")]
            assert contents(thread.root) == dict.fromkeys(("a.txt", "b.txt"), b"by the other")
            await other.rewind(3, 22)
            assert contents(thread.root) == {"a.txt": b"one", "b.txt": b"by the command"}

    run(scenario())


def test_what_a_command_makes_of_the_work_of_another_thread_goes_back_to_that(
    tmp_path: Path,
) -> None:
    async def scenario() -> None:
        async with working(tmp_path) as thread:
            other = Thread(thread.checkpoints, thread.root, "thr_2")
            put(thread.root, {"a.txt": "one"})
            at = At(5)
            await thread.kept.before_command(at)
            await other.edit(3, "a.txt", "by the other")
            put(thread.root, {"a.txt": "by the command"})
            await thread.kept.after_command(at)
            await thread.rewind(5, 20)
            assert contents(thread.root) == {"a.txt": b"by the other"}

    run(scenario())


def test_nobody_is_sure_of_a_file_that_a_tool_of_another_thread_is_at(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with working(tmp_path) as thread:
            other = Thread(thread.checkpoints, thread.root, "thr_2")
            put(thread.root, {"a.txt": "one"})
            at = At(5)
            await thread.kept.before_command(at)
            await other.kept.before(At(3), other.files, [other.path("a.txt")])
            put(thread.root, {"a.txt": "two"})
            await thread.kept.after_command(at)
            assert [one.why for one in (await thread.kept.plan(5)).foreign] == ["cut off"]

    run(scenario())
