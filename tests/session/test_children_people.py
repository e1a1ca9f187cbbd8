"""What people say in a child, or to it: it holds there, and never beyond what holds above."""

import pytest

from longrein.capabilities.subagents.spec import Subagent
from longrein.core.errors import UsageError
from longrein.core.outcomes import Finished
from longrein.core.policy import Rule
from longrein.loop.agent import Mode
from longrein.session.session import Session
from longrein.storage.memory import MemoryStore
from longrein.testing import Script, ScriptedModel, call, pause, reply, say
from longrein.testing.scripted import when
from tests.session.families import child_of, family, results, task
from tests.session.kit import until, waiting, with_session
from tests.support import run

DONE = say("Done.")
TWICE = when("write it", call("write", text="x"), call("write", text="y"), say("Written."))
ASKING = [when("begin", task("write it"), DONE), TWICE]


def test_a_yes_that_is_remembered_in_the_child_holds_there() -> None:
    async def body(session: Session) -> None:
        sent = await session.send("begin")
        await waiting(sent)
        child = await child_of(session)
        await child.approve(child.display.approvals[0], remember="tool", scope="thread")
        assert await sent == Finished("Done.")
        assert results(child) == ["wrote x", "wrote y"]
        assert session.folded.grants == ()

    with_session(family(ASKING), body)


def test_a_yes_for_the_run_holds_for_the_child_alone_once_the_run_is_over() -> None:
    rules = [
        when("begin", task("write it", background=True), DONE),
        TWICE,
        when("again", call("write", text="own"), DONE),
    ]
    model = ScriptedModel(Script(rules=rules, otherwise=DONE))

    async def body(session: Session) -> None:
        await (await session.send("begin"))
        await until(lambda: bool(session.display.approvals))
        await session.approve(session.display.approvals[0], remember="tool", scope="run")
        await until(lambda: not session.folded.children[0].open)
        assert results(await child_of(session)) == ["wrote x", "wrote y"]
        await until(lambda: session.folded.run is None)
        await waiting(await session.send("again"))

    with_session(family(model), body)


@pytest.mark.parametrize("forked", [False, True])
def test_a_mode_that_a_child_is_put_into_forbids_what_it_forbids_its_parent(forked: bool) -> None:
    rules = [
        when("go", call("write", text="x"), DONE),
        when("first", say("Ready.")),
        when("begin", task("first", "writer"), DONE),
    ]
    modes = [Mode("build", default=True), Mode("safe", rules=[Rule("deny", category="edit")])]

    async def body(session: Session) -> None:
        await (await session.send("begin"))
        child = await child_of(session)
        await child.switch_mode("safe")
        await (await child.send("go"))
        assert "not allowed" in results(child)[-1]

    writer = Subagent("writer", "Writes.", forked=forked)
    with_session(family(rules, writer, modes=modes, rules=[Rule("allow", tool="write")]), body)


@pytest.mark.parametrize("chosen", ["ask", "edits"])
def test_trust_that_a_person_chose_in_a_child_is_not_raised_from_above(chosen: str) -> None:
    model = ScriptedModel(
        Script(
            rules=[
                when("begin", task("write it", background=True), DONE),
                when("write it", reply(pause(), call("look", at="x")), DONE),
            ],
            otherwise=DONE,
        )
    )

    async def body(session: Session) -> None:
        await session.set_trust("edits")
        await (await session.send("begin"))
        await until(lambda: model.open == 1)
        child = await child_of(session)
        assert child.display.trust == "edits"
        await child.set_trust("ask" if chosen == "ask" else "edits")
        for trust in ("ask", "yolo"):
            await session.set_trust(trust)
        model.release()
        await until(lambda: not session.folded.children[0].open)
        assert child.display.trust == chosen

    with_session(family(model), body)


def test_a_child_is_not_forked() -> None:
    async def test() -> None:
        async with family([when("begin", task("go"), DONE), when("go", DONE)]) as host:
            session = await host.session("tester")
            await (await session.send("begin"))
            child = session.folded.children[0].thread
            for copy in (host.fork, host.clone):
                with pytest.raises(UsageError, match=session.thread):
                    await copy("tester", child)
            assert len(await host.threads("tester")) == 1

    run(test())


def test_an_answer_at_the_root_is_known_under_its_id_with_its_run() -> None:
    async def body(session: Session) -> None:
        sent = await session.send("begin")
        asked = (await waiting(sent)).approvals[0]
        first = await session.approve(asked, command="cmd-1")
        again = await session.approve(asked, command="cmd-1")
        assert (first.status, again.status) == ("applied", "already")
        assert again.run == first.run != ""

    with_session(family(ASKING), body)


def test_a_root_that_nobody_writes_goes_on_with_what_its_child_is_told() -> None:
    async def test() -> None:
        store = MemoryStore()
        rules = [ASKING[0], when("write it", call("write", text="x"), say("Written."))]
        async with family(rules, store=store) as host:
            session = await host.session("tester")
            await waiting(await session.send("begin"))
            child = session.folded.children[0].thread
        async with family(rules, store=store) as host:
            opened = await host.session("tester", thread=child)
            await opened.approve(opened.display.approvals[0])
            root = await host.session("tester", thread=session.thread)
            await until(lambda: root.folded.run is None)
            assert results(root) == ["Written."]

    run(test())


def test_who_is_listed_below_can_be_looked_into_and_stopped() -> None:
    model = ScriptedModel(
        Script(
            rules=[
                when("begin", task("middle"), DONE),
                when("middle", task("lowest"), say("Middle.")),
                when("lowest", reply(pause(), DONE)),
            ]
        )
    )

    async def body(session: Session) -> None:
        sent = await session.send("begin")
        await until(lambda: model.open == 1)
        _, lowest = session.children()
        assert (await session.child(lowest.thread)).thread == lowest.thread
        assert await session.stop_child(lowest.thread)
        assert await sent == Finished("Done.")
        assert results(session) == ["Middle."]

    with_session(family(model), body)
