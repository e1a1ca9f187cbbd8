"""Approvals that wait, and that rules, grants or trust answer meanwhile."""

from collections.abc import Awaitable, Callable
from typing import TypeAlias

import pytest

from longrein.core import events as e
from longrein.core.messages import ToolResult
from longrein.core.outcomes import Finished
from longrein.core.policy import Rule
from longrein.session.handle import Run
from longrein.session.session import Session
from longrein.storage.memory import MemoryStore
from longrein.testing import call, calls, say
from longrein.testing.scripted import when
from tests.session.families import child_of, family, results, task
from tests.session.kit import harness, of, said, until, waiting, with_session
from tests.session.tools import write
from tests.support import run

FOUR = calls(*(call("write", path=f"/{name}", text="x") for name in "abcd"))
DONE = say("done")
TWINS = [
    when("begin", calls(task("one"), task("two")), DONE),
    when("one", call("write", text="1"), say("First.")),
    when("two", call("write", text="2"), say("Second.")),
]


async def answered(session: Session) -> list[tuple[str, str, str]]:
    """How each approval was settled: the decision, by whom, and what decided."""
    return [(a.decision, a.by, a.rule) for a in await of(session, e.ApprovalAnswered)]


def statuses(session: Session) -> list[str]:
    return [m.status for m in said(session) if isinstance(m, ToolResult)]


async def asked(session: Session, count: int) -> Run:
    """A run whose thread, with those below it, waits for so many answers."""
    sent = await session.send("begin")
    await until(lambda: len(session.display.approvals) == count)
    return sent


def test_an_always_settles_all_that_wait_and_names_its_grant() -> None:
    async def body(session: Session) -> None:
        sent = await asked(session, 4)
        await session.approve(session.display.approvals[0], remember="tool")
        assert await sent == Finished("done")
        (grant,) = session.folded.grants
        by_grant = ("approved", "policy", grant.id)
        assert await answered(session) == [("approved", "person", ""), *[by_grant] * 3]
        assert statuses(session) == ["ok"] * 4

    with_session(harness([FOUR, DONE], write), body)


def test_an_always_for_one_call_leaves_the_others_to_be_asked_about() -> None:
    async def body(session: Session) -> None:
        sent = await asked(session, 4)
        first, *others = session.display.approvals
        await session.approve(first, remember="call")
        assert (await waiting(sent)).approvals == tuple(one.id for one in others)

    with_session(harness([FOUR, DONE], write), body)


Change: TypeAlias = Callable[[Session], Awaitable[object]]
CHANGES: list[tuple[Change, tuple[str, str, str]]] = [
    (lambda s: s.set_trust("edits"), ("approved", "policy", "trust:edits")),
    (lambda s: s.add_rule(Rule("allow", tool="write", id="fine")), ("approved", "policy", "fine")),
    (lambda s: s.add_rule(Rule("deny", tool="write", id="never")), ("declined", "policy", "never")),
]


@pytest.mark.parametrize(("change", "decided"), CHANGES, ids=["trust", "allow", "deny"])
def test_a_change_of_trust_or_rules_settles_what_it_decides(
    change: Change, decided: tuple[str, str, str]
) -> None:
    async def body(session: Session) -> None:
        sent = await asked(session, 4)
        await change(session)
        assert await sent == Finished("done")
        assert await answered(session) == [decided] * 4
        expected = "ok" if decided[0] == "approved" else "refused"
        assert statuses(session) == [expected] * 4

    with_session(harness([FOUR, DONE], write), body)


@pytest.mark.parametrize("trust", ["edits", "yolo"])
def test_what_always_asks_goes_on_asking(trust: str) -> None:
    async def body(session: Session) -> None:
        sent = await asked(session, 4)
        await session.set_trust(trust)  # pyright: ignore[reportArgumentType]
        await session.add_rule(Rule("allow", category="edit"))
        assert len((await waiting(sent)).approvals) == 4

    with_session(harness([FOUR, DONE], write, rules=[Rule("ask", tool="write", always=True)]), body)


