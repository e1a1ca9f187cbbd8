"""What tools and commands did to files can be seen, and taken back."""

import asyncio
import os
import sqlite3
from pathlib import Path

import pytest

from longrein import (
    CHANGED,
    Agent,
    Capability,
    FileRule,
    Harness,
    InThread,
    Note,
    OpenWorkspace,
    Store,
    UsageError,
    Workspace,
)
from longrein.testing import Script, ScriptedModel, call, say
from longrein.workspace.checkpoints.store import Checkpoints
from tests.capabilities.workspace.kit import finish, working
from tests.support import run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    (root / "a.txt").write_text("one\n")
    return root


async def _until(path: Path) -> None:
    while not os.path.exists(path):  # noqa: ASYNC110, ASYNC240 - a command makes it
        await asyncio.sleep(0.01)


def _edit(old: str, new: str):
    return call("edit_file", path="a.txt", edits=[{"old_string": old, "new_string": new}])


def test_files_and_conversation_go_back_together_and_the_rewind_can_be_undone(folder: Path) -> None:
    async def body() -> None:
        replies = (_edit("one", "two"), say("did"), call("execute", command="echo hi > b.txt"))
        async with working(Workspace(folder), *replies) as (_, session):
            await finish(session, "first")
            await finish(session, "second")
            assert [point.text for point in session.points()] == ["second", "first"]
            first = session.points()[-1]
            preview = await session.preview_rewind(first)
            assert preview.files is not None
            assert preview.files.restored == (f"{folder}/a.txt",)
            assert preview.files.removed == (f"{folder}/b.txt",)
            await session.rewind(first)
            assert os.listdir(folder) == ["a.txt"]
            assert (folder / "a.txt").read_text() == "one\n"
            assert list(session.display.messages) == []
            await session.undo()
            assert (folder / "a.txt").read_text() == "two\n"
            assert (folder / "b.txt").read_text() == "hi\n"
            assert len(session.display.messages) == 8

    run(body())


def test_what_somebody_else_changed_is_kept_and_told(folder: Path) -> None:
    async def body() -> None:
        replies = (_edit("one", "two"), say("did"), call("execute", command="echo hi > b.txt"))
        async with working(Workspace(folder), *replies) as (_, session):
            await finish(session, "first")
            await finish(session, "second")
            (folder / "a.txt").write_text("mine\n")
            first = session.points()[-1]
            await session.rewind(first, conversation=False)
            assert (folder / "a.txt").read_text() == "mine\n"
            assert not (folder / "b.txt").exists()
            await session.rewind(first, conversation=False, overwrite=[f"{folder}/a.txt"])
            assert (folder / "a.txt").read_text() == "one\n"

    run(body())


def test_what_a_user_does_out_of_sight_of_commands_stays_and_is_not_told(folder: Path) -> None:
    async def body() -> None:
        (folder / ".env").write_text("KEY=old\n")
        wait = call("execute", command="touch begun; while ! [ -e go ]; do sleep 0.02; done")
        workspace = Workspace(folder, rules=[FileRule("deny", ("**/.env", "**/.new"))])
        async with working(workspace, wait) as (_, session):
            told = asyncio.create_task(finish(session))
            await _until(folder / "begun")
            (folder / ".env").write_text("KEY=mine\n")
            (folder / ".new").write_text("mine\n")
            (folder / "go").touch()
            (result,) = await told
            assert "[changed: begun, go]" in result
            changed = [os.path.basename(one.path) for one in session.read(CHANGED).files]
            assert changed == ["begun", "go"]
            await session.rewind(session.points()[0])
            assert (folder / ".env").read_text() == "KEY=mine\n"
            assert (folder / ".new").read_text() == "mine\n"

    run(body())


def test_what_a_command_writes_against_a_rule_is_told_with_the_rule(folder: Path) -> None:
    async def body() -> None:
        rule = FileRule("deny", ("**/*.lock",), ("write",))
        write = call("execute", command="""python3 -c 'open("b.lock", "w").write("hi")'""")
        async with working(Workspace(folder, rules=[rule]), write) as (_, session):
            (result,) = await finish(session)
            assert f"[changed: b.lock (against {rule})]" in result
            assert (folder / "b.lock").read_text() == "hi"
            await session.rewind(session.points()[0])
            assert os.listdir(folder) == ["a.txt"]

    run(body())


