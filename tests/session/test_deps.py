"""Dependencies: made for each session, handed to code, left when the session closes, never kept."""

import asyncio
import subprocess
import sys
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from longrein.capabilities.base import Capability
from longrein.capabilities.contexts import CommandContext, HookContext, SlashCommand
from longrein.capabilities.opening import Opening
from longrein.core.errors import UsageError
from longrein.core.messages import ToolResult
from longrein.core.outcomes import Finished
from longrein.harness import Harness
from longrein.loop.agent import Agent, Mode
from longrein.session.session import Session
from longrein.testing import Reply, Script, ScriptedModel, call, say
from longrein.tools.context import Context
from longrein.tools.define import tool
from tests.session.kit import said, waiting
from tests.support import run

MARKER = "needle-that-is-nowhere-kept"
REPOSITORY = Path(__file__).resolve().parents[2]


@dataclass
class Progress:
    done: int = 0


@dataclass
class Deps:
    """What the tools of these tests work with."""

    resource: str
    scope: str
    thread: str
    secret: str = MARKER


@dataclass
class Maker:
    """Makes dependencies in one of the ways there are, and writes down what became of them."""

    made: list[Deps] = field(default_factory=list[Deps])
    left: list[str] = field(default_factory=list[str])
    failing: int = 0

    def plain(self, resource: str, scope: str, thread: str) -> Deps:
        if self.failing:
            self.failing -= 1
            raise ConnectionError("the database is down")
        self.made.append(Deps(resource, scope, thread))
        return self.made[-1]

    async def later(self, resource: str, scope: str, thread: str) -> Deps:
        await asyncio.sleep(0)
        return self.plain(resource, scope, thread)

    @asynccontextmanager
    async def managed(self, resource: str, scope: str, thread: str) -> AsyncGenerator[Deps, None]:
        deps = self.plain(resource, scope, thread)
        try:
            yield deps
        finally:
            self.left.append(thread)


@tool
async def whose(ctx: Context[Deps, Progress]) -> str:
    """Tell whose dependencies these are, and count."""
    ctx.update(lambda progress: Progress(progress.done + 1))
    return f"{ctx.deps.resource}/{ctx.deps.scope} after {ctx.state.done}"


def whose_now(ctx: Context[Deps]) -> str:
    """Tell it from a thread."""
    return ctx.deps.thread


def hosting(
    deps: Callable[[str, str, str], Any],
    *script: Reply,
    store: str = "memory",
    capabilities: Sequence[Capability] = (),
    **more: Any,
) -> Harness:
    model = ScriptedModel(Script(script, otherwise=say("ok")))
    given: dict[str, Any] = {"model": model, "tools": [whose, whose_now], **more}
    agent = Agent("tester", capabilities=capabilities, **given)
    return Harness(agent, deps=deps, store=store, state=Progress, environ={})


def results(session: Session) -> list[str]:
    return [message.text for message in said(session) if isinstance(message, ToolResult)]


@pytest.mark.parametrize("way", ["plain", "later", "managed"])
def test_a_tool_has_what_was_made_for_its_session(way: str) -> None:
    maker = Maker()

    async def body() -> None:
        async with hosting(
            getattr(maker, way), call("whose"), call("whose_now"), say("ok")
        ) as made:
            ada = await made.session("ada", "work")
            bob = await made.session("bob")
            for session in (ada, bob):
                assert await (await session.send("go")) == Finished("ok")
            assert results(ada) == ["ada/work after 0", ada.thread]
            assert results(bob) == ["bob/default after 0", bob.thread]
            assert ada.state == Progress(1)
            assert await made.session("ada", "work") is ada
        assert [(deps.resource, deps.scope) for deps in maker.made] == [
            ("ada", "work"),
            ("bob", "default"),
        ]

    run(body())


def test_dependencies_are_left_when_their_session_closes_and_no_earlier() -> None:
    maker = Maker()

    async def body() -> None:
        async with hosting(maker.managed) as made:
            first, second = await made.session("ada"), await made.session("bob")
            await (await first.send("hi"))
            assert maker.left == []
            await first.close()
            await first.close()
            assert maker.left == [first.thread]
        assert maker.left == [first.thread, second.thread]

    run(body())


