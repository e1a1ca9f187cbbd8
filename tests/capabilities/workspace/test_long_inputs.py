"""Inputs that are too long: shown in part, kept whole, and gone with their thread."""

import re
from pathlib import Path

import pytest

from longrein import InThread, NotFound, OpenWorkspace, UsageError, User, Waiting, Workspace
from longrein.core.offload import input_path
from longrein.events import InputAdmitted, ToolEnded
from longrein.testing import call, say
from tests.capabilities.workspace.offloading import (
    LONG,
    harness,
    path_in,
    reading,
    results,
    say_all,
)
from tests.support import run


def test_a_long_input_is_shown_as_head_and_tail_once_and_read_whole() -> None:
    async def body() -> None:
        look = reading("grep", pattern="needle")
        made = harness(look, say("found"), workspace=Workspace(InThread()))
        async with made as host:
            session = await host.session()
            await say_all(session, f"What is in this?\n{LONG}")
            said = session.display.messages[0]
            assert isinstance(said, User)
            assert said.text.startswith("What is in this?\n000000")
            assert len(said.text) < 21_000
            assert path_in(said.text) == input_path(said.input)
            assert "23458:023456 needle" in results(session)[0].text

    run(body())


def test_an_input_stays_whole_where_the_agent_could_not_read_the_rest() -> None:
    async def body() -> None:
        async with harness(say("ok"), workspace=None) as host:
            session = await host.session()
            await say_all(session, LONG)
            said = session.display.messages[0]
            assert isinstance(said, User)
            assert said.text == LONG
            assert not said.whole

    run(body())


def test_how_long_an_input_may_be_can_be_set() -> None:
    async def body() -> None:
        workspace = Workspace(InThread(), longest_input=30_000)
        async with harness(say("ok"), say("ok"), workspace=workspace) as host:
            session = await host.session()
            await say_all(session, "a" * 30_000)
            await say_all(session, "b" * 30_001)
            short, long = (one for one in session.display.messages if isinstance(one, User))
            assert len(short.text) == 30_000
            assert "10,001 of 30,001 characters left out" in long.text

    run(body())
    with pytest.raises(UsageError, match="longest_input"):
        Workspace(InThread(), longest_input=10)


def test_an_edited_input_is_shortened_too() -> None:
    async def body() -> None:
        ask = call("write_file", path="/a.txt", content="1")
        made = harness(ask, say("one"), say("two"), workspace=Workspace(InThread()))
        async with made as host:
            session = await host.session()
            first = await session.send("one")
            assert isinstance(await first, Waiting)
            second = await session.queue("two", command="../later")
            await session.edit("../later", LONG)
            await session.approve(session.display.approvals[0])
            await first
            await second
            said = [one for one in session.display.messages if isinstance(one, User)][-1]
            assert await host.store.blob(said.whole) == LONG.encode()
            assert re.fullmatch(r"/offload/input-\w{16}\.txt", path_in(said.text))

    run(body())


def test_what_was_kept_goes_with_the_thread(tmp_path: Path) -> None:
    async def body() -> None:
        store = f"sqlite:{tmp_path}/a.db"
        workspace = Workspace(InThread())
        async with harness(call("fetch"), say("ok"), workspace=workspace, store=store) as host:
            session = await host.session()
            await say_all(session, LONG + "and more")
            said, result = session.display.messages[0], results(session)[0]
            assert isinstance(said, User)
            blobs = (said.whole, result.whole)
            assert all([await host.store.blob(one) for one in blobs])
            await host.delete("default", session.thread)
            assert [await host.store.blob(one) for one in blobs] == [None, None]
            with pytest.raises(NotFound):
                await host.session(thread=session.thread)

    run(body())


def test_erasing_an_input_removes_the_whole_of_it(tmp_path: Path) -> None:
    async def body() -> None:
        workspace, store = Workspace(InThread()), f"sqlite:{tmp_path}/a.db"
        async with harness(say("ok"), workspace=workspace, store=store) as host:
            session = await host.session()
            await say_all(session, LONG)
            said = session.display.messages[0]
            assert isinstance(said, User)
            admitted = await anext(session.events(only=InputAdmitted))
            assert isinstance(admitted, InputAdmitted)
            await host.erase("default", session.thread, admitted.seq)
            assert await host.store.blob(said.whole) is None

    run(body())


def test_an_export_carries_the_whole_of_an_input() -> None:
    async def body() -> None:
        workspace = Workspace(InThread())
        async with harness(say("ok"), workspace=workspace) as host:
            session = await host.session()
            await say_all(session, LONG)
            exported = b"".join([one async for one in host.export("default", session.thread)])
        async with harness(workspace=workspace) as host:
            row = await host.import_thread("default", exported)
            session = await host.session(thread=row.id)
            said = session.display.messages[0]
            assert isinstance(said, User)
            files = session.capability(OpenWorkspace)
            path = input_path(said.input)
            content = await session.perform(lambda ctx: files.files(ctx).read(path))
            assert content.data == LONG.encode()

    run(body())


def test_erasing_a_result_removes_the_long_output_that_it_names(tmp_path: Path) -> None:
    async def body() -> None:
        folder = tmp_path / "project"
        folder.mkdir()
        twice = [call("execute", command=f"seq {n} 20000") for n in (1, 2)]
        workspace, store = Workspace(folder), f"sqlite:{tmp_path}/a.db"
        async with harness(*twice, say("ok"), workspace=workspace, store=store) as host:
            session = await host.session()
            outcome = await (run_ := await session.send("go"))
            while isinstance(outcome, Waiting):
                await session.approve(outcome.approvals[0])
                outcome = await run_
            first, second = (Path(path_in(one.text)) for one in results(session))
            assert first.exists()
            ended = await anext(session.events(only=ToolEnded))
            assert isinstance(ended, ToolEnded)
            await host.erase("default", session.thread, ended.seq)
            assert not first.exists()
            assert second.exists()

    run(body())
