"""Commands made anew, models chosen in time, and the stricter of two modes."""

import asyncio
from collections.abc import AsyncGenerator

from longrein import (
    Agent,
    Auth,
    Context,
    Finished,
    Harness,
    Mode,
    Rule,
    UsageError,
    Waiting,
    tool,
)
from longrein.models.base import Delta, Request, TextDelta
from longrein.session.session import Session
from longrein.testing import Script, ScriptedModel, call, calls, say
from tests.session.kit import harness, until, with_session


def test_the_same_command_again_does_not_call_the_function_again() -> None:
    made: list[int] = []

    async def body(session: Session) -> None:
        def once(state: dict[str, int]) -> dict[str, int]:
            made.append(1)
            if state.get("closed"):
                raise UsageError("already closed")
            return {**state, "closed": 1}

        assert (await session.update(once, command="k1")).status == "applied"
        assert (await session.update(once, command="k1")).status == "already"
        assert len(made) == 1

    with_session(harness([say("ok")]), body)


def test_one_remembered_yes_spares_every_rule_that_asked() -> None:
    @tool
    async def put() -> str:
        """Put it."""
        return "put"

    rules = [Rule("ask", tool="put", id="r1"), Rule("ask", tool="put", id="r2")]

    async def body(session: Session) -> None:
        run = await session.send("go")
        waiting = await run
        assert isinstance(waiting, Waiting)
        await session.approve(waiting.approvals[0], remember="tool")
        assert await run == Finished("one")
        assert await (await session.send("again")) == Finished("two")
        assert {grant.rule for grant in session.grants()} == {"r1", "r2"}

    script = [call("put"), say("one"), call("put"), say("two")]
    with_session(harness(script, put, rules=rules), body)


def test_what_the_mode_that_was_left_allowed_is_asked_about_in_a_stricter_one() -> None:
    gate, done = asyncio.Event(), list[str]()

    @tool(category="edit")
    async def put(ctx: Context, name: str) -> str:
        """Put it."""
        done.append(name)
        await gate.wait()
        return name

    modes = [
        Mode("auto", rules=[Rule("allow", tool="put")]),
        Mode("careful", rules=[Rule("ask", category="edit")]),
    ]

    async def body(session: Session) -> None:
        run = await session.send("go")
        await until(lambda: bool(done))
        await session.switch_mode("careful")
        gate.set()
        assert isinstance(await run, Waiting)
        assert done == ["a"]

    script = [calls(call("put", name="a"), call("put", name="b")), say("ok")]
    with_session(harness(script, put, modes=modes, parallel=1), body)


class Failing:
    """A model that fails for good, when it is told to."""

    wire = "failing"

    def __init__(self) -> None:
        self.called = asyncio.Event()
        self.go = asyncio.Event()

    async def stream(self, request: Request) -> AsyncGenerator[Delta, None]:
        self.called.set()
        await self.go.wait()
        raise Auth("the key is gone")
        yield TextDelta("")

    async def close(self) -> None: ...


def test_a_model_chosen_while_the_old_one_fails_takes_over() -> None:
    model = Failing()
    modes = [Mode("bad"), Mode("good", model=ScriptedModel(Script([say("fine")])))]

    async def body(session: Session) -> None:
        run = await session.send("go")
        await model.called.wait()
        await session.switch_mode("good")
        model.go.set()
        assert await run == Finished("fine")

    with_session(Harness(Agent("tester", model=model), modes=modes), body)
