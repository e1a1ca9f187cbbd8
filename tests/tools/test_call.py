"""Calls: what a tool returns, asks and shows while it runs."""

import asyncio
import contextvars
import threading
import time
from dataclasses import dataclass
from typing import Any

import pydantic
import pytest

from longrein.core.messages import File, Text
from longrein.tools.call import Output, call
from longrein.tools.context import Asked, Context, Reply
from longrein.tools.define import Function, Tool, tool
from longrein.tools.reach import Reach
from tests.support import run


def output_of(function: Tool | Function, arguments: str = "{}", **context: Any) -> Output:
    made = function if isinstance(function, Tool) else tool(function)
    returned = run(call(made, arguments, Context(tool=made.name, asks=made.asks, **context)))
    assert isinstance(returned, Output)
    return returned


@dataclass
class Point:
    x: int


class Model(pydantic.BaseModel):
    y: int


PICTURE = File("image/png", blob="00")


@pytest.mark.parametrize(
    ("returned", "parts"),
    [
        ("text", (Text("text"),)),
        ("", (Text("(no output)"),)),
        (None, (Text("(no output)"),)),
        (3, (Text("3"),)),
        ([], (Text("[]"),)),
        ({"a": [1, None]}, (Text('{"a":[1,null]}'),)),
        (Point(1), (Text('{"x":1}'),)),
        (Model(y=2), (Text('{"y":2}'),)),
        ([Model(y=2)], (Text('[{"y":2}]'),)),
        (b"bytes \xff", (Text("bytes \ufffd"),)),
        (Text("part"), (Text("part"),)),
        (PICTURE, (PICTURE,)),
        ([Text("see"), PICTURE], (Text("see"), PICTURE)),
        (("see", PICTURE), (Text("see"), PICTURE)),
        ("lone \ud800", (Text("lone \ufffd"),)),
        ({"lone": "\ud800"}, (Text('{"lone": "\ufffd"}'),)),
        ([Text("\ud800"), PICTURE], (Text("\ufffd"), PICTURE)),
    ],
)
def test_what_a_tool_returns_is_what_the_model_reads(returned: Any, parts: Any) -> None:
    async def give() -> Any:
        return returned

    assert output_of(give) == Output("ok", parts)


def test_arguments_and_context_reach_the_function() -> None:
    @tool
    async def where(a: int, ctx: Context, b: int = 2) -> str:
        return f"{a} {b} {ctx.thread}"

    assert output_of(where, '{"a": 1}', reach=Reach(thread="thr_1")).parts == (Text("1 2 thr_1"),)


def test_a_function_that_is_not_async_runs_in_a_thread_with_the_callers_context() -> None:
    who = contextvars.ContextVar("who", default="nobody")
    who.set("me")

    def blocking() -> str:
        return f"{threading.current_thread() is threading.main_thread()} {who.get()}"

    assert output_of(blocking).parts == (Text("False me"),)


def test_a_plain_function_may_wrap_an_async_one() -> None:
    async def inner() -> str:
        return "inner"

    def wrapper() -> Any:
        return inner()

    assert output_of(wrapper).parts == (Text("inner"),)


def test_output_from_a_thread_arrives_on_the_event_loop_before_the_end() -> None:
    shown: list[tuple[str, bool]] = []

    def speak(ctx: Context) -> None:
        ctx.output("one")
        ctx.output("two")

    def show(text: str) -> None:
        shown.append((text, threading.current_thread() is threading.main_thread()))

    output_of(speak, output=show)
    assert shown == [("one", True), ("two", True)]


def asks_async() -> Tool:
    @tool(asks=True)
    async def ask(ctx: Context) -> str:
        return await ctx.ask("Sure?", ["yes", "no"])

    return ask


def asks_in_a_thread() -> Tool:
    @tool(asks=True)
    def ask(ctx: Context) -> str:
        return ctx.ask_now("Sure?", ["yes", "no"])

    return ask


def asks_in_a_task_group() -> Tool:
    @tool(asks=True)
    async def ask(ctx: Context) -> str:
        async with asyncio.TaskGroup() as group:
            task = group.create_task(ctx.ask("Sure?", ["yes", "no"]))
        return task.result()

    return ask


@pytest.mark.parametrize("made", [asks_async(), asks_in_a_thread(), asks_in_a_task_group()])
def test_a_question_comes_out_and_its_answer_goes_in(made: Tool) -> None:
    asked = run(call(made, "{}", Context(asks=True)))
    assert asked == Asked("Sure?", ("yes", "no"))
    assert output_of(made, answers=(Reply("Sure?", "yes"),)) == Output("ok", (Text("yes"),))


@pytest.mark.parametrize("made", [asks_async(), asks_in_a_thread(), asks_in_a_task_group()])
def test_a_declined_question_settles_the_call_as_declined(made: Tool) -> None:
    output = output_of(made, answers=(Reply("Sure?", None, "no time"),))
    assert output.status == "declined"
    assert output.parts == (Text("The person declined to answer 'Sure?': no time"),)


def test_a_call_of_a_trivial_tool_costs_little() -> None:
    @tool
    async def trivial(ctx: Context, text: str, times: int = 1) -> str:
        return text * times

    async def best_of(rounds: int) -> float:
        async def once() -> float:
            start = time.process_time()
            for _ in range(500):
                await call(trivial, '{"text": "x"}', Context())
            return (time.process_time() - start) / 500

        return min([await once() for _ in range(rounds)])

    assert run(best_of(5)) < 60e-6  # about 10 in practice
