"""What tools and commands did to files can be seen, and taken back."""

import asyncio
import os
from pathlib import Path

import pytest

from longrein import CHANGED, InThread, OpenWorkspace, UsageError, Workspace
from longrein.testing import call, say
from tests.capabilities.workspace.kit import finish, working
from tests.support import run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    (root / "a.txt").write_text("one\n")
    return root


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
        begin = call(
            "execute", command="while :; do date > t.txt; sleep 0.1; done", background=True
        )
        async with working(Workspace(folder), begin) as (_, session):
            await finish(session)
            await session.rewind(session.points()[0])
            assert os.listdir(folder) == ["a.txt"]
            await asyncio.sleep(0.3)
            assert os.listdir(folder) == ["a.txt"]

    run(body())


def test_without_checkpoints_files_stay_as_they_are(folder: Path) -> None:
    async def body() -> None:
        workspace = Workspace(folder, checkpoints=False)
        async with working(workspace, _edit("one", "two")) as (_, session):
            await finish(session)
            await session.rewind(session.points()[0])
            assert (folder / "a.txt").read_text() == "two\n"

    run(body())
