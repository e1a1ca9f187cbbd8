"""Children: threads of their own that work for a call of their parent."""

import asyncio
from dataclasses import dataclass

import pytest

from longrein.capabilities.subagents.spec import Subagent
from longrein.core import events as e
from longrein.core.errors import Auth, NotFound
from longrein.core.messages import Assistant
from longrein.core.outcomes import Finished
from longrein.core.usage import Limits
from longrein.loop.agent import Mode
from longrein.session.session import Session
from longrein.testing import Script, ScriptedModel, call, calls, fail, pause, reply, say
from longrein.testing.scripted import When, when
from tests.session.families import child_of, ends, family, results, task
from tests.session.kit import log, of, until, with_session
from tests.support import run

DONE = say("Done.")
SIMPLE = [when("begin", task("find it"), DONE), when("find it", say("I found it."))]


def test_a_child_works_in_a_thread_of_its_own_and_its_answer_is_the_result() -> None:
    async def body(session: Session) -> None:
        assert await (await session.send("begin")) == Finished("Done.")
        assert results(session) == ["I found it."]
        (started,) = await of(session, e.ChildStarted)
        child = await child_of(session)
        assert child.thread == started.child != session.thread
        said = [one.text for one in child.folded.messages if isinstance(one, Assistant)]
        assert said == ["I found it."]

    with_session(family(SIMPLE), body)


def test_that_a_child_began_and_ended_is_written_before_its_call_ends() -> None:
    async def body(session: Session) -> None:
        await (await session.send("begin"))
        told = (e.ToolStarted, e.ChildStarted, e.ChildEnded, e.ToolEnded)
        kinds = [type(one) for one in await log(session) if isinstance(one, told)]
        assert kinds == [e.ToolStarted, e.ChildStarted, e.ChildEnded, e.ToolEnded]

    with_session(family(SIMPLE), body)


def test_a_child_is_hidden_from_lists_and_can_be_opened() -> None:
    async def test() -> None:
        async with family(SIMPLE) as host:
            session = await host.session("tester")
            await (await session.send("begin"))
            child = session.folded.children[0].thread
            assert [row.id for row in await host.threads("tester")] == [session.thread]
            assert await host.search("tester", "find") == []
            opened = await host.session("tester", thread=child)
            assert opened.thread == child
            assert [one.thread for one in host.sessions] == [session.thread]
            row = await host.store.thread(child)
            assert row is not None
            assert (row.under, row.agent) == (session.thread, "general-purpose")

    run(test())


def test_children_of_one_step_run_side_by_side() -> None:
    rules = [when("begin", calls(task("one"), task("two"), task("three")), DONE)]
    names = ("one", "two", "three")
    rules += [when(name, reply(pause(), say(f"I am {name}."))) for name in names]
    model = ScriptedModel(Script(rules=rules))

    async def body(session: Session) -> None:
        sent = await session.send("begin")
        await until(lambda: model.open == 3)
        model.release()
        await sent
        assert results(session) == ["I am one.", "I am two.", "I am three."]

    with_session(family(model), body)


def test_what_a_child_does_has_the_instructions_the_tools_and_the_model_of_its_subagent() -> None:
    own = ScriptedModel(Script([say("From my own model.")]))
    reader = Subagent("reader", "Reads.", "Only read.", tools=["look"], model=own)

    async def body(session: Session) -> None:
        await (await session.send("begin"))
        assert results(session) == ["From my own model."]
        (request,) = own.requests
        assert "Only read." in request.system
        assert [tool.name for tool in request.tools] == ["look"]

    with_session(family([when("begin", task("go", "reader"), DONE)], reader), body)


def _ending(*replies: When, agent: Subagent | None = None) -> tuple[list[str], list[str]]:
    """How the child of `begin` ended, and what the parent heard of it."""
    found: tuple[list[str], list[str]] = ([], [])

    async def body(session: Session) -> None:
        nonlocal found
        assert await (await session.send("begin")) == Finished("Done.")
        found = (ends(await log(session)), results(session))

    name = agent.name if agent else "general-purpose"
    agents = [agent] if agent else []
    with_session(family([when("begin", task("go", name), DONE), *replies], *agents), body)
    return found


