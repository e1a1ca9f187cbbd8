"""What children ask people: seen and answered at the root, from whatever depth and process."""

import asyncio

import pytest

from longrein.core import events as e
from longrein.core.live import FromChild
from longrein.core.outcomes import Finished, Waiting
from longrein.session.session import Session
from longrein.storage.memory import MemoryStore
from longrein.testing import Script, ScriptedModel, call, calls, pause, reply, say
from longrein.testing.scripted import when
from longrein.tools.context import Context
from longrein.tools.define import tool
from tests.session.families import child_of, family, results, task, write
from tests.session.kit import of, until, waiting, with_session
from tests.support import run

DONE = say("Done.")
ASKING = [
    when("begin", task("write it"), DONE),
    when("write it", call("write", text="x"), say("Written.")),
]


@tool(asks=True)
async def confirm(ctx: Context, what: str) -> str:
    """Ask a person."""
    return await ctx.ask(f"Really {what}?")


def test_an_approval_of_a_child_is_answered_at_the_root() -> None:
    async def body(session: Session) -> None:
        sent = await session.send("begin")
        asked = await waiting(sent)
        (approval,) = session.display.approvals
        child = session.folded.children[0].thread
        assert (asked.approvals, approval.path) == ((approval.id,), (child,))
        assert session.display.activity == "waiting"
        assert (await session.approve(approval)).status == "applied"
        assert await sent == Finished("Done.")
        assert results(await child_of(session)) == ["wrote x"]

    with_session(family(ASKING), body)


def test_a_question_of_a_grandchild_is_answered_at_the_root() -> None:
    rules = [
        when("begin", task("first"), DONE),
        when("first", task("second"), say("First.")),
        when("second", call("confirm", what="so"), say("Second.")),
    ]

    async def body(session: Session) -> None:
        sent = await session.send("begin")
        asked = await waiting(sent)
        (question,) = session.display.questions
        assert asked.questions == (question.id,)
        assert len(question.path) == 2
        child = await child_of(session)
        assert [one.id for one in child.display.questions] == [question.id]
        await session.answer(question, "yes")
        assert await sent == Finished("Done.")
        assert results(await child_of(child)) == ["yes"]

    with_session(family(rules, tools=[confirm]), body)


def test_a_child_that_is_declined_hears_why_and_goes_on() -> None:
    async def body(session: Session) -> None:
        sent = await session.send("begin")
        asked = await waiting(sent)
        await session.decline(asked.approvals[0], "not now")
        assert await sent == Finished("Done.")
        assert "not now" in results(await child_of(session))[0]

    with_session(family(ASKING), body)


def test_a_yes_that_is_remembered_at_the_root_holds_for_siblings() -> None:
    rules = [
        when("begin", task("write it"), task("write again"), DONE),
        when("write it", call("write", text="x"), say("Written.")),
        when("write again", call("write", text="y"), say("Again.")),
    ]

    async def body(session: Session) -> None:
        sent = await session.send("begin")
        asked = await waiting(sent)
        await session.approve(asked.approvals[0], remember="tool")
        assert await sent == Finished("Done.")
        assert results(session) == ["Written.", "Again."]
        assert [one.scope for one in session.grants()] == ["thread"]
        assert await of(await child_of(session), e.GrantAdded) == []

    with_session(family(rules), body)


def test_an_answer_that_comes_again_changes_nothing() -> None:
    async def body(session: Session) -> None:
        sent = await session.send("begin")
        asked = await waiting(sent)
        first = await session.approve(asked.approvals[0], command="yes-1")
        again = await session.approve(asked.approvals[0], command="yes-1")
        assert await sent == Finished("Done.")
        assert first.status == "applied"
        assert again.status == "already"
        assert len(await of(await child_of(session), e.ApprovalAnswered)) == 1

    with_session(family(ASKING), body)


def test_the_log_says_when_a_child_waits_and_when_it_works_again() -> None:
    async def body(session: Session) -> None:
        sent = await session.send("begin")
        asked = await waiting(sent)
        row = await session.services.store.thread(session.thread)
        assert row is not None
        assert row.status == "waiting"
        await session.approve(asked.approvals[0])
        await sent
        changed = [one.status for one in await of(session, e.ChildChanged)]
        assert changed == ["waiting", "running"]

    with_session(family(ASKING), body)


def test_time_in_which_a_child_waits_for_a_person_does_not_count() -> None:
    async def body(session: Session) -> None:
        sent = await session.send("begin")
        await waiting(sent)
        run_ = session.folded.run
        assert run_ is not None
        assert run_.since == 0

    with_session(family(ASKING), body)


