"""Children that nobody waits for: their ends come as signals, once, over whatever happens."""

import asyncio

import pytest

from longrein.core import events as e
from longrein.core.errors import Auth
from longrein.core.messages import Note
from longrein.core.outcomes import Aborted, Finished
from longrein.session.session import Session
from longrein.storage.base import Append
from longrein.storage.memory import MemoryStore
from longrein.testing import Script, ScriptedModel, call, calls, fail, pause, reply, say
from longrein.testing.scripted import When, when
from longrein.tools.children import Order
from longrein.tools.context import Context
from longrein.tools.define import tool
from tests.session.families import GENERAL, child_of, family, look, results, task
from tests.session.kit import of, until, with_session
from tests.support import run

BEGUN = say("It has begun.")


def _model(*rules: When) -> ScriptedModel:
    """A root that delegates `long work` in the background, and hears of it."""
    begin = when("begin", task("long work", background=True), BEGUN, say("I heard."))
    return ScriptedModel(Script(rules=[begin, *rules]))


def _notes(session: Session) -> list[Note]:
    notes = [one for one in session.folded.messages if isinstance(one, Note)]
    return [one for one in notes if one.source.startswith("subagent:")]


def _long() -> When:
    return when("long work", reply(pause(), say("The result.")), say("And more."))


def test_the_parent_goes_on_and_the_end_wakes_it() -> None:
    model = _model(_long())

    async def body(session: Session) -> None:
        assert await (await session.send("begin")) == Finished("It has begun.")
        assert session.folded.run is None
        assert session.display.children[0].state == "running"
        model.release()
        await until(lambda: len(session.folded.outcomes) == 2 and session.folded.run is None)
        (note,) = _notes(session)
        assert note.source == "subagent:general-purpose"
        assert "The result." in note.text
        assert "task thr_" in results(session)[0].lower()

    with_session(family(model), body)


def test_an_interrupt_of_the_parent_leaves_it() -> None:
    model = _model(_long(), when("talk", reply(pause(), say("Talk."))))

    async def body(session: Session) -> None:
        await (await session.send("begin"))
        sent = await session.send("talk")
        await until(lambda: model.open == 2)
        await session.interrupt()
        await sent
        assert session.display.children[0].state == "running"

    with_session(family(model), body)


def test_it_can_be_steered_and_stopped_by_the_application() -> None:
    model = _model(
        when("other way", reply(pause(), say("Never."))),
        when("long work", reply(pause(), say("?"))),
    )

    async def body(session: Session) -> None:
        await (await session.send("begin"))
        child = await child_of(session)
        await until(lambda: model.open == 1)
        await child.steer("go the other way")
        await until(lambda: "other way" in str(child.folded.messages[-1]))
        assert await session.stop_child(child.thread, "enough")
        assert not await session.stop_child(child.thread)
        assert session.folded.children[0].state == "stopped"
        await until(lambda: len(_notes(session)) == 1 and session.folded.run is None)
        assert "enough" in _notes(session)[0].text

    with_session(family(model), body)


def test_the_model_looks_after_it_with_a_tool() -> None:
    model = ScriptedModel(
        Script(
            rules=[
                when("begin", task("long work", background=True), BEGUN),
                when("how is it", call("tasks", action="list"), say("It runs.")),
                _long(),
            ]
        )
    )

    async def body(session: Session) -> None:
        await (await session.send("begin"))
        await (await session.send("how is it"))
        assert "running, in the background" in results(session)[-1]

    with_session(family(model), body)


@pytest.mark.parametrize("resume", [True, False])
def test_after_reopening_it_goes_on_and_its_end_comes_once(resume: bool) -> None:
    async def test() -> None:
        store, first = MemoryStore(), _model(_long())
        async with family(first, store=store) as host:
            session = await host.session("tester")
            await (await session.send("begin"))
            await until(lambda: first.open == 1)
        second = _model(_long())
        second.release()
        async with family(second, store=store) as host:
            session = await host.session("tester", resume=resume)
            if not resume:
                assert session.display.children[0].state == "running"
                await session.rename("the first command")
            await until(lambda: bool(_notes(session)) and session.folded.run is None)
            assert len(await of(session, e.ChildEnded)) == 1
            assert len(_notes(session)) == 1
            assert len(await of(await child_of(session), e.RunStarted)) == 1

    run(test())


def test_a_child_ends_when_those_that_it_left_in_the_background_have() -> None:
    model = ScriptedModel(
        Script(
            rules=[
                when("begin", task("middle"), say("Done.")),
                when(
                    "middle",
                    task("below", background=True),
                    say("Not yet."),
                    say("Now it is done."),
                ),
                when("below", reply(pause(), say("From below."))),
            ]
        )
    )

    async def body(session: Session) -> None:
        sent = await session.send("begin")
        child = await child_of(session) if session.folded.children else None
        await until(lambda: model.open == 1 and len(session.display.children) == 2)
        assert child is None or child.folded.run is None
        model.release()
        assert await sent == Finished("Done.")
        assert results(session) == ["Now it is done."]

    with_session(family(model), body)


def test_what_a_child_that_fails_left_in_the_background_is_stopped_without_a_word() -> None:
    rules = [
        when("begin", task("middle"), say("Done.")),
        when("middle", task("below", background=True), fail(Auth("The key is wrong."))),
        when("below", reply(pause(), say("From below."))),
    ]
    model = ScriptedModel(Script(rules=rules))

    async def body(session: Session) -> None:
        assert await (await session.send("begin")) == Finished("Done.")
        assert "The key is wrong." in results(session)[0]
        child = await child_of(session)
        assert [one.state for one in child.folded.children] == ["stopped"]
        assert len(child.folded.outcomes) == 1
        assert model.open == 0

    with_session(family(model), body)


def test_it_is_seen_through_although_an_interrupt_is_written_together_with_its_beginning() -> None:
    class Slow(MemoryStore):
        """Takes its time over the first result, so that more comes together behind it."""

        reached = asyncio.Event()
        go_on = asyncio.Event()

        async def append(self, write: Append) -> int:
            if not self.reached.is_set() and b"tool_ended" in b"".join(write.events):
                self.reached.set()
                await self.go_on.wait()
            return await super().append(write)

    @tool(category="delegate", idempotent=True, timeout=None)
    async def behind(ctx: Context) -> str:
        """Delegate."""
        await store.reached.wait()
        return await ctx.children.start(Order(GENERAL, "long work", background=True))

    store = Slow()
    rules = [
        when("begin", calls(call("look", at="x"), call("behind")), BEGUN),
        when("long work", say("The result.")),
    ]

    async def body(session: Session) -> None:
        sent = await session.send("begin")
        await store.reached.wait()
        interrupting = asyncio.create_task(session.interrupt())
        await asyncio.sleep(0.02)
        store.go_on.set()
        await interrupting
        assert isinstance(await sent, Aborted)
        await until(lambda: [one.state for one in session.folded.children] == ["finished"])

    with_session(family(rules, tools=[look, behind], store=store), body)
