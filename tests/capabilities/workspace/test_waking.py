"""A job that ends by itself wakes the agent that began it."""

import asyncio
from pathlib import Path
from typing import Any

from longrein import Note, Rule, Session, ShellSettings, Workspace, events
from longrein.capabilities.shell_tools.records import JOBS
from longrein.testing import Reply, call, say
from tests.capabilities.workspace.kit import finish, working
from tests.support import run

WAITS = "until [ -e go ]; do sleep 0.02; done; echo bye; exit 4"
ALLOWED = [Rule("allow", category="execute")]


def begin(line: str) -> Reply:
    return call("execute", command=line, background=True)


def place(folder: Path) -> Workspace:
    return Workspace(folder, shell=ShellSettings("host"), checkpoints=False)


def notes(session: Session[Any]) -> list[str]:
    return [one.text for one in session.display.messages if isinstance(one, Note)]


def test_the_end_of_a_job_begins_a_run_where_none_is_open(tmp_path: Path) -> None:
    async def body() -> None:
        script = [begin(WAITS), say("It runs."), say("It is over.")]
        async with working(place(tmp_path), *script, rules=ALLOWED) as (_, session):
            await finish(session)
            (tmp_path / "go").touch()
            async for event in session.events(after=session.folded.seq):
                if isinstance(event, events.RunEnded):
                    break
            (note,) = notes(session)
            assert "Job 1 (`until [ -e go ]" in note
            assert "has ended: exit code 4; 4 bytes to read." in note
            (job,) = session.read(JOBS)
            assert job.exit == 4

    run(body())


def test_a_job_that_the_model_waits_for_wakes_nobody(tmp_path: Path) -> None:
    async def body() -> None:
        script = [begin("sleep 0.3"), call("job", id=1, wait=9), say("ok")]
        async with working(place(tmp_path), *script, rules=ALLOWED) as (_, session):
            await finish(session)
            await asyncio.sleep(0.8)
            assert (notes(session), len(session.folded.outcomes)) == ([], 1)

    run(body())


def test_a_job_that_was_stopped_wakes_nobody(tmp_path: Path) -> None:
    async def body() -> None:
        script = [begin("sleep 60"), call("job", id=1, action="stop"), say("ok")]
        async with working(place(tmp_path), *script, rules=ALLOWED) as (_, session):
            await finish(session)
            await asyncio.sleep(0.8)
            assert (notes(session), len(session.folded.outcomes)) == ([], 1)

    run(body())


def test_the_end_of_the_session_wakes_nobody(tmp_path: Path) -> None:
    async def body() -> None:
        script = [begin("sleep 60"), say("It runs.")]
        store = f"sqlite:{tmp_path / 'threads.db'}"
        async with working(place(tmp_path), *script, store=store, rules=ALLOWED) as (_, session):
            await finish(session)
        async with working(place(tmp_path), *script, store=store, rules=ALLOWED) as (_, session):
            assert (notes(session), len(session.folded.outcomes)) == ([], 1)

    run(body())