def test_they_are_made_anew_when_the_thread_is_opened_again(tmp_path: Path) -> None:
    store, maker = f"sqlite:{tmp_path / 'a.db'}", Maker()
    script = [call("whose"), say("ok")] * 3

    async def body() -> None:
        async with hosting(maker.managed, *script, store=store) as made:
            session = await made.session("ada")
            await (await session.send("one"))
            await session.close()
            await (await (await made.session("ada")).send("two"))
        async with hosting(maker.managed, *script, store=store) as made:
            session = await made.session("ada")
            await (await session.send("three"))
            assert results(session) == [f"ada/default after {n}" for n in range(3)]
        assert [deps.thread for deps in maker.made] == [session.thread] * 3
        assert maker.left == [session.thread] * 3

    run(body())


def test_a_fork_has_dependencies_of_its_own() -> None:
    maker = Maker()

    async def body() -> None:
        async with hosting(maker.plain, call("whose_now"), say("ok")) as made:
            session = await made.session("ada")
            await session.rename("parent")
            fork = await made.fork("ada", session.thread)
            await (await fork.send("go"))
            assert results(fork) == [fork.thread]

    run(body())


@pytest.mark.parametrize("way", ["plain", "later", "managed"])
def test_a_factory_that_fails_leaves_nothing_open_and_is_asked_again(way: str) -> None:
    maker = Maker(failing=2)

    async def body() -> None:
        async with hosting(getattr(maker, way)) as made:
            tries = await asyncio.gather(
                *(made.session("ada") for _ in range(3)), return_exceptions=True
            )
            assert [type(error) for error in tries] == [ConnectionError] * 3
            with pytest.raises(ConnectionError, match="the database is down"):
                await made.session("ada")
            assert made.sessions == []
            session = await made.session("ada")
            assert await (await session.send("hi")) == Finished("ok")
            assert len(await made.threads("ada")) == 1

    run(body())


def test_a_factory_that_fails_leaves_the_current_thread_as_it_was() -> None:
    maker = Maker()

    async def body() -> None:
        async with hosting(maker.plain) as made:
            here = await made.session("ada")
            there = await made.session("ada", "other")
            await there.close()
            maker.failing = 1
            with pytest.raises(ConnectionError):
                await made.switch("ada", "default", there.thread)
            assert await made.session("ada") is here

    run(body())


class Broken(Capability):
    """Fails while a session is being opened."""

    def context(self, opening: Opening) -> str:
        raise RuntimeError("no context today")


def no_instructions(deps: Deps) -> str:
    raise LookupError(f"nothing for {deps.resource}")


def tools_of_one_name(deps: Deps) -> list[Any]:
    return [whose, whose.function]


@pytest.mark.parametrize(
    ("more", "error"),
    [
        ({"capabilities": [Broken()]}, RuntimeError),
        ({"tools": tools_of_one_name}, UsageError),
        ({"instructions": no_instructions}, LookupError),
    ],
)
def test_dependencies_are_left_when_opening_fails_after_they_were_made(
    more: dict[str, Any], error: type[Exception]
) -> None:
    maker = Maker()

    async def body() -> None:
        async with hosting(maker.managed, **more) as made:
            with pytest.raises(error):
                await made.session("ada")
            assert made.sessions == []
            assert maker.left == [maker.made[0].thread]

    run(body())


def test_instructions_tools_and_model_can_be_functions_of_them() -> None:
    models = {name: ScriptedModel(Script(otherwise=say(name))) for name in ("ada", "bob")}

    async def body() -> None:
        agent = Agent(
            "tester",
            instructions=lambda deps: f"You work for {deps.resource}.",
            model=lambda deps: models[deps.resource],
            tools=lambda deps: [whose] if deps.resource == "ada" else [whose, whose_now],
        )
        async with Harness(agent, deps=Maker().plain, environ={}) as made:
            for name in models:
                assert await (await (await made.session(name)).send("hi")) == Finished(name)

    run(body())
    ((one,), (two,)) = (models["ada"].requests, models["bob"].requests)
    assert (one.system, two.system) == ("You work for ada.", "You work for bob.")
    assert [len(request.tools) for request in (one, two)] == [1, 2]


