"""Commands in the background: counted in the status line, listed, read and stopped."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from longrein.capabilities.shell_tools.records import JOBS
from longrein.capabilities.workspace.workspace import Workspace
from longrein.client.local import LocalClient
from longrein.client.port import About, JobInfo, ThreadClient
from longrein.client.words import LONGEST
from longrein.core import commands as c
from longrein.core.messages import Note
from longrein.harness import Harness
from longrein.loop.agent import Agent
from longrein.testing import Reply, Script, ScriptedModel, call, say
from longrein.tui.view.jobs import job_rows
from tests.support import run
from tests.tui.apps import User, using
from tests.tui.kit import NOBODY, client
from tests.tui.working import settled

LINE = "echo ready; exec sleep 300"
SECOND = 1_000_000
KEY = "sk-1234567890abcdefghijklmnopqrstuvwxyz"


def begin(line: str = LINE) -> Reply:
    return call("execute", command=line, background=True)


@asynccontextmanager
async def working(says: Sequence[Reply], folder: Path) -> AsyncGenerator[User, None]:
    """Somebody before the app, once the agent has begun a job."""
    async with client(says, folder) as made, using(made, size=(100, 24)) as person:
        thread = thread_of(person)
        await thread.submit(c.SetTrust("yolo"))
        await person.types("Serve", "enter")
        await settled(thread, lambda shown: shown.slices[JOBS.name] and shown.activity == "idle")
        yield person


def thread_of(person: User) -> ThreadClient:
    return person.app.stage.desk.thread


def test_a_job_that_runs_is_in_the_status_line(tmp_path: Path) -> None:
    async def main() -> None:
        async with working([begin(), say("It runs.")], tmp_path) as person:
            assert "1 job" in (await person.sees("1 job")).splitlines()[-1]

    run(main())


def test_jobs_are_listed_with_their_state_and_what_they_said_last(tmp_path: Path) -> None:
    async def main() -> None:
        async with working([begin(), say("It runs.")], tmp_path) as person:
            await person.types("/jobs", "enter")
            await person.sees("running")

            def told() -> bool:
                rows = [line.replace(LINE, "") for line in person.screen.splitlines()]
                return any("ready" in row and "running" in row for row in rows)

            await person.until(told, "what it said last")

    run(main())


def test_what_a_job_put_out_is_read_by_enter(tmp_path: Path) -> None:
    async def main() -> None:
        line = "seq 1 5; exec sleep 300"
        async with working([begin(line), say("It runs.")], tmp_path) as person:
            await person.types("/jobs", "enter")
            await person.until(lambda: " 5 " in person.screen, "what it said last")
            await person.presses("enter")
            screen = await person.sees("/ find")
            await person.until(lambda: "3" in [one.strip() for one in person.screen.splitlines()])
            assert line in screen

    run(main())


@asynccontextmanager
async def reading(rest: str, folder: Path) -> AsyncGenerator[User, None]:
    """Somebody at the page of a job that counts to 99, and does the rest once there is a `go`."""
    wait = "while [ ! -e go ]; do sleep 0.05; done"
    (folder / "count").write_text(f"seq 1 99; {wait}; seq 100 200; {rest}")
    async with working([begin("sh count"), say("It runs."), say("I see.")], folder) as person:
        await person.types("/jobs", "enter")
        await person.until(lambda: "99" in person.screen.split(), "what it said last")
        await person.presses("enter")
        await person.until(lambda: "98" in person.screen.split(), "its end")
        yield person


def test_a_job_is_read_from_its_end_and_followed(tmp_path: Path) -> None:
    async def main() -> None:
        async with reading("exec sleep 300", tmp_path) as person:
            assert "5" not in person.screen.split()
            (tmp_path / "go").touch()
            await person.until(lambda: "200" in person.screen.split(), "what it added")
            assert "running" in person.screen

    run(main())


def test_what_a_job_adds_moves_nobody_who_reads_further_up(tmp_path: Path) -> None:
    async def main() -> None:
        async with reading("exit 3", tmp_path) as person:
            await person.presses("home")
            await person.until(lambda: "5" in person.screen.split(), "its beginning")
            (tmp_path / "go").touch()
            await person.sees("exit code 3")
            assert "5" in person.screen.split()
            await person.presses("end")
            await person.until(lambda: "200" in person.screen.split(), "all of it")

    run(main())


def test_a_job_that_is_stopped_is_told_of_when_the_agent_next_runs(tmp_path: Path) -> None:
    async def main() -> None:
        says = [begin(), say("It runs."), say("I see.")]
        async with working(says, tmp_path) as person:
            thread = thread_of(person)
            await person.types("/jobs", "enter")
            await person.sees("running")
            await person.presses("ctrl+x")
            await person.until(lambda: any("was stopped" in note for note in person.notes))
            await settled(thread, lambda shown: shown.slices[JOBS.name][0].ended)
            assert thread.display.activity == "idle"
            await person.until(lambda: "stopped  " in person.screen, "its new state")
            await person.presses("escape")
            await person.until(lambda: "1 job" not in person.screen)
            await person.types("Go on", "enter")
            await person.sees("I see.")
            notes = [one.text for one in thread.display.messages if isinstance(one, Note)]
            assert [one.partition(":")[0] for one in notes] == [
                f"The user stopped a job. Job 1 (`{LINE}`) has ended"
            ]

    run(main())


def test_a_job_that_has_ended_cannot_be_stopped(tmp_path: Path) -> None:
    async def main() -> None:
        says = [begin("exit 3"), call("job", id=1, wait=60), say("It is over."), say("I know.")]
        async with working(says, tmp_path) as person:
            assert not await thread_of(person).stop_job(1)
            (job,) = await thread_of(person).jobs()
            assert (job.ending, bool(job.ended)) == ("exit code 3", True)

    run(main())


def test_a_job_that_is_stopped_twice_is_told_of_once(tmp_path: Path) -> None:
    async def main() -> None:
        async with working([begin(), say("It runs."), say("I see.")], tmp_path) as person:
            thread = thread_of(person)
            await asyncio.gather(thread.stop_job(1), thread.stop_job(1))
            await person.types("Go on", "enter")
            await person.sees("I see.")
            notes = [one.text for one in thread.display.messages if isinstance(one, Note)]
            assert len(notes) == 1

    run(main())


def test_no_part_of_a_secret_is_shown_of_what_a_job_said_last(tmp_path: Path) -> None:
    async def main() -> None:
        (tmp_path / "long").write_text(f"{KEY} {'0' * 3_980}")
        (tmp_path / "begun").write_text(f"key: {KEY[:-1]}")
        says = [begin("cat long; sleep 300"), begin("cat begun; sleep 300"), say("They run.")]
        able = (Workspace(tmp_path, shell="host"),)
        agent = Agent("a", model=ScriptedModel(Script(says)), capabilities=able)
        async with Harness(agent, environ={**NOBODY, "OPENAI_API_KEY": KEY}) as harness:
            made = LocalClient(harness, "tester", About(str(tmp_path), ()))
            thread = await made.open(new=True)
            await thread.submit(c.SetTrust("yolo"))
            await thread.say("send", "Begin")
            await settled(thread, lambda shown: len(shown.slices[JOBS.name]) == 2)
            said = [""]
            async with asyncio.timeout(20):
                while "" in said:
                    said = [job.last for job in reversed(await thread.jobs())]
                    await asyncio.sleep(0.01)
            assert said == ["0" * (LONGEST - 1) + "…", "key:"]
            await made.close()

    run(main())


def test_leaving_while_a_job_runs_is_asked_about(tmp_path: Path) -> None:
    async def main() -> None:
        async with working([begin(), say("It runs.")], tmp_path) as person:
            await person.presses("ctrl+d")
            await person.sees("Leave?")

    run(main())


def test_rows_of_jobs_say_how_long_they_run_or_ran() -> None:
    runs = JobInfo(2, "make watch", 5 * SECOND, last="built")
    over = JobInfo(1, "make", 0, 2 * SECOND, "exit code 1")
    rows = job_rows([runs, over], 65 * SECOND)
    assert [row.cells for row in rows] == [("running", "1m 00s"), ("exit code 1", "2s")]
    assert rows[0].note == "built"
