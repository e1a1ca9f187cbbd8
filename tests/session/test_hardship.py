"""What is wrong from outside is refused or survived: the thread stays usable and opens again."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from longrein.core import events as e
from longrein.core.errors import NotFound, StoreFull, UsageError
from longrein.core.messages import File, ToolResult
from longrein.core.outcomes import Aborted, Finished
from longrein.core.policy import Rule
from longrein.core.usage import Limits
from longrein.harness import Harness
from longrein.loop.agent import Agent
from longrein.session import tasks
from longrein.session.session import Session
from longrein.storage.base import Posted
from longrein.storage.memory import MemoryStore
from longrein.testing import call, calls, say
from longrein.tools.context import Context
from longrein.tools.define import tool
from tests.session.kit import harness, said, until, waiting, with_session
from tests.session.tools import Gate, deploy
from tests.support import run

WRONG: tuple[Callable[[Session], Awaitable[Any]], ...] = (
    lambda session: session.set_trust("auto"),  # pyright: ignore[reportArgumentType]
    lambda session: session.send(123),  # pyright: ignore[reportArgumentType]
    lambda session: session.send("x", limits=Limits(steps=2.5)),  # pyright: ignore
    lambda session: session.signal("x", source=None),  # pyright: ignore[reportArgumentType]
    lambda session: session.rename(None),  # pyright: ignore[reportArgumentType]
    lambda session: session.approve("a", scope="galaxy"),  # pyright: ignore
    lambda session: session.send("x", files=[File("image/png", blob="0" * 64)]),
    lambda session: session.send("x", files=["a.png"]),  # pyright: ignore[reportArgumentType]
)


@pytest.mark.parametrize("wrong", WRONG)
def test_a_value_of_a_wrong_type_is_refused_and_changes_nothing(
    wrong: Callable[[Session], Awaitable[Any]],
) -> None:
    async def body(session: Session) -> None:
        await (await session.send("hi"))
        before = session.folded
        with pytest.raises(UsageError):
            await wrong(session)
        assert session.folded is before

    with_session(harness([say("hello")]), body)


def test_any_key_of_an_exclusive_tool_makes_a_lane_and_the_thread_opens_again(
    tmp_path: Path,
) -> None:
    @tool(exclusive=lambda arguments: arguments["n"])
    async def number(n: int) -> int:
        """Give a number back."""
        return n

    store = f"sqlite:{tmp_path / 'a.db'}"
    script = [calls(call("number", n=1), call("number", n=1)), say("ok")]

    async def write() -> None:
        async with harness(script, number, store=store) as made:
            assert await (await (await made.session("ada")).send("go")) == Finished("ok")

    async def again() -> None:
        async with harness(script, number, store=store) as made:
            assert (await made.session("ada")).folded.seq > 0

    run(write())
    run(again())


def test_a_tool_that_returns_what_cannot_be_kept_ends_in_an_error() -> None:
    @tool
    async def ghost() -> File:
        """Give a file that is not there."""
        return File("image/png", blob="0" * 64)

    async def body(session: Session) -> None:
        assert await (await session.send("go")) == Finished("ok")
        assert [m.status for m in said(session) if isinstance(m, ToolResult)] == ["error"]

    with_session(harness([call("ghost"), say("ok")], ghost), body)


def test_a_tool_may_return_a_picture_that_it_made() -> None:
    @tool
    async def draw(ctx: Context) -> File:
        """Draw something."""
        return await ctx.keep(b"\x89PNG\r\n\x1a\n...", name="it.png")

    async def body(session: Session) -> None:
        assert await (await session.send("go")) == Finished("ok")
        (result,) = [m for m in said(session) if isinstance(m, ToolResult)]
        (picture,) = result.parts
        assert isinstance(picture, File)
        assert picture.media_type == "image/png"
        assert await session.conductor.store.blob(picture.blob)

    with_session(harness([call("draw"), say("ok")], draw), body)


class NoRoomForBlobs(MemoryStore):
    """A store in which events fit, but no blobs."""

    async def put_blob(self, data: bytes) -> str:
        raise StoreFull("There is no room left.")


def test_a_large_result_that_cannot_be_kept_whole_is_still_heard() -> None:
    @tool
    async def big() -> str:
        """Return much."""
        return "x" * 100_000

    async def body(session: Session) -> None:
        assert await (await session.send("go")) == Finished("ok")
        (result,) = [m for m in said(session) if isinstance(m, ToolResult)]
        assert (result.status, result.whole) == ("ok", "")

    with_session(harness([call("big"), say("ok")], big, store=NoRoomForBlobs()), body)


def test_an_interrupt_ends_a_run_whose_tool_does_not_listen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tasks, "GRACE", 0.05)
    stop = asyncio.Event()

    @tool
    async def stubborn() -> str:
        """Go on whatever happens."""
        while not stop.is_set():
            try:
                await stop.wait()
            except asyncio.CancelledError:
                continue
        return "done after all"

    async def body(session: Session) -> None:
        handle = await session.send("go")
        await until(lambda: session.display.calls != ())
        await asyncio.sleep(0.01)
        await session.interrupt()
        assert await handle == Aborted("")
        (result,) = [m for m in said(session) if isinstance(m, ToolResult)]
        assert result.status == "interrupted"
        stop.set()
        assert await (await session.send("again")) == Finished("ok")

    with_session(harness([call("stubborn"), say("ok")], stubborn), body)


def test_a_closed_session_takes_no_more_commands() -> None:
    async def body() -> None:
        async with harness([say("one"), say("two")]) as made:
            session = await made.session("ada")
            await (await session.send("hi"))
            await session.close()
            with pytest.raises(UsageError, match="closed"):
                await session.send("again")
            assert made.sessions == []
            assert await (await (await made.session("ada")).send("again")) == Finished("two")

    run(body())


def test_a_command_that_makes_no_sense_does_not_block_the_inbox(tmp_path: Path) -> None:
    store = f"sqlite:{tmp_path / 'a.db'}"

    async def body() -> None:
        gate = Gate()
        script = [call("work", name="a"), say("ok")]
        async with (
            harness(script, *gate.tools(), store=store) as owner,
            harness(script, *gate.tools(), store=store) as other,
        ):
            mine = await owner.session("ada")
            handle = await mine.send("go")
            await until(lambda: gate.inside == ["a"])
            await other.store.post(Posted("cmd_bad", mine.thread, b'{"type":"nonsense"}'))
            theirs = await other.session("ada")
            assert (await theirs.rename("a good title")).status == "applied"
            gate.open("a")
            assert await handle == Finished("ok")
            assert mine.folded.title == "a good title"

    run(body())


def test_a_follower_of_a_deleted_thread_hears_its_end_and_others_go_on(tmp_path: Path) -> None:
    store = f"sqlite:{tmp_path / 'a.db'}"

    async def body() -> None:
        script = [say("one"), say("two"), say("three")]
        async with harness(script, store=store) as owner, harness(script, store=store) as other:
            first = await owner.session("ada", new=True)
            second = await owner.session("ada", new=True)
            await (await first.send("hi"))
            await (await second.send("hi"))
            follower = await other.session("ada", thread=first.thread)
            seen, heard = list[e.Event](), list[e.Event]()
            gone = asyncio.create_task(drain(follower, seen))
            follower = await other.session("ada", thread=second.thread)
            goes_on = asyncio.create_task(drain(follower, heard))
            await until(lambda: bool(seen and heard))
            await owner.delete("ada", first.thread)
            await gone
            await (await second.send("again"))
            await until(lambda: len(heard) == second.folded.seq)
            goes_on.cancel()
            with pytest.raises(NotFound):
                await other.session("ada", thread=first.thread)

    async def drain(session: Session, heard: list[e.Event]) -> None:
        async for event in session.events():
            if isinstance(event, e.Durable):
                heard.append(event)

    run(body())


def test_a_follower_awaits_a_run_that_ended_before_it_looked(tmp_path: Path) -> None:
    store = f"sqlite:{tmp_path / 'a.db'}"

    async def body() -> None:
        script = [call("deploy", target="x"), say("ok")]
        async with harness(script, deploy, store=store) as other:
            async with harness(script, deploy, store=store) as owner:
                mine = await owner.session("ada")
                handle = await mine.send("go")
                (approval,) = (await waiting(handle)).approvals
                theirs = await other.session("ada")
                await mine.approve(approval)
                assert await handle == Finished("ok")
            assert await theirs.run(handle.id) == Finished("ok")

    run(body())


def test_a_run_that_never_was_is_not_found() -> None:
    async def body(session: Session) -> None:
        await (await session.send("hi"))
        with pytest.raises(NotFound, match="run_nobody"):
            await session.run("run_nobody")
        with pytest.raises(NotFound, match="run_nobody"):
            assert [event async for event in session.run("run_nobody")] == []

    with_session(harness([say("one")]), body)


def test_one_writer_does_not_spoil_anothers_write() -> None:
    async def body(session: Session) -> None:
        await (await session.send("hi"))
        broken = File("image/png", blob="1" * 64)
        command = session.send("look", files=[broken])
        results = await asyncio.gather(command, session.rename("good"), return_exceptions=True)
        assert isinstance(results[0], UsageError)
        assert session.folded.title == "good"

    with_session(harness([say("one")]), body)


def test_a_session_without_a_model_says_so_at_once() -> None:
    async def body() -> None:
        async with Harness(Agent("tester"), environ={}) as made:
            session = await made.session()
            with pytest.raises(UsageError, match="No model is configured"):
                await session.send("hi")
            assert session.folded.seq == 0

    run(body())


def test_a_rule_that_makes_no_sense_is_refused() -> None:
    with pytest.raises(UsageError, match="read, edit, execute"):
        Rule("deny", category="raed")  # pyright: ignore[reportArgumentType]
    with pytest.raises(UsageError, match="allow, ask, deny"):
        Rule("dney", tool="deploy")  # pyright: ignore[reportArgumentType]


def test_a_rule_of_a_thread_is_added_and_removed() -> None:
    async def body(session: Session) -> None:
        await session.add_rule(Rule("deny", tool="deploy", id="frozen"))
        await session.add_rule(Rule("allow", tool="deploy"))
        assert (await session.remove_rule("frozen")).status == "applied"
        assert (await session.remove_rule("frozen")).status == "missing"
        assert await (await session.send("go")) == Finished("ok")
        assert [m.status for m in said(session) if isinstance(m, ToolResult)] == ["ok"]

    with_session(harness([call("deploy", target="x"), say("ok")], deploy), body)
