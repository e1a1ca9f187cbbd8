"""Delegating in real sessions: who does what, and what comes back."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from longrein import (
    Agent,
    BadRequest,
    Finished,
    Harness,
    Limits,
    Mode,
    Note,
    Session,
    Subagent,
    Subagents,
    Tool,
    ToolResult,
    events,
    tool,
)
from longrein.models.base import Request
from longrein.testing import (
    Reply,
    Script,
    ScriptedModel,
    When,
    call,
    calls,
    fail,
    reply,
    say,
    when,
)
from tests.support import run

READER = Subagent("reader", "Reads.", "You read.", tools=["look"])


@tool(category="read", idempotent=True)
def look(path: str) -> str:
    """Look at a file."""
    return f"content of {path}"


@tool(category="read", idempotent=True)
def smell(path: str) -> str:
    """Smell at a file."""
    return f"smell of {path}"


@dataclass
class Count:
    words: int


def task(prompt: str, agent: str = "general-purpose", *, background: bool = False) -> Reply:
    return call("task", agent=agent, description=prompt, prompt=prompt, background=background)


def ending(*replies: Reply) -> tuple[Reply, ...]:
    return (*replies, say("Thank you."))


@asynccontextmanager
async def working(
    capability: Subagents,
    replies: Sequence[Reply],
    rules: Sequence[When] = (),
    modes: Sequence[Mode] | None = None,
    tools: Sequence[Tool | Callable[..., Any]] = (look, smell),
) -> AsyncGenerator[tuple[Session[Any], ScriptedModel]]:
    model = ScriptedModel(Script(replies, rules))
    agent = Agent(
        "main",
        instructions="You are the main agent.",
        model=model,
        tools=tools,
        capabilities=[capability],
    )
    async with Harness(agent, modes=modes) as harness:
        yield await harness.session(), model


def results(session: Session[Any]) -> list[ToolResult]:
    return [one for one in session.display.messages if isinstance(one, ToolResult)]


def asked(model: ScriptedModel, text: str) -> list[Request]:
    """The requests of the child whose task this is."""
    return [one for one in model.requests if text in str(one.messages[0])]


def offered(request: Request) -> list[str]:
    return [one.name for one in request.tools]


def test_the_general_purpose_child_has_its_parents_instructions_and_tools() -> None:
    async def body() -> None:
        rules = [when("Look around", call("look", path="/a"), say("All is well."))]
        async with working(Subagents(), ending(task("Look around")), rules) as (session, model):
            assert await (await session.send("Go")) == Finished("Thank you.")
            (result,) = results(session)
            assert (result.status, result.text) == ("ok", "All is well.")
            first, second = asked(model, "Look around")
            assert first.system.startswith("You are the main agent.")
            assert "You are the subagent general-purpose." in first.system
            assert {"look", "smell", "task"} <= set(offered(first))
            assert "content of /a" in str(second.messages)

    run(body())


def test_one_of_ones_own_has_its_instructions_and_only_its_tools() -> None:
    async def body() -> None:
        rules = [when("Read /a", call("smell", path="/a"), call("look", path="/a"), say("Read."))]
        agents = Subagents([READER])
        async with working(agents, ending(task("Read /a", "reader")), rules) as (session, model):
            await (await session.send("Go"))
            assert results(session)[0].text == "Read."
            first, _, third = asked(model, "Read /a")
            assert first.system.startswith("You read.")
            assert offered(first) == ["look"]
            assert "There is no tool `smell`" in str(third.messages)

    run(body())


def test_an_unknown_subagent_is_a_result_that_names_the_nearest() -> None:
    async def body() -> None:
        async with working(Subagents([READER]), ending(task("Read", "raeder"))) as (session, _):
            assert await (await session.send("Go")) == Finished("Thank you.")
            (result,) = results(session)
            assert result.status == "error"
            assert "'raeder'" in result.text
            assert "'reader'" in result.text

    run(body())


def test_an_output_comes_back_as_json_that_fits() -> None:
    async def body() -> None:
        counter = Subagent("counter", "Counts.", output=Count)
        rules = [when("Count", say("Many."), say('So: {"words": 7}'))]
        script = ending(task("Count", "counter"))
        async with working(Subagents([counter]), script, rules) as (session, _):
            await (await session.send("Go"))
            (result,) = results(session)
            assert (result.status, result.text) == ("ok", '{"words": 7}')

    run(body())


def test_a_child_that_fails_or_runs_into_a_limit_is_a_result_that_says_so() -> None:
    async def body() -> None:
        agents = Subagents([Subagent("short", "Gives up.", limits=Limits(steps=1))])
        script = ending(calls(task("Break it"), task("Take long", "short")))
        rules = [
            when("Break it", fail(BadRequest("no such model"))),
            when("Take long", reply(say("I begin."), call("look", path="/a")), say("Done.")),
        ]
        async with working(agents, script, rules) as (session, _):
            assert await (await session.send("Go")) == Finished("Thank you.")
            broken, short = results(session)
            assert (broken.status, short.status) == ("error", "error")
            assert broken.text.startswith("The subagent failed.")
            assert "no such model" in broken.text
            assert short.text.startswith("The subagent ran into a limit before it was done.")
            assert "I begin." in short.text

    run(body())


def test_a_child_without_a_word_is_told_with_what_it_did() -> None:
    async def body() -> None:
        rules = [when("Be quiet", call("look", path="/a"), reply())]
        async with working(Subagents(), ending(task("Be quiet")), rules) as (session, _):
            await (await session.send("Go"))
            (result,) = results(session)
            assert result.text.startswith("The subagent ended without a word. It took ")

    run(body())


def test_two_in_one_step_work_side_by_side() -> None:
    async def body() -> None:
        both = asyncio.Barrier(2)

        async def meet() -> str:
            """Wait for the other."""
            async with asyncio.timeout(20):
                await both.wait()
            return "met"

        script = ending(calls(task("First task"), task("Second task")))
        rules = [when(f"{one} task", call("meet"), say(one)) for one in ("First", "Second")]
        async with working(Subagents(), script, rules, tools=[meet]) as (session, model):
            await (await session.send("Go"))
            assert "met" in str(asked(model, "First task")[1].messages)
            assert [one.text for one in results(session)] == ["First", "Second"]

    run(body())


def test_a_child_in_the_background_wakes_its_parent_with_its_result() -> None:
    async def body() -> None:
        script = [task("Take your time", background=True), say("It works."), say("I see.")]
        rules = [when("Take your time", say("At last."))]
        async with working(Subagents(), script, rules) as (session, _):
            assert await (await session.send("Go")) == Finished("It works.")
            assert "has begun in the background" in results(session)[0].text
            while len(session.folded.outcomes) < 2:
                async for event in session.events(after=session.folded.seq):
                    if isinstance(event, events.RunEnded):
                        break
            notes = [one.text for one in session.display.messages if isinstance(one, Note)]
            assert any("At last." in note for note in notes)

    run(body())


def test_children_delegate_until_they_are_too_deep() -> None:
    async def body() -> None:
        rules = [
            when("Level one", task("Level two"), say("One.")),
            when("Level two", say("Two.")),
        ]
        script = ending(task("Level one"))
        async with working(Subagents(depth=2), script, rules) as (session, model):
            await (await session.send("Go"))
            assert results(session)[0].text == "One."
            assert "task" in offered(asked(model, "Level one")[0])
            assert {"task", "tasks"}.isdisjoint(offered(asked(model, "Level two")[0]))

    run(body())


def test_what_a_mode_hides_no_child_is_given() -> None:
    async def body() -> None:
        modes = [Mode("plan", visible=["look", "task"])]
        smeller = Subagent("smeller", "Smells.", tools=["look", "smell"])
        rules = [when("Smell /a", call("smell", path="/a"), say("Nothing."))]
        script = ending(task("Smell /a", "smeller"))
        async with working(Subagents([smeller]), script, rules, modes) as (session, model):
            await (await session.send("Go"))
            first, second = asked(model, "Smell /a")
            assert offered(first) == ["look"]
            assert "smell of /a" not in str(second.messages)

    run(body())


def test_a_mode_with_tools_of_its_own_has_children_with_these() -> None:
    async def body() -> None:
        modes = [Mode("plan", tools=[smell], visible=["smell", "task"])]
        rules = [when("Smell /a", call("smell", path="/a"), say("Nothing."))]
        async with working(Subagents(depth=1), ending(task("Smell /a")), rules, modes) as (
            session,
            model,
        ):
            await (await session.send("Go"))
            assert results(session)[0].text == "Nothing."
            assert offered(asked(model, "Smell /a")[0]) == ["smell"]

    run(body())


def test_a_general_purpose_child_of_a_child_is_told_once_who_it_is() -> None:
    async def body() -> None:
        rules = [when("Level one", task("Level two"), say("1")), when("Level two", say("2"))]
        async with working(Subagents(), ending(task("Level one")), rules) as (session, model):
            await (await session.send("Go"))
            (request,) = asked(model, "Level two")
            assert request.system.count("You are the subagent") == 1
            assert request.system.startswith("You are the main agent.")

    run(body())


def test_a_subagent_of_a_file_works_without_the_tools_that_are_not_there(tmp_path: Path) -> None:
    async def body() -> None:
        text = "---\ndescription: Reads.\ntools: Read, look\n---\nYou read files."
        (tmp_path / "reader.md").write_text(text)
        rules = [when("Read /a", call("look", path="/a"), say("Read."))]
        agents = Subagents(files=[tmp_path])
        async with working(agents, ending(task("Read /a", "reader")), rules) as (session, model):
            await (await session.send("Go"))
            assert results(session)[0].text == "Read."
            assert offered(asked(model, "Read /a")[0]) == ["look"]
            assert any("'Read'" in one.message for one in session.display.warnings)

    run(body())


def test_a_long_result_is_cut_and_the_whole_is_kept() -> None:
    async def body() -> None:
        rules = [when("Write much", say("x" * 50_000, size=0))]
        async with working(Subagents(), ending(task("Write much")), rules) as (session, _):
            await (await session.send("Go"))
            (result,) = results(session)
            assert "characters left out" in result.text
            assert len(result.text) < 40_000

    run(body())


def test_the_command_shows_who_worked() -> None:
    async def body() -> None:
        rules = [when("Look around", say("All is well."))]
        async with working(Subagents(), ending(task("Look around")), rules) as (session, _):
            await (await session.send("Go"))
            shown = await session.invoke("/agents")
            assert "- general-purpose: " in shown
            assert "general-purpose 'Look around': finished, 1 step, 110 tokens" in shown

    run(body())
