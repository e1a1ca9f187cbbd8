"""What becomes of children when their parent is interrupted, closed, rewound or deleted."""

import asyncio
import gc
import weakref
from pathlib import Path

import pytest

from longrein.core import events as e
from longrein.core.errors import NotFound
from longrein.core.outcomes import Aborted, Finished
from longrein.session.session import Session
from longrein.storage.memory import MemoryStore
from longrein.testing import Script, ScriptedModel, call, calls, pause, reply, say
from longrein.testing.scripted import when
from longrein.tools.define import tool
from tests.session.families import child_of, ends, family, results, task, write
from tests.session.kit import log, of, until, waiting, with_session
from tests.support import run

DONE = say("Done.")


def _slow() -> ScriptedModel:
    return ScriptedModel(
        Script(
            rules=[
                when("begin", task("slow work"), DONE),
                when("slow work", reply(say("So far "), pause(), say("so good."))),
                when("again", say("Again.")),
            ]
        )
    )


def test_an_interrupt_aborts_children_and_settles_them_with_what_they_had() -> None:
    model = _slow()

    async def body(session: Session) -> None:
        sent = await session.send("begin")
        await until(lambda: any("So far" in one.text for one in session.display.children))
        await session.interrupt("enough")
        assert await sent == Aborted("enough")
        (result,) = results(session)
        assert "So far" in result
        assert ends(await log(session)) == ["stopped"]
        (child,) = session.folded.children
        assert (await session.services.store.thread(child.thread)).status == "idle"  # pyright: ignore[reportOptionalMemberAccess]

    with_session(family(model), body)


def test_a_close_leaves_children_where_they_are() -> None:
    async def test() -> None:
        store, first, second = MemoryStore(), _slow(), _slow()
        async with family(first, store=store) as host:
            session = await host.session("tester")
            sent = await session.send("begin")
            await until(lambda: first.open == 1)
        second.release()
        async with family(second, store=store) as host:
            session = await host.session("tester")
            assert [child.state for child in session.folded.children] == ["running"]
            await session.resume()
            assert await session.run(sent.id) == Finished("Done.")
            assert results(session) == ["So far so good."]
            assert len(await of(session, e.ChildStarted)) == 1
            assert ends(await log(session)) == ["finished"]

    run(test())


def test_closing_a_session_closes_those_of_its_children() -> None:
    model = _slow()

    async def test() -> None:
        async with family(model) as host:
            session = await host.session("tester")
            await session.send("begin")
            await until(lambda: model.open == 1)
            child = await child_of(session)
            await session.close()
            assert child.closed
            assert model.open == 0

    run(test())


def test_a_child_that_somebody_closes_is_opened_again_by_its_parent() -> None:
    model = _slow()

    async def body(session: Session) -> None:
        sent = await session.send("begin")
        await until(lambda: model.open == 1)
        child = await child_of(session)
        await child.close()
        model.release()
        assert await sent == Finished("Done.")
        assert results(session) == ["So far so good."]

    with_session(family(model), body)


def test_a_rewind_stops_children_that_were_begun_after_the_point() -> None:
    rules = [
        when("begin", task("one", background=True), say("Begun.")),
        when("more", task("two", background=True), say("More.")),
        when("one", reply(pause(), say("One."))),
        when("two", reply(pause(), say("Two."))),
    ]
    model = ScriptedModel(Script(rules=rules))

    async def body(session: Session) -> None:
        await (await session.send("begin"))
        more = await session.send("more")
        await more
        await until(lambda: model.open == 2)
        await session.rewind(more.id)
        assert [child.state for child in session.folded.children] == ["running", "stopped"]
        assert model.open == 1
        assert session.folded.queue == ()
        assert session.folded.run is None
        assert len(session.folded.outcomes) == 2

    with_session(family(model), body)


def test_deleting_a_thread_stops_and_deletes_its_children() -> None:
    model = _slow()

    async def test() -> None:
        async with family(model) as host:
            session = await host.session("tester")
            await session.send("begin")
            await until(lambda: model.open == 1)
            child = session.folded.children[0].thread
            await host.delete("tester", session.thread)
            assert model.open == 0
            assert await host.store.thread(child) is None
            with pytest.raises(NotFound):
                await host.session("tester", thread=child)

    run(test())


def test_a_child_that_is_deleted_is_a_result_that_says_so() -> None:
    model = _slow()

    async def test() -> None:
        async with family(model) as host:
            session = await host.session("tester")
            sent = await session.send("begin")
            await until(lambda: model.open == 1)
            await host.delete("tester", session.folded.children[0].thread)
            assert await sent == Finished("Done.")
            assert ends(await log(session)) == ["failed"]
            assert "not there any more" in results(session)[0]

    run(test())


def test_a_child_is_opened_on_its_own_with_its_parent() -> None:
    async def test() -> None:
        store, first, second = MemoryStore(), _slow(), _slow()
        async with family(first, store=store) as host:
            session = await host.session("tester")
            await session.send("begin")
            await until(lambda: first.open == 1)
            thread = session.folded.children[0].thread
        second.release()
        async with family(second, store=store) as host:
            child = await host.session("tester", thread=thread, resume=True)
            assert [one.thread for one in host.sessions] == [session.thread]
            await until(lambda: len(child.folded.outcomes) == 1)

    run(test())