def test_a_grant_for_the_resource_settles_what_waits_in_its_other_threads() -> None:
    async def test() -> None:
        async with harness([FOUR, FOUR, DONE, DONE], write) as host:
            one, other = await host.session("me", new=True), await host.session("me", new=True)
            first, second = await asked(one, 4), await asked(other, 4)
            await one.approve(one.display.approvals[0], remember="tool", scope="resource")
            assert await first == Finished("done")
            await until(lambda: other.folded.run is None)
            assert await second == Finished("done")
            assert {by for _, by, _ in await answered(other)} == {"policy"}

    run(test())


def test_a_grant_of_another_process_settles_what_waits_here() -> None:
    async def test() -> None:
        store = MemoryStore()
        async with (
            harness([FOUR, DONE], write, store=store) as here,
            harness([FOUR, DONE], write, store=store) as there,
        ):
            one = await here.session("me", new=True)
            other = await there.session("me", new=True)
            first, second = await asked(one, 4), await asked(other, 4)
            await other.approve(other.display.approvals[0], remember="tool", scope="resource")
            assert await second == Finished("done")
            await until(lambda: one.folded.run is None)
            assert await first == Finished("done")

    run(test())


def test_a_grant_that_came_while_nobody_had_the_thread_open_settles_it_when_it_goes_on() -> None:
    async def test() -> None:
        store = MemoryStore()
        async with harness([FOUR], write, store=store) as first:
            session = await first.session("me")
            await asked(session, 4)
            thread = session.thread
        async with harness([FOUR, DONE], write, store=store) as second:
            other = await second.session("me", new=True)
            sent = await asked(other, 4)
            await other.approve(other.display.approvals[0], remember="tool", scope="resource")
            assert await sent == Finished("done")
        async with harness([DONE], write, store=store) as third:
            session = await third.session("me", thread=thread, resume=True)
            await until(lambda: session.folded.run is None)
            assert {by for _, by, _ in await answered(session)} == {"policy"}
            assert statuses(session) == ["ok"] * 4

    run(test())


def test_an_always_for_one_child_settles_what_its_siblings_wait_for() -> None:
    async def body(session: Session) -> None:
        await asked(session, 2)
        await session.approve(session.display.approvals[0], remember="tool")
        await until(lambda: session.folded.run is None)
        (grant,) = session.folded.grants
        told = [await answered(await child_of(session, number)) for number in (0, 1)]
        assert sorted(told) == [[("approved", "person", "")], [("approved", "policy", grant.id)]]

    with_session(family(TWINS), body)


def test_a_change_of_trust_settles_what_a_grandchild_waits_for() -> None:
    rules = [
        when("begin", task("first"), DONE),
        when("first", task("second"), say("First.")),
        when("second", call("write", text="x"), say("Second.")),
    ]

    async def body(session: Session) -> None:
        await asked(session, 1)
        await session.set_trust("edits")
        await until(lambda: session.folded.run is None)
        grandchild = await child_of(await child_of(session))
        assert await answered(grandchild) == [("approved", "policy", "trust:edits")]

    with_session(family(rules), body)


def test_a_deny_settles_what_a_child_waits_for_and_tells_it_why() -> None:
    async def body(session: Session) -> None:
        await asked(session, 2)
        await session.add_rule(Rule("deny", tool="write", id="never"))
        await until(lambda: session.folded.run is None)
        assert "rule never" in results(await child_of(session))[0]

    with_session(family(TWINS), body)


def test_trust_that_changes_after_a_restart_settles_what_children_wait_for() -> None:
    async def test() -> None:
        store = MemoryStore()
        async with family(TWINS, store=store) as first:
            session = await first.session("me")
            await asked(session, 2)
            thread = session.thread
        async with family(TWINS, store=store) as second:
            session = await second.session("me", thread=thread)
            await session.set_trust("edits")
            await until(lambda: session.folded.run is None)
            assert session.display.approvals == ()
            assert [await answered(await child_of(session, n)) for n in (0, 1)] == [
                [("approved", "policy", "trust:edits")]
            ] * 2

    run(test())