def test_a_child_that_fails_is_a_result_that_says_so() -> None:
    status, told = _ending(when("go", fail(Auth("The key is wrong."))))
    assert status == ["failed"]
    assert "The key is wrong." in told[0]


def test_a_child_that_runs_into_a_limit_is_a_result_that_says_so() -> None:
    agent = Subagent("short", "Is short.", limits=Limits(steps=1))
    status, told = _ending(when("go", call("look", at="it"), say("Never.")), agent=agent)
    assert status == ["limit"]
    assert "1 step," in told[0]


def test_a_subagent_that_there_is_not_is_a_result_that_names_those_that_there_are() -> None:
    async def body(session: Session) -> None:
        await (await session.send("begin"))
        assert "'nobody'" in results(session)[0]
        assert "general-purpose" in results(session)[0]
        assert session.folded.children == ()

    with_session(family([when("begin", task("go", "nobody"), DONE)]), body)


@dataclass
class Answer:
    found: bool


def test_the_answer_of_a_child_fits_the_output_that_was_asked_for() -> None:
    agent = Subagent("finder", "Finds.", output=Answer)
    wrong, right = say("I think so."), say('{"found": true}')
    status, told = _ending(when("go", wrong, right), agent=agent)
    assert (status, told) == (["finished"], ['{"found": true}'])


def test_children_have_children_down_to_the_depth() -> None:
    rules = [
        when("begin", task("first"), DONE),
        when("first", task("second"), say("The second said so.")),
        when("second", say("I am the second.")),
    ]
    model = ScriptedModel(Script(rules=rules))

    async def body(session: Session) -> None:
        await (await session.send("begin"))
        child = await child_of(session)
        assert results(child) == ["I am the second."]
        offered = {
            text: "task" in [tool.name for tool in request.tools]
            for request in model.requests
            for text in ("begin", "first", "second")
            if text in str(request.messages[0])
        }
        assert offered == {"begin": True, "first": True, "second": False}

    with_session(family(model), body)


def test_a_child_of_the_same_call_is_not_run_again() -> None:
    """What a second execution of the call finds, as after a crash."""

    async def body(session: Session) -> None:
        await (await session.send("begin"))
        (child,) = session.folded.children
        end = await session.driving.drive(child)
        assert (end.status, end.text, end.spent) == ("finished", "I found it.", child.spent)
        assert len(await of(session, e.ChildEnded)) == 1

    with_session(family(SIMPLE), body)


def test_who_is_no_child_is_not_found() -> None:
    async def body(session: Session) -> None:
        with pytest.raises(NotFound):
            await session.child("thr_nobody")
        with pytest.raises(NotFound):
            await session.stop_child("thr_nobody")

    with_session(family(SIMPLE), body)


def test_an_ended_child_lets_go_of_its_session_unless_somebody_looks_in() -> None:
    rules = [when("begin", calls(task("one"), task("two")), DONE)]
    rules += [when("one", reply(pause(), say("One."))), when("two", say("Two."))]
    model = ScriptedModel(Script(rules=rules))

    async def body(session: Session) -> None:
        sent = await session.send("begin")
        await until(lambda: model.open == 1)
        watched = await child_of(session)
        model.release()
        await sent
        await asyncio.sleep(0)
        assert not watched.closed
        assert session.nursery.of(session.folded.children[1].thread) is None

    with_session(family(model), body)


def test_tools_that_the_parent_does_not_have_are_left_out() -> None:
    """As those of a file may be, which nobody can refuse when it is read."""
    model = ScriptedModel(Script(rules=[when("begin", task("go", "reader"), DONE)], otherwise=DONE))
    reader = Subagent("reader", "Reads.", tools=["look", "write"])

    async def body(session: Session) -> None:
        await (await session.send("begin"))
        asked = [one for one in model.requests if "go" in str(one.messages[0])]
        assert [spec.name for spec in asked[0].tools] == ["look"]

    modes = [Mode("work", visible=["look", "task"])]
    with_session(family(model, reader, modes=modes), body)