def test_forks_of_a_thread_have_none_of_its_children() -> None:
    model = _slow()

    async def test() -> None:
        async with family(model) as host:
            session = await host.session("tester")
            await session.send("begin")
            await until(lambda: model.open == 1)
            fork = await host.fork("tester", session.thread)
            assert fork.folded.children == ()
            assert fork.display.spent.steps == 0

    run(test())


def test_a_thread_that_is_imported_again_does_not_take_its_children_over() -> None:
    model = _slow()

    async def test() -> None:
        async with family(model) as host:
            session = await host.session("tester")
            await session.send("begin")
            await until(lambda: model.open == 1)
            pieces = [piece async for piece in host.export("tester", session.thread)]
            row = await host.import_thread("tester", b"".join(pieces), copy=True)
            copied = await host.session("tester", thread=row.id, resume=True)
            await until(lambda: copied.folded.run is None)
            assert ends(await log(copied)) == ["failed"]
            assert "another thread" in results(copied)[0]
            model.release()
            await until(lambda: session.folded.run is None)
            assert ends(await log(session)) == ["finished"]

    run(test())


def test_retention_keeps_a_thread_whose_child_still_works() -> None:
    model = ScriptedModel(
        Script(
            rules=[
                when("begin", task("one", background=True), say("Begun.")),
                when("one", reply(pause(), say("One."))),
            ]
        )
    )

    async def test() -> None:
        async with family(model) as host:
            session = await host.session("tester")
            await (await session.send("begin"))
            await until(lambda: model.open == 1)
            await asyncio.sleep(0.01)
            assert await host.retain({"tester": 0}) == []
            model.release()
            await until(lambda: len(session.folded.outcomes) == 2 and session.folded.run is None)
            gone: list[str] = []
            while not gone:
                await asyncio.sleep(0.01)
                gone = await host.retain({"tester": 0})
            assert session.thread in gone
            assert len(gone) == 2

    run(test())


def test_three_children_are_interrupted_together() -> None:
    names = ("one", "two", "three")
    rules = [when("begin", calls(*(task(name) for name in names)), DONE)]
    rules += [when(name, reply(pause(), say(name))) for name in names]
    model = ScriptedModel(Script(rules=rules))

    async def body(session: Session) -> None:
        sent = await session.send("begin")
        await until(lambda: model.open == 3)
        await session.interrupt()
        assert await sent == Aborted("")
        assert ends(await log(session)) == ["stopped"] * 3

    with_session(family(model), body)


def test_an_interrupt_reaches_all_below_and_nobody_says_another_word() -> None:
    rules = [
        when("begin", task("middle"), DONE),
        when("middle", calls(task("deep"), task("behind", background=True)), say("Never.")),
        when("deep", reply(pause(), say("Never."))),
        when("behind", reply(pause(), say("Never."))),
    ]
    model = ScriptedModel(Script(rules=rules))

    async def body(session: Session) -> None:
        sent = await session.send("begin")
        await until(lambda: model.open == 2)
        child = await child_of(session)
        await session.interrupt("enough")
        assert await sent == Aborted("enough")
        assert [one.state for one in child.folded.children] == ["stopped", "stopped"]
        assert model.open == 0
        assert len(model.requests) == 4

    with_session(family(model), body)


@pytest.mark.parametrize("delay", [0, 0.002, 0.005])
def test_a_tree_is_deleted_while_it_is_being_opened(tmp_path: Path, delay: float) -> None:
    rules = [when("begin", task("write it"), DONE), when("write it", call("write", text="x"))]
    store = f"sqlite:{tmp_path}/threads.db"

    async def test() -> None:
        async with family(rules, store=store) as host:
            session = await host.session("tester")
            await waiting(await session.send("begin"))
        async with family(rules, store=store) as host:
            opening = asyncio.create_task(host.session("tester", thread=session.thread))
            await asyncio.sleep(delay)
            await host.delete("tester", session.thread)
            await asyncio.wait((opening,))
            assert list(host.sessions) == []

    run(test())


def test_a_child_that_was_deleted_meanwhile_is_not_done_again() -> None:
    seen: list[str] = []

    @tool(category="read")
    def effect() -> str:
        """Do something that is not to be done twice."""
        seen.append("done")
        return "done"

    rules = [
        when("begin", task("write it"), DONE),
        when("write it", call("effect"), call("write", text="x")),
    ]

    async def test() -> None:
        store = MemoryStore()
        async with family(rules, tools=[effect, write], store=store) as host:
            session = await host.session("tester")
            await waiting(await session.send("begin"))
        async with family(rules, tools=[effect, write], store=store) as host:
            await host.delete("tester", session.folded.children[0].thread)
        async with family(rules, tools=[effect, write], store=store) as host:
            session = await host.session("tester", thread=session.thread, resume=True)
            await until(lambda: session.folded.run is None)
            assert "not there any more" in results(session)[0]
            assert seen == ["done"]

    run(test())


def test_sessions_of_children_that_have_ended_are_let_go() -> None:
    async def body(session: Session) -> None:
        async def looked_into() -> weakref.ref[Session]:
            child = await child_of(session)
            await child.close()
            return weakref.ref(child)

        await (await session.send("begin"))
        kept = await looked_into()
        await asyncio.sleep(0)
        gc.collect()
        assert kept() is None
        assert session.ledger.children == {}

    with_session(family([when("begin", task("go"), DONE), when("go", DONE)]), body)
