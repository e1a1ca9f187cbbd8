"""The harness: one live session per thread, who hears of it, what runs, and how all of it ends."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from longrein.capabilities.base import Capability
from longrein.capabilities.opening import Opening
from longrein.core import events as e
from longrein.core.errors import NotFound, UsageError
from longrein.core.messages import Assistant
from longrein.core.outcomes import Aborted, Finished, LimitReached
from longrein.core.usage import Limits
from longrein.harness import Harness
from longrein.loop.agent import Agent, Mode
from longrein.models.catalog import ProviderSettings
from longrein.session.session import Session
from longrein.storage.memory import MemoryStore
from longrein.sync import run_sync
from longrein.testing import Script, ScriptedModel, ScriptedServer, call, pause, reply, say
from tests.session.kit import harness, of, said, until, waiting
from tests.session.tools import deploy, read
from tests.support import run

MANY = 1000


def answering(text: str = "ok") -> ScriptedModel:
    return ScriptedModel(Script(otherwise=say(text)))


def test_a_key_stands_for_one_live_session_until_that_is_closed() -> None:
    async def body() -> None:
        async with harness(answering()) as made:
            session = await made.session("ada", "work")
            assert await made.session("ada", "work") is session
            assert made.sessions == [session]
            await session.close()
            assert made.sessions == []
            again = await made.session("ada", "work")
            assert again is not session
            assert again.thread == session.thread
            with pytest.raises(UsageError, match="closed"):
                await session.send("anybody there?")

    run(body())


def test_a_new_thread_becomes_the_current_one_of_its_key_alone() -> None:
    async def body() -> None:
        async with harness(answering()) as made:
            old, other = await made.session("ada"), await made.session("ada", "other")
            new = await made.session("ada", new=True)
            assert new is not old
            assert await made.session("ada") is new
            assert await made.session("ada", "other") is other
            assert await made.session("ada", thread=old.thread) is old

    run(body())


def test_a_thousand_sessions_keep_to_themselves() -> None:
    model = ScriptedModel(lambda request: say(f"heard {_last(request.messages)}"))
    modes = [Mode("plan"), Mode("build", model=answering("built"))]

    async def work(made: Harness, n: int) -> None:
        session = await made.session(f"user-{n}")
        if n % 2:
            await session.switch_mode("build")
        await session.update({"n": n})
        await (await session.send(f"word-{n}."))

    async def body() -> None:
        async with harness(model, modes=modes) as made:
            async with asyncio.TaskGroup() as tasks:
                for n in range(MANY):
                    tasks.create_task(work(made, n))
            assert len(made.sessions) == MANY
            for n in range(MANY):
                session = await made.session(f"user-{n}")
                mode, answer = ("build", "built") if n % 2 else ("plan", f"heard word-{n}.")
                assert (session.state, session.folded.mode) == ({"n": n}, mode)
                assert [m.text for m in said(session) if isinstance(m, Assistant)] == [answer]
                (admitted,) = await of(session, e.InputAdmitted)
                assert admitted.input.text == f"word-{n}."

    run(body(), seconds=150)


def test_listeners_hear_of_every_opening_and_closing_also_beside_one_that_raises() -> None:
    heard: list[tuple[str, str]] = []

    def broken(what: str, session: Session) -> None:
        raise RuntimeError("I do not care")

    def listen(what: str, session: Session) -> None:
        heard.append((what, session.resource))

    async def body() -> None:
        async with harness(answering()) as made:
            made.listen(broken)
            end = made.listen(listen)
            ada = await made.session("ada")
            await made.session("ada")
            assert await (await ada.send("hi")) == Finished("ok")
            await made.session("bob")
            await ada.close()
            await ada.close()
            assert heard == [("opened", "ada"), ("opened", "bob"), ("closed", "ada")]
            end()
            end()
            await made.session("ada")
        assert len(heard) == 3

    run(body())


def test_a_harness_that_closes_tells_of_each_session() -> None:
    heard: list[str] = []

    async def body() -> None:
        async with harness(answering()) as made:
            made.listen(lambda what, session: heard.append(f"{what} {session.resource}"))
            await made.session("ada")
            await made.session("bob")

    run(body())
    assert sorted(heard) == ["closed ada", "closed bob", "opened ada", "opened bob"]


def test_runs_lists_what_works_and_what_waits_and_nothing_that_is_over() -> None:
    model = ScriptedModel(
        lambda request: {
            "slow": reply(say("Well"), pause(), say(".")),
            "asks": call("deploy", target="x"),
            "done": say("ok"),
        }[_last(request.messages)]
    )

    async def body() -> None:
        async with harness(model, deploy) as made:
            assert made.runs() == []
            slow, asks, done = [await made.session(name) for name in ("slow", "asks", "done")]
            handles = [await s.send(s.resource) for s in (slow, asks, done)]
            await waiting(handles[1])
            assert await handles[2] == Finished("ok")
            listed = {one.resource: one for one in made.runs()}
            assert {name: one.activity for name, one in listed.items()} == {
                "slow": "running",
                "asks": "waiting",
            }
            assert (listed["asks"].run, listed["asks"].thread) == (handles[1].id, asks.thread)
            assert listed["slow"].started > 0
            model.release()
            await handles[0]
            assert [one.resource for one in made.runs()] == ["asks"]

    run(body())


def _last(messages: Any) -> str:
    return messages[-1].parts[0].text


@pytest.mark.parametrize("stop", [False, True])
def test_switching_leaves_what_runs_or_stops_it(stop: bool) -> None:
    model = ScriptedModel(Script([reply(say("Well"), pause(), say("."))]))

    async def body() -> None:
        async with harness(model) as made:
            old = await made.session("ada")
            new = await made.session("ada", "other")
            handle = await old.send("go")
            await until(lambda: model.open == 1)
            assert await made.switch("ada", "default", new.thread, stop=stop) is new
            assert await made.session("ada") is new
            if not stop:
                assert [one.thread for one in made.runs()] == [old.thread]
                model.release()
            ended = await handle
            assert ended == (Aborted("switched to another thread") if stop else Finished("Well."))
            assert not old.closed

    run(body())


def test_switching_to_the_current_thread_stops_nothing() -> None:
    model = ScriptedModel(Script([reply(say("Well"), pause(), say("."))]))

    async def body() -> None:
        async with harness(model) as made:
            session = await made.session("ada")
            handle = await session.send("go")
            await until(lambda: model.open == 1)
            assert await made.switch("ada", "default", session.thread, stop=True) is session
            model.release()
            assert await handle == Finished("Well.")

    run(body())


def test_another_resources_thread_is_not_found_and_not_searched(tmp_path: Path) -> None:
    async def body() -> None:
        async with harness(answering(), store=f"sqlite:{tmp_path / 'a.db'}") as made:
            session = await made.session("ada")
            await (await session.send("the secret pumpernickel plan"))
            (hit,) = await made.search("ada", "pumpernickel")
            assert hit.row.id == session.thread
            assert await made.search("bob", "pumpernickel") == []
            for attempt in (
                made.session("bob", thread=session.thread),
                made.switch("bob", "default", session.thread),
                made.fork("bob", session.thread),
                made.clone("bob", session.thread),
                made.delete("bob", session.thread),
                made.session("bob", thread="thr_nobody"),
            ):
                with pytest.raises(NotFound, match="'bob'"):
                    await attempt
            assert await made.threads("bob") == []
            assert not session.closed
            assert await (await session.send("still there?")) == Finished("ok")

    run(body())


def test_what_runs_when_a_harness_closes_goes_on_in_the_next_one(tmp_path: Path) -> None:
    store = f"sqlite:{tmp_path / 'a.db'}"
    model = ScriptedModel(Script([call("deploy", target="x"), say("ok")]))

    async def body() -> None:
        async with harness(model, deploy, store=store) as made:
            handle = await (await made.session("ada")).send("go")
            (approval,) = (await waiting(handle)).approvals
        async with harness(model, deploy, store=store) as made:
            session = await made.session("ada")
            await session.approve(approval)
            assert await session.run(handle.id) == Finished("ok")

    run(body())


def test_everything_ends_in_order_sessions_dependencies_models_store(tmp_path: Path) -> None:
    order: list[str] = []

    async def body() -> None:
        async with ScriptedServer(Script(otherwise=say("ok"))) as server:
            house = ProviderSettings(base_url=f"{server.url}/v1", key="sk-house")

            @asynccontextmanager
            async def deps(*key: str) -> AsyncGenerator[None, None]:
                yield
                assert server.open == 1
                assert await made.store.owner(key[2]) is None
                order.append("dependencies left")

            made = Harness(
                Agent("tester", model="house:large"),
                store=f"sqlite:{tmp_path / 'a.db'}",
                providers={"house": house},
                deps=deps,
                environ={},
            )
            async with made:
                made.listen(lambda what, session: order.append(what))
                session = await made.session("ada")
                assert await (await session.send("hi")) == Finished("ok")
            assert order == ["opened", "closed", "dependencies left"]
            await until(lambda: server.open == 0)
            with pytest.raises(UsageError, match="is closed"):
                await made.store.head(session.thread)

    run(body())


def test_a_store_that_was_given_is_left_open() -> None:
    async def body() -> None:
        store = MemoryStore()
        async with harness(answering(), store=store) as made:
            session = await made.session("ada")
            await (await session.send("hi"))
        async with harness(answering(), store=store) as made:
            again = await made.session("ada")
            assert again.thread == session.thread
            assert [m.text for m in said(again) if isinstance(m, Assistant)] == ["ok"]

    run(body())


def test_dependencies_that_cannot_be_left_are_reported_after_all_else_is_closed(
    tmp_path: Path,
) -> None:
    left: list[str] = []

    @asynccontextmanager
    async def deps(resource: str, scope: str, thread: str) -> AsyncGenerator[None, None]:
        yield
        left.append(resource)
        if resource == "ada":
            raise ConnectionError("cannot say goodbye")

    async def body() -> None:
        made = harness(answering(), store=f"sqlite:{tmp_path / 'a.db'}", deps=deps)
        sessions = [await made.session(name) for name in ("ada", "bob")]
        with pytest.raises(ConnectionError, match="goodbye"):
            await made.close()
        assert sorted(left) == ["ada", "bob"]
        assert all(session.closed for session in sessions)
        with pytest.raises(UsageError, match="is closed"):
            await made.store.head(sessions[0].thread)

    run(body())


class Endless(Capability):
    """Never comes to the end of what it has to say."""

    async def context(self, opening: Opening) -> str:
        opening.deps.append("made")
        await asyncio.sleep(60)
        return ""


def test_a_harness_that_closes_while_a_session_opens_leaves_nothing_behind() -> None:
    seen: list[str] = []

    @asynccontextmanager
    async def deps(*key: str) -> AsyncGenerator[list[str], None]:
        try:
            yield seen
        finally:
            seen.append("left")

    async def body() -> None:
        agent = Agent("tester", model=answering(), capabilities=[Endless()])
        made = Harness(agent, deps=deps, environ={})
        opening = asyncio.create_task(made.session("ada"))
        await until(lambda: seen == ["made"])
        await made.close()
        with pytest.raises(UsageError, match="closed"):
            await opening
        assert seen == ["made", "left"]

    run(body())


def test_one_who_gives_up_waiting_does_not_spoil_the_opening_for_others() -> None:
    go_on = asyncio.Event()

    async def deps(*key: str) -> None:
        await go_on.wait()

    async def body() -> None:
        async with harness(answering(), deps=deps) as made:
            impatient = asyncio.create_task(made.session("ada"))
            patient = asyncio.create_task(made.session("ada"))
            await asyncio.sleep(0.01)
            impatient.cancel()
            with pytest.raises(asyncio.CancelledError):
                await impatient
            go_on.set()
            assert await (await (await patient).send("hi")) == Finished("ok")

    run(body())


@pytest.mark.parametrize("name", ["postgres:x", "sqlite", "sqlite:", "memory:x", ""])
def test_a_store_that_there_is_not_is_refused_by_name(name: str) -> None:
    with pytest.raises(UsageError, match="'sqlite:PATH'"):
        harness(answering(), store=name)


def test_run_sync_gives_the_outcome_of_one_run() -> None:
    agent = Agent("tester", model=ScriptedModel(Script([call("read"), say("done")])), tools=[read])
    assert run_sync(agent, "go") == Finished("done")
    stopped = run_sync(agent, "go", limits=Limits(steps=1))
    assert isinstance(stopped, LimitReached)
    counted = Agent("tester", model=answering("[1, 2]"))
    assert run_sync(counted, "go", output=list[int]) == Finished("[1, 2]", [1, 2])


def test_run_sync_inside_a_running_loop_says_what_to_do_instead() -> None:
    async def body() -> None:
        with pytest.raises(UsageError, match="await"):
            run_sync(Agent("tester", model=answering()), "go")

    run(body())