def test_changed_files_are_listed_with_diffs_by_run_and_thread(folder: Path) -> None:
    async def body() -> None:
        replies = (_edit("one", "two"), say("did"), _edit("two", "three"))
        async with working(Workspace(folder), *replies) as (_, session):
            await finish(session, "first")
            await finish(session, "second")
            workspace = session.capability(OpenWorkspace)
            (whole,) = await workspace.changed()
            (last,) = await workspace.changed(run=session.points()[0].run)
            assert "-one\n+three" in await workspace.diff(whole)
            assert "-two\n+three" in await workspace.diff(last)
            assert [one.path for one in session.read(CHANGED).files] == [f"{folder}/a.txt"]
            assert session.display.changed_files == session.read(CHANGED)
            assert "a.txt" in await session.invoke("changes")
            assert "+three" in await session.invoke("changes", "a.txt")
            with pytest.raises(UsageError, match="has not changed"):
                await session.invoke("changes", "b.txt")

    run(body())


def test_files_of_a_thread_go_back_as_well() -> None:
    async def body() -> None:
        replies = (
            call("write_file", path="/a", content="one"),
            say("did"),
            call("edit_file", path="/a", edits=[{"old_string": "one", "new_string": "two"}]),
        )
        async with working(Workspace(InThread()), *replies) as (_, session):
            await finish(session, "first")
            await finish(session, "second")
            workspace = session.capability(OpenWorkspace)
            await session.rewind(session.points()[0])
            content = await session.perform(lambda ctx: workspace.files(ctx).read("/a"))
            assert content.data == b"one"
            await session.undo()
            content = await session.perform(lambda ctx: workspace.files(ctx).read("/a"))
            assert content.data == b"two"

    run(body())


def test_a_rewind_works_after_a_restart(folder: Path, tmp_path: Path) -> None:
    async def body() -> None:
        store = f"sqlite:{tmp_path}/a.db"
        async with working(Workspace(folder), _edit("one", "two"), store=store) as (_, session):
            await finish(session)
        async with working(Workspace(folder), store=store) as (harness, session):
            await session.rewind(session.points()[0])
            assert (folder / "a.txt").read_text() == "one\n"
            await harness.delete("default", session.thread)

    run(body())


def test_jobs_that_were_begun_after_the_point_end(folder: Path) -> None:
    async def body() -> None:
        begin = call("execute", command="while touch t.txt; do sleep 0.1; done", background=True)
        begun = call("execute", command="until [ -e t.txt ]; do sleep 0.01; done")
        async with working(Workspace(folder), begin, begun) as (_, session):
            await finish(session)
            # What a job does after the call that began it might be anybody's.
            await session.rewind(session.points()[0], overwrite=[f"{folder}/t.txt"])
            assert os.listdir(folder) == ["a.txt"]
            await asyncio.sleep(0.3)
            assert os.listdir(folder) == ["a.txt"]

    run(body())


@pytest.mark.parametrize("how", ["forked", "imported"])
def test_what_another_thread_keeps_is_said_to_stay(folder: Path, tmp_path: Path, how: str) -> None:
    async def body() -> None:
        replies = (_edit("one", "two"), say("did"), _edit("two", "three"), say("did"))
        store = f"sqlite:{tmp_path}/a.db"
        async with working(Workspace(folder), *replies, store=store) as (harness, session):
            await finish(session, "first")
            if how == "forked":
                other = await harness.fork("default", session.thread)
            else:
                data = b"".join([one async for one in harness.export("default", session.thread)])
                row = await harness.import_thread("default", data, copy=True)
                other = await harness.session(thread=row.id)
            preview = await other.preview_rewind(other.points()[0])
            assert preview.files is not None
            (left,) = preview.files.unrestorable
            assert (left.path, left.reason) == (f"{folder}/a.txt", "what it was is not kept here")
            await finish(other, "second")
            await other.rewind(other.points()[-1])
            assert (folder / "a.txt").read_text() == "three\n"
            await other.undo()
            await other.rewind(other.points()[0])
            assert (folder / "a.txt").read_text() == "two\n"

    run(body())


