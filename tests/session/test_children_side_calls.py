"""What children ask models beside their conversations is paid for by the whole tree."""

import asyncio
from typing import Any

from longrein.capabilities.base import Capability
from longrein.capabilities.contexts import HookContext
from longrein.capabilities.subagents.capability import Subagents
from longrein.core import events as e
from longrein.core.errors import UsageError
from longrein.core.usage import Limits, Usage
from longrein.harness import Harness
from longrein.loop.agent import Agent
from longrein.models.base import ModelSettings, Request
from longrein.models.price import Price
from longrein.session.session import Session
from longrein.storage.memory import MemoryStore
from longrein.testing import Reply, Script, ScriptedModel, calls, pause, reply, say
from longrein.testing.scripted import when
from tests.session.families import ends, task
from tests.session.kit import log, until, with_session

NAME = "custom:ScriptedModel"
OUTPUT = 100
STEP = OUTPUT * 1000
"""What a step, and a call beside it, costs that writes all it may: its input is free."""


class _Curious(Capability):
    """Asks a model something before each run of a child, all of them at the same moment."""

    def __init__(self, children: int) -> None:
        self.refused = 0
        self._root = ""
        self._come = 0
        self._children = children
        self._all = asyncio.Event()

    async def before_run(self, ctx: HookContext) -> None:
        self._root = self._root or ctx.thread
        if ctx.thread == self._root:
            return
        self._come += 1
        if self._come == self._children:
            self._all.set()
        await self._all.wait()
        try:
            await ctx.call_model("asking", "Beside.", "What?", max_output=OUTPUT)
        except UsageError:
            self.refused += 1


def _answers(script: Script, beside: Reply) -> ScriptedModel:
    def answer(request: Request) -> Reply:
        return beside if request.system == "Beside." else script(request)

    return ScriptedModel(answer)


def _harness(model: ScriptedModel, curious: _Curious, **more: Any) -> Harness:
    agent = Agent(
        "root",
        model=model,
        capabilities=[Subagents(), curious],
        settings=ModelSettings(max_output=OUTPUT),
    )
    prices = {NAME: Price("0", "1")}
    return Harness(agent, store=MemoryStore(), environ={}, prices=prices, **more)


def _says(text: Reply) -> Reply:
    return reply(text, usage=Usage(output=OUTPUT))


def _two() -> Script:
    root = when("begin", _says(calls(task("one"), task("two"))), _says(say("Done.")))
    return Script(rules=[root, when("one", _says(say("One."))), when("two", _says(say("Two.")))])


def test_two_children_that_ask_at_once_do_not_get_the_same_money() -> None:
    model, curious = _answers(_two(), _says(say("That."))), _Curious(2)

    async def body(session: Session) -> None:
        await (await session.send("begin", limits=Limits(cost=2 * STEP)))
        beside = [one for one in model.requests if one.system == "Beside."]
        assert (len(beside), curious.refused) == (1, 1)
        assert ends(await log(session)) == ["limit", "limit"]
        assert session.display.spent.cost == 2 * STEP

    with_session(_harness(model, curious), body)


def test_what_a_child_reserved_beside_its_conversation_is_not_left_for_others() -> None:
    model, curious = _answers(_two(), reply(pause(), say("."), usage=Usage(output=1))), _Curious(2)

    async def body(session: Session) -> None:
        sent = await session.send("begin", limits=Limits(cost=4 * STEP))
        await until(lambda: model.open == 2)
        loop = session.services.loop
        assert loop.left(session.folded, session.folded.run) == STEP
        child = session.folded.children[0].thread
        assert loop.left_for(child) == STEP
        model.release()
        await sent

    with_session(_harness(model, curious), body)


def test_what_was_reserved_for_a_call_that_was_stopped_is_not_kept_back() -> None:
    model, curious = _answers(_two(), reply(pause(), say("."))), _Curious(2)

    async def body(session: Session) -> None:
        sent = await session.send("begin", limits=Limits(cost=9 * STEP))
        await until(lambda: model.open == 2)
        kin = [session.nursery.of(one.thread) for one in session.folded.children]
        await session.interrupt()
        await sent
        for one in kin:
            assert one is not None
            assert one.folded.side_calls == {}
            assert one.folded.spent.cost == STEP
        assert sum(one.spent.cost for one in session.folded.children) == 2 * STEP
        assert [type(one) for one in await log(session) if isinstance(one, e.SideCallEnded)] == []

    with_session(_harness(model, curious), body)
