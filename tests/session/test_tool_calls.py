"""Tool calls: side by side, in lanes, alone; and whatever tools do, the run goes on."""

import asyncio

import pytest

from longrein.core import events as e
from longrein.core.live import ToolOutputFragment
from longrein.core.messages import ToolResult
from longrein.core.outcomes import Finished
from longrein.session.session import Session
from longrein.testing import call, calls, say
from longrein.tools.context import Context
from longrein.tools.define import tool
from tests.session.kit import harness, of, said, until, with_session
from tests.session.tools import Gate, fail, hang, read, refuse, strange


@pytest.mark.parametrize(
    ("name", "status", "words"),
    [
        ("fail", "error", "RuntimeError: the disk is on fire"),
        ("refuse", "error", "Give a smaller number."),
        ("hang", "timeout", "0.05 s"),
        ("strange", "error", "strange"),
        ("missing", "error", "There is no tool `missing`"),
    ],
)
def test_a_tool_that_goes_wrong_tells_the_model_and_the_run_goes_on(
    name: str, status: str, words: str
) -> None:
    async def body(session: Session) -> None:
        assert await (await session.send("go")) == Finished("ok")
        (result,) = [m for m in said(session) if isinstance(m, ToolResult)]
        assert result.status == status
        assert words in result.text

    with_session(harness([call(name), say("ok")], fail, refuse, hang, strange, read), body)


def test_calls_of_a_step_run_side_by_side_up_to_the_bound() -> None:
    gate = Gate()
    names = [f"n{i}" for i in range(12)]
    script = [calls(*(call("work", name=name) for name in names)), say("ok")]

    async def body(session: Session) -> None:
        run = await session.send("go")
        await until(lambda: len(gate.inside) == 8)
        await asyncio.sleep(0.01)
        assert len(gate.inside) == 8
        gate.open(*names)
        assert await run == Finished("ok")
        texts = [m.text for m in said(session) if isinstance(m, ToolResult)]
        assert texts == [f"{name} done" for name in names]

    with_session(harness(script, *gate.tools()), body)


def test_an_exclusive_call_is_a_barrier_in_call_order() -> None:
    gate = Gate()
    script = [
        calls(
            call("work", name="a"),
            call("alone", name="b"),
            call("work", name="c"),
        ),
        say("ok"),
    ]

    async def body(session: Session) -> None:
        run = await session.send("go")
        await until(lambda: gate.inside == ["a"])
        gate.open("a")
        await until(lambda: gate.inside == ["b"])
        gate.open("b")
        await until(lambda: gate.inside == ["c"])
        gate.open("c")
        assert await run == Finished("ok")
        assert gate.most == 1

    with_session(harness(script, *gate.tools()), body)


def test_calls_in_one_lane_go_one_after_the_other_beside_others() -> None:
    gate = Gate()
    script = [
        calls(
            call("lane", name="a1", lane="a"),
            call("lane", name="a2", lane="a"),
            call("lane", name="b1", lane="b"),
        ),
        say("ok"),
    ]

    async def body(session: Session) -> None:
        run = await session.send("go")
        await until(lambda: gate.inside == ["a1", "b1"])
        gate.open("a1", "b1")
        await until(lambda: gate.inside == ["a2"])
        gate.open("a2")
        assert await run == Finished("ok")

    with_session(harness(script, *gate.tools()), body)


def test_output_of_a_running_tool_is_seen_live_and_kept_when_interrupted() -> None:
    @tool
    async def noisy(ctx: Context) -> str:
        """Put out something, then wait."""
        ctx.output("half ")
        ctx.output("way")
        await asyncio.sleep(60)
        return "never"

    async def body(session: Session) -> None:
        run = await session.send("go")
        await until(lambda: any(view.output == "half way" for view in session.display.calls))
        joined = [event async for event in first(session, 1)]
        assert [(event.text, event.offset) for event in joined] == [("half way", 0)]
        await session.interrupt()
        await run
        (result,) = [m for m in said(session) if isinstance(m, ToolResult)]
        assert result.status == "interrupted"
        assert result.text.endswith("half way")

    async def first(session: Session, count: int):
        async for event in session.events(after=session.folded.seq):
            if isinstance(event, ToolOutputFragment):
                yield event
                count -= 1
                if not count:
                    return

    with_session(harness([call("noisy"), say("ok")], noisy), body)


def test_a_sync_tool_runs_beside_the_event_loop() -> None:
    @tool
    def slow(n: int) -> int:
        """Double a number."""
        return n * 2

    async def body(session: Session) -> None:
        assert await (await session.send("go")) == Finished("ok")
        assert [m.text for m in said(session) if isinstance(m, ToolResult)] == ["42"]

    with_session(harness([call("slow", n=21), say("ok")], slow), body)


def test_a_large_result_is_shown_in_part_and_kept_whole() -> None:
    @tool
    async def big() -> str:
        """Return much."""
        return "x" * 100_000

    async def body(session: Session) -> None:
        assert await (await session.send("go")) == Finished("ok")
        (ended,) = await of(session, e.ToolEnded)
        assert len(ended.parts[0].text) < 40_000  # pyright: ignore
        whole = await session.conductor.store.blob(ended.whole)
        assert whole == b"x" * 100_000

    with_session(harness([call("big"), say("ok")], big), body)
