"""Threads: made, listed, switched, renamed, forked, deleted; each resource sees its own."""

import asyncio
from pathlib import Path

import pytest

from longrein.core import events as e
from longrein.core.errors import NotFound, UsageError
from longrein.core.live import Signalled
from longrein.core.messages import Assistant, ToolResult, User
from longrein.core.outcomes import Aborted, Finished
from longrein.testing import ScriptedModel, call, say
from longrein.testing.scripted import spoken
from tests.session.kit import harness, log, of, said, waiting
from tests.session.tools import deploy
from tests.support import run


def counting() -> ScriptedModel:
    """A model that says how often it has spoken."""
    return ScriptedModel(lambda request: say(f"answer {spoken(request.messages) + 1}"))


def test_the_same_key_gives_the_same_live_session() -> None:
    async def body() -> None:
        async with harness(counting()) as made:
            both = await asyncio.gather(made.session("ada"), made.session("ada"))
            assert both[0] is both[1]
            assert await made.session("ada", thread=both[0].thread) is both[0]
            assert await made.session("bob") is not both[0]
            assert await made.session("ada", "other") is not both[0]

    run(body())


def test_another_resources_threads_are_as_if_missing() -> None:
    async def body() -> None:
        async with harness(counting()) as made:
            session = await made.session("ada")
            await (await session.send("secret plan"))
            assert await made.threads("bob") == []
            for attempt in (
                made.session("bob", thread=session.thread),
                made.switch("bob", "default", session.thread),
                made.fork("bob", session.thread),
                made.delete("bob", session.thread),
            ):
                with pytest.raises(NotFound):
                    await attempt
            assert [row.title for row in await made.threads("ada")] == ["secret plan"]

    run(body())


def test_threads_are_listed_in_pages_the_last_used_first() -> None:
    async def body() -> None:
        async with harness(counting()) as made:
            for n in range(5):
                session = await made.session("ada", new=True)
                await (await session.send(f"thread {n}"))
            page = await made.threads("ada", limit=2)
            assert [row.title for row in page] == ["thread 4", "thread 3"]
            rest = await made.threads("ada", after=page[-1], limit=10)
            assert [row.title for row in rest] == ["thread 2", "thread 1", "thread 0"]

    run(body())


def test_switching_tells_the_old_session_and_leaves_it_running() -> None:
    async def body() -> None:
        async with harness(counting()) as made:
            old = await made.session("ada")
            new = await made.session("ada", "elsewhere")
            heard = old.events()
            await old.rename("old")
            await anext(heard)
            assert await made.switch("ada", "default", new.thread) is new
            assert await made.session("ada") is new
            signals = [event async for event in upto_signal(heard)]
            assert signals[-1].kind == "thread_switched"
            assert await (await old.send("still there?")) == Finished("answer 1")

    async def upto_signal(events):  # pyright: ignore
        async for event in events:  # pyright: ignore
            if isinstance(event, Signalled):
                yield event
                return

    run(body())


def test_switching_can_stop_a_run_that_nobody_has_open(tmp_path: Path) -> None:
    store = f"sqlite:{tmp_path / 'test.db'}"

    async def body() -> None:
        async with harness([call("deploy", target="prod")], deploy, store=store) as made:
            old = await made.session("ada")
            await waiting(await old.send("go"))
            new = await made.session("ada", "elsewhere")
            await new.rename("new")
        async with harness(counting(), deploy, store=store) as made:
            await made.switch("ada", "default", new.thread, stop=True)
            assert {row.status for row in await made.threads("ada")} == {"idle"}

    run(body())


def test_switching_can_stop_a_run_of_another_process(tmp_path: Path) -> None:
    store = f"sqlite:{tmp_path / 'test.db'}"

    async def body() -> None:
        script = [call("deploy", target="prod")]
        async with harness(script, deploy, store=store) as one, harness([], store=store) as two:
            old = await one.session("ada")
            handle = await old.send("go")
            await waiting(handle)
            new = await two.session("ada", "elsewhere")
            await two.switch("ada", "default", new.thread, stop=True)
            assert isinstance(await handle, Aborted)

    run(body())


def test_a_rename_is_seen_in_the_list() -> None:
    async def body() -> None:
        async with harness(counting()) as made:
            session = await made.session("ada")
            await (await session.send("hello"))
            await session.rename("  Better \n title ")
            assert [row.title for row in await made.threads("ada")] == ["Better title"]

    run(body())


def test_a_deleted_thread_is_gone() -> None:
    async def body() -> None:
        async with harness(counting()) as made:
            session = await made.session("ada")
            await (await session.send("hello"))
            await made.delete("ada", session.thread)
            assert await made.threads("ada") == []
            with pytest.raises(NotFound):
                await made.session("ada", thread=session.thread)
            assert (await made.session("ada")).thread != session.thread

    run(body())


@pytest.mark.parametrize("store", ["memory", "sqlite"])
def test_a_fork_has_the_whole_conversation_and_goes_its_own_way(store: str, tmp_path: Path) -> None:
    where = "memory" if store == "memory" else f"sqlite:{tmp_path / 'a.db'}"

    async def body() -> None:
        async with harness(counting(), store=where) as made:
            old = await made.session("ada")
            await (await old.send("one"))
            at = old.folded.seq
            await (await old.send("two"))
            new = await made.fork("ada", old.thread, at=at, title="other way")
            assert await (await new.send("three")) == Finished("answer 2")
            texts = [m.text for m in said(new) if isinstance(m, Assistant)]
            assert texts == ["answer 1", "answer 2"]
            seen = await log(new)
            assert [event.seq for event in seen] == list(range(1, new.folded.seq + 1))
            assert isinstance(seen[at], e.Forked)
            assert [m.input for m in said(old) if isinstance(m, User)] != []
            assert new.folded.title == "other way"
            await made.delete("ada", old.thread)
            assert [event.seq for event in await log(new)][:2] == [1, 2]

    run(body())


def test_a_fork_in_the_middle_of_a_step_settles_what_was_open_as_not_run() -> None:
    async def body() -> None:
        async with harness([call("deploy", target="x"), say("ok")], deploy) as made:
            old = await made.session("ada")
            pending = await waiting(await old.send("go"))
            new = await made.fork("ada", old.thread)
            assert new.display.approvals == ()
            assert [m.status for m in said(new) if isinstance(m, ToolResult)] == ["not_run"]
            assert await (await new.send("and?")) == Finished("ok")
            assert old.display.approvals[0].id == pending.approvals[0]
            assert (await new.approve(pending.approvals[0])).status == "missing"
            assert len(await of(new, e.Forked)) == 1

    run(body())


def test_a_thread_cannot_be_forked_where_it_has_no_event() -> None:
    async def body() -> None:
        async with harness(counting()) as made:
            session = await made.session("ada")
            await (await session.send("one"))
            with pytest.raises(UsageError, match="events 1 to"):
                await made.fork("ada", session.thread, at=1000)

    run(body())


@pytest.mark.parametrize("title", ["", " \n"])
def test_a_title_that_is_empty_is_refused(title: str) -> None:
    async def body() -> None:
        async with harness(counting()) as made:
            session = await made.session("ada")
            with pytest.raises(UsageError, match="title"):
                await session.rename(title)

    run(body())