def test_a_store_in_memory_keeps_files_when_its_session_is_opened_again(folder: Path) -> None:
    async def body() -> None:
        async with working(Workspace(folder), _edit("one", "two")) as (harness, session):
            await finish(session)
            await session.close()
            session = await harness.session(thread=session.thread)
            await session.rewind(session.points()[0])
            assert (folder / "a.txt").read_text() == "one\n"

    run(body())


def test_what_a_job_did_between_runs_is_told_and_known(folder: Path) -> None:
    async def body() -> None:
        wait = "while ! [ -e go ]; do sleep 0.02; done; echo hi > b.txt"
        begin = call("execute", command=wait, background=True)
        async with working(Workspace(folder), begin, *[say("did")] * 50) as (_, session):
            await finish(session, "first")
            (folder / "go").touch()
            await _until(folder / "b.txt")
            notes: list[str] = []
            while not notes:  # until it is known that the job has ended
                await asyncio.sleep(0.1)
                await finish(session, "next")
                notes = [one.text for one in session.display.messages if isinstance(one, Note)]
            assert "[changed: b.txt, go]" in notes[0]
            preview = await session.preview_rewind(session.points()[-1])
            assert preview.files is not None
            assert [one.path for one in preview.files.foreign] == [
                *(f"{folder}/b.txt", f"{folder}/go")
            ]

    run(body())


def test_a_thread_is_deleted_though_its_checkpoints_are_broken(
    folder: Path, tmp_path: Path
) -> None:
    async def body() -> None:
        store = f"sqlite:{tmp_path}/a.db"
        async with working(Workspace(folder), _edit("one", "two"), store=store) as (_, session):
            await finish(session)
        (tmp_path / "a.db-files").write_bytes(b"no database" * 1000)
        async with working(Workspace(folder), store=store) as (harness, session):
            await harness.delete("default", session.thread)
            assert await harness.threads() == []

    run(body())


def test_what_is_left_of_a_deleted_thread_goes_when_its_store_is_used_again(
    folder: Path, tmp_path: Path
) -> None:
    def left() -> int:
        connection = sqlite3.connect(tmp_path / "a.db-files")
        (count,) = connection.execute("SELECT count(*) FROM contents").fetchone()
        connection.close()
        return count

    async def body() -> None:
        store = f"sqlite:{tmp_path}/a.db"
        async with working(Workspace(folder), _edit("one", "two"), store=store) as (_, session):
            await finish(session)
        async with Harness(Agent("other"), store=store) as harness:
            await harness.delete("default", session.thread)
        assert left() == 2
        async with working(Workspace(folder), store=store):
            while left():  # noqa: ASYNC110 - removed in the background
                await asyncio.sleep(0.01)

    run(body())


def test_one_capability_that_cannot_forget_keeps_no_other_from_it(
    folder: Path, tmp_path: Path
) -> None:
    class Forgetful(Capability):
        async def forget(self, store: Store, thread: str) -> None:
            raise OSError("no")

    async def body() -> None:
        model = ScriptedModel(Script([_edit("one", "two"), say("did")] * 2))
        agent = Agent("worker", model=model, capabilities=[Workspace(folder), Forgetful()])
        async with Harness(agent, store=f"sqlite:{tmp_path}/a.db") as harness:
            for resource in ("ann", "bob"):
                await finish(await harness.session(resource))
                (folder / "a.txt").write_text("one\n")
            with pytest.raises(OSError, match="no"):
                await harness.retain({"": 0})
        checkpoints = Checkpoints(f"{tmp_path}/a.db-files")
        assert await checkpoints.threads() == []
        await checkpoints.close()

    run(body())


def test_without_checkpoints_files_stay_as_they_are(folder: Path) -> None:
    async def body() -> None:
        workspace = Workspace(folder, checkpoints=False)
        async with working(workspace, _edit("one", "two")) as (_, session):
            await finish(session)
            await session.rewind(session.points()[0])
            assert (folder / "a.txt").read_text() == "two\n"

    run(body())
