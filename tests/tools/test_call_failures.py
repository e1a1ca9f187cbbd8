"""Calls that go wrong: each is an output that says what to do, and none ends the run."""

import asyncio
import threading
from typing import Any

import pytest

from longrein.core.errors import ToolError
from longrein.tools.call import Output, call
from longrein.tools.context import Context
from longrein.tools.define import Function, Tool, tool
from tests.support import run


def output_of(function: Tool | Function, arguments: str = "{}") -> Output:
    made = function if isinstance(function, Tool) else tool(function)
    returned = run(call(made, arguments, Context(tool=made.name, asks=made.asks)))
    assert isinstance(returned, Output)
    return returned


def text_of(output: Output) -> str:
    (part,) = output.parts
    return getattr(part, "text", "")


class Unspeakable(Exception):
    def __str__(self) -> str:
        raise ValueError("no words")


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (ToolError("Try the other door."), "Try the other door."),
        (ToolError(), "`fail` failed and gave no reason."),
        (ToolError("\ud800"), "\ufffd"),
        (ValueError("bad\ud800"), "`fail` failed with ValueError: bad\ufffd"),
        (KeyError("a"), "`fail` failed with KeyError: 'a'"),
        (RuntimeError(), "`fail` failed with RuntimeError"),
        (TimeoutError("mine"), "`fail` failed with TimeoutError: mine"),
        (SystemExit(2), "`fail` failed with SystemExit: 2"),
        (asyncio.CancelledError(), "`fail` failed with CancelledError"),
        (Unspeakable(), "`fail` failed with Unspeakable"),
        (ExceptionGroup("many", [ToolError("Just this.")]), "Just this."),
        (
            ExceptionGroup("many", [ValueError(), KeyError()]),
            "`fail` failed with ExceptionGroup: many (2 sub-exceptions)",
        ),
    ],
)
@pytest.mark.parametrize("in_thread", [False, True])
def test_an_exception_is_an_error_that_names_its_kind(
    error: BaseException, text: str, in_thread: bool
) -> None:
    async def fail() -> None:
        raise error

    def fail_in_thread() -> None:
        raise error

    made = tool(name="fail")(fail_in_thread if in_thread else fail)
    output = output_of(made)
    assert output.status == "error"
    assert text_of(output) == text


def test_an_interrupt_of_the_process_is_not_the_tools_and_passes_through() -> None:
    async def interrupted() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(call(tool(interrupted), "{}", Context()))


def test_an_interrupt_that_a_thread_raised_itself_is_an_error() -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    assert text_of(output_of(interrupted)) == "`interrupted` failed with KeyboardInterrupt"


def test_arguments_that_do_not_fit_are_an_error_and_nothing_runs() -> None:
    ran: list[int] = []

    def note(n: int) -> None:
        ran.append(n)

    output = output_of(note, '{"n": "x"}')
    assert output.status == "error"
    assert "`n`: Expected `int`, got `str`" in text_of(output)
    assert ran == []


@pytest.mark.parametrize("value", [object(), {"a": object()}, {(1, 2): 3}, lambda: None])
def test_a_result_that_cannot_be_shown_says_that_it_ran(value: Any) -> None:
    async def odd() -> Any:
        return value

    output = output_of(odd)
    assert output.status == "error"
    assert text_of(output).startswith("`odd` ran, but what it returned, of type ")
    assert "It may have taken effect" in text_of(output)


def test_a_result_that_holds_itself_cannot_be_shown() -> None:
    endless: list[Any] = []
    endless.append(endless)

    async def odd() -> Any:
        return endless

    assert "`odd` ran, but what it returned" in text_of(output_of(odd))


def test_a_tool_that_takes_too_long_is_given_up() -> None:
    @tool(timeout=0.01)
    async def slow() -> None:
        await asyncio.sleep(60)

    output = output_of(slow)
    assert output.status == "timeout"
    assert text_of(output).startswith("`slow` took longer than 0.01 s and was given up.")
    assert "look before you call it again" in text_of(output)


def test_a_thread_that_takes_too_long_is_left_behind_and_said_so() -> None:
    over, ended = threading.Event(), list[str]()

    @tool(timeout=0.01)
    def slow() -> None:
        over.wait(60)
        ended.append("slow")

    output = output_of(slow)
    assert not ended
    over.set()
    assert output.status == "timeout"
    assert "may still be running" in text_of(output)


@pytest.mark.parametrize("in_thread", [False, True])
def test_cancelling_passes_through(in_thread: bool) -> None:
    over = threading.Event()

    async def waits() -> None:
        await asyncio.sleep(60)

    def blocks() -> None:
        over.wait(60)

    async def scenario() -> bool:
        task = asyncio.create_task(call(tool(blocks if in_thread else waits), "{}", Context()))
        await asyncio.sleep(0.01)
        task.cancel()
        await asyncio.wait([task])
        over.set()
        return task.cancelled()

    assert run(scenario())


def test_a_tool_that_is_cancelled_may_clean_up_first() -> None:
    cleaned: list[str] = []
    begun = asyncio.Event()

    async def waits() -> None:
        begun.set()
        try:
            await asyncio.sleep(60)
        finally:
            cleaned.append("yes")

    async def scenario() -> None:
        task = asyncio.create_task(call(tool(waits), "{}", Context()))
        await begun.wait()
        task.cancel()
        await asyncio.wait([task])

    run(scenario())
    assert cleaned == ["yes"]


def test_asking_without_being_declared_so_names_the_fix() -> None:
    async def sneaky(ctx: Context) -> str:
        return await ctx.ask("Sure?")

    output = output_of(sneaky)
    assert output.status == "error"
    assert "declare @tool(asks=True) on 'sneaky'" in text_of(output)
