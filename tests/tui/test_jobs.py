"""Commands in the background: counted in the status line, listed, read and stopped."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from longrein.capabilities.shell_tools.records import JOBS
from longrein.client.port import JobInfo, ThreadClient
from longrein.core import commands as c
from longrein.core.messages import Note
from longrein.testing import Reply, call, say
from longrein.tui.view.jobs import job_rows
from tests.support import run
from tests.tui.apps import User, using
from tests.tui.kit import client
from tests.tui.working import settled

LINE = "echo ready; exec sleep 300"
SECOND = 1_000_000


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