def test_the_model_of_a_mode_is_used_beside_a_function_for_the_agents() -> None:
    plan, agents = (ScriptedModel(Script(otherwise=say(name))) for name in ("plan", "agent's"))

    async def body() -> None:
        agent = Agent("tester", model=lambda deps: agents)
        modes = [Mode("plan", model=plan), Mode("build")]
        async with Harness(agent, modes=modes, environ={}) as made:
            session = await made.session("ada")
            assert await (await session.send("hi")) == Finished("plan")
            await session.switch_mode("build")
            assert await (await session.send("hi")) == Finished("agent's")

    run(body())


class Watcher(Capability):
    """Keeps what its hooks, its command and its part of the system text see."""

    def __init__(self) -> None:
        self.seen: list[Any] = []

    def context(self, opening: Opening) -> str:
        self.seen.append(opening.deps)
        return ""

    async def before_run(self, ctx: HookContext) -> None:
        self.seen.append(ctx.deps)

    def commands(self) -> Sequence[SlashCommand]:
        return (SlashCommand("look", "Look.", self._look),)

    def _look(self, ctx: CommandContext, arguments: str) -> str:
        self.seen.append(ctx.deps)
        return "seen"


def test_capabilities_have_the_same_dependencies_in_every_hook() -> None:
    maker, watcher = Maker(), Watcher()

    async def body() -> None:
        async with hosting(maker.plain, capabilities=[watcher]) as made:
            session = await made.session("ada")
            await (await session.send("hi"))
            assert await session.invoke("look") == "seen"

    run(body())
    assert len(watcher.seen) == 3
    assert all(seen is maker.made[0] for seen in watcher.seen)


def test_dependencies_are_never_in_the_store(tmp_path: Path) -> None:
    async def body() -> None:
        store = f"sqlite:{tmp_path / 'a.db'}"
        async with hosting(Maker().plain, call("whose"), say("ok"), store=store) as made:
            session = await made.session("ada")
            assert await (await session.send("go")) == Finished("ok")
            await session.conductor.journal.snapshot()
            _without_marker(tmp_path)

    run(body())
    _without_marker(tmp_path)


def _without_marker(folder: Path) -> None:
    kept = b"".join(file.read_bytes() for file in folder.rglob("*") if file.is_file())
    assert b"ada/default after 0" in kept
    assert MARKER.encode() not in kept


@tool(asks=True)
async def sign(ctx: Context[Deps]) -> str:
    """Ask a person, then sign with what the process has."""
    return f"{await ctx.ask('Sign it?')} by {ctx.deps.secret}"


def signing(store: str, secret: str) -> Harness:
    def deps(resource: str, scope: str, thread: str) -> Deps:
        return Deps(resource, scope, thread, secret)

    return hosting(deps, call("sign"), say("ok"), store=store, tools=[sign])


def be_killed(store: str) -> None:
    """Ask, say so, and wait for the end; run in a process of its own."""

    async def body() -> None:
        async with signing(store, "the first process") as made:
            await waiting(await (await made.session("ada")).send("go"))
            sys.stdout.write("asked\n")
            sys.stdout.flush()
            await asyncio.sleep(60)

    asyncio.run(body())


def test_after_a_kill_the_tool_gets_the_dependencies_of_the_new_process(tmp_path: Path) -> None:
    store = f"sqlite:{tmp_path / 'a.db'}"
    code = f"from tests.session.test_deps import be_killed; be_killed({store!r})"
    process = subprocess.Popen([sys.executable, "-c", code], cwd=REPOSITORY, stdout=subprocess.PIPE)
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"asked\n"
        process.kill()

    async def body() -> None:
        async with signing(store, "the second one") as made:
            session = await made.session("ada")
            (question,) = session.display.questions
            await session.answer(question.id, "signed")
            assert await session.run(question.run) == Finished("ok")
            assert results(session) == ["signed by the second one"]

    run(body())