def test_an_approval_of_a_child_can_be_answered_by_another_harness() -> None:
    async def test() -> None:
        store = MemoryStore()
        async with family(ASKING, store=store) as owner, family(ASKING, store=store) as other:
            session = await owner.session("tester")
            sent = await session.send("begin")
            await waiting(sent)
            elsewhere = await other.session("tester", thread=session.thread)
            (approval,) = elsewhere.display.approvals
            assert (await elsewhere.approve(approval)).status == "applied"
            assert await sent == Finished("Done.")

    run(test())


def test_what_a_child_asked_before_a_close_is_shown_and_answered_after_reopening() -> None:
    async def test() -> None:
        store = MemoryStore()
        async with family(ASKING, store=store) as host:
            session = await host.session("tester")
            sent = await session.send("begin")
            await waiting(sent)
        async with family(ASKING, store=store) as host:
            session = await host.session("tester")
            (approval,) = session.display.approvals
            assert approval.path
            again = session.run(sent.id)
            assert isinstance(await again, Waiting)
            await session.approve(approval)
            assert await again == Finished("Done.")
            assert results(session) == ["Written."]
            assert len(await of(session, e.ChildStarted)) == 1
            assert len(await of(session, e.ChildEnded)) == 1

    run(test())


def test_an_answer_that_comes_late_is_stale_while_the_child_goes_on() -> None:
    model = ScriptedModel(
        Script(
            rules=[
                when("begin", task("write it"), DONE),
                when("write it", call("write", text="x"), reply(pause(), say("Written."))),
            ]
        )
    )

    async def body(session: Session) -> None:
        sent = await session.send("begin")
        (asked,) = (await waiting(sent)).approvals
        await session.approve(asked)
        await until(lambda: model.open == 1)
        assert (await session.decline(asked)).status == "stale"
        assert session.settled(asked)

    with_session(family(model), body)


@pytest.mark.parametrize("later", [False, True])
def test_an_answer_that_comes_after_the_end_of_a_grandchild_is_stale(later: bool) -> None:
    rules = [
        when("begin", task("first"), DONE),
        when("first", task("write it"), say("First.")),
        ASKING[1],
    ]

    async def test() -> None:
        store = MemoryStore()
        async with family(rules, store=store) as host:
            session = await host.session("tester")
            sent = await session.send("begin")
            (asked,) = (await waiting(sent)).approvals
            await session.approve(asked)
            assert await sent == Finished("Done.")
            if not later:
                assert (await session.approve(asked, command="again")).status == "stale"
        async with family(rules, store=store) as host:
            session = await host.session("tester")
            assert (await session.approve(asked)).status == "stale"
            assert (await session.approve("apr_never")).status == "missing"

    run(test())


def test_what_an_interrupt_declined_in_a_child_is_stale() -> None:
    async def body(session: Session) -> None:
        sent = await session.send("begin")
        (asked,) = (await waiting(sent)).approvals
        await session.interrupt()
        await sent
        assert (await session.approve(asked)).status == "stale"

    with_session(family(ASKING), body)


def test_a_steer_ends_a_child_that_waits_for_a_person() -> None:
    rules = [*ASKING, when("instead", say("Instead."))]

    async def body(session: Session) -> None:
        sent = await session.send("begin")
        await waiting(sent)
        await session.steer("do this instead")
        assert await sent == Finished("Instead.")
        assert session.folded.children[0].state == "stopped"

    with_session(family(rules), body)


def test_one_child_waits_while_its_sibling_works() -> None:
    rules = [
        when("begin", calls(task("write it"), task("hang on")), DONE),
        when("write it", call("write", text="x"), say("Written.")),
        when("hang on", call("hang"), say("Hung.")),
    ]
    go = asyncio.Event()

    async def hang() -> str:
        """Wait."""
        await go.wait()
        return "went"

    async def body(session: Session) -> None:
        sent = await session.send("begin")
        await until(lambda: len(session.display.approvals) == 1)
        await until(lambda: "waiting" in [c.state for c in session.folded.children])
        assert session.display.activity == "running"
        go.set()
        assert isinstance(await sent, Waiting)
        await session.approve(session.display.approvals[0])
        assert await sent == Finished("Done.")

    with_session(family(rules, tools=[hang, write]), body)


def test_who_follows_the_root_hears_of_children_that_begin_later() -> None:
    async def test() -> None:
        store = MemoryStore()
        async with family(ASKING, store=store) as owner, family(ASKING, store=store) as other:
            session = await owner.session("tester")
            await session.rename("a thread")
            elsewhere = await other.session("tester", thread=session.thread)
            heard: list[FromChild] = []
            elsewhere.subscribe(heard.append, only=FromChild)  # pyright: ignore[reportArgumentType]
            sent = await session.send("begin")
            followed = elsewhere.run(sent.id)
            asked = await waiting(followed)
            assert asked.approvals == tuple(one.id for one in elsewhere.display.approvals)
            await elsewhere.approve(asked.approvals[0])
            assert await followed == Finished("Done.")
            await until(lambda: any(isinstance(one.event, e.RunEnded) for one in heard))

    run(test())
