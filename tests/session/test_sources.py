"""The sections of the system text: what is told when one changes, and what stays as it was."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from longrein.capabilities.base import Capability
from longrein.capabilities.opening import Opening
from longrein.core import events as e
from longrein.core.outcomes import Problem
from longrein.harness import Harness
from longrein.loop.agent import Agent
from longrein.models.catalog import ProviderSettings
from longrein.testing import ScriptedModel, say
from tests.capabilities.kit import hosting, words
from tests.session.kit import of
from tests.support import run


class Weather(Capability):
    """Says what the weather is, which changes."""

    live = True

    def __init__(self, *said: str, wrong: Sequence[Problem] = ()) -> None:
        self.said = list(said)
        self.wrong = wrong

    def context(self, opening: Opening) -> str:
        return self.said.pop(0) if len(self.said) > 1 else self.said[0]

    def problems(self) -> Sequence[Problem]:
        return self.wrong


class Terse(Weather):
    def news(self, before: str, after: str) -> str:
        return f"{before} -> {after}"


def heard(model: ScriptedModel) -> list[list[str]]:
    """What the model heard in each request."""
    return [words(request.messages) for request in model.requests]


async def _three(*capabilities: Capability) -> tuple[ScriptedModel, list[e.Event]]:
    model = ScriptedModel(lambda _: say("Ok."))
    async with hosting(model, *capabilities) as harness:
        session = await harness.session()
        for text in ("one", "two", "three"):
            await (await session.send(text))
        return model, [*await of(session, e.PrefixStarted), *await of(session, e.ContextChanged)]


def test_sections_make_the_system_text_and_are_named() -> None:
    model, events = run(_three(Weather("Sun.")))
    (prefix,) = events
    assert isinstance(prefix, e.PrefixStarted)
    lengths = {one.name: one.length for one in prefix.sources}
    assert (lengths["agent"], lengths["weather"]) == (0, 4)
    assert {request.system for request in model.requests} == {"Sun."}


def test_a_change_is_told_at_the_next_step_and_leaves_the_prefix_alone() -> None:
    # Asked when the session is opened, then before each step.
    model, events = run(_three(Weather("Sun.", "Sun.", "Rain.")))
    assert [type(event) for event in events] == [e.PrefixStarted, e.ContextChanged]
    assert {request.system for request in model.requests} == {"Sun."}
    first, second, third = heard(model)
    assert first == ["user: one"]
    assert second[:3] == ["user: one", "model: Ok.", "user: two"]
    assert second[3].startswith("context:weather: ")
    assert second[3].endswith("Rain.")
    assert third[: len(second)] == second
    assert len([line for line in third if "Rain." in line]) == 1


def test_a_capability_says_its_news_in_its_own_words() -> None:
    model, _ = run(_three(Terse("Sun.", "Sun.", "Rain.", "Snow.")))
    assert heard(model)[1][-1] == "context:weather: Sun. -> Rain.".replace("weather", "terse")
    assert heard(model)[2][-1] == "context:terse: Rain. -> Snow."


def test_a_section_that_says_nothing_any_more_is_told() -> None:
    model, _ = run(_three(Weather("Sun.", "Sun.", "")))
    assert "does not hold any more" in heard(model)[1][-1]


def test_news_that_say_nothing_are_no_message_but_are_told_once() -> None:
    class Silent(Weather):
        def news(self, before: str, after: str) -> str:
            return ""

    model, events = run(_three(Silent("Sun.", "Sun.", "Rain.")))
    assert [type(event) for event in events] == [e.PrefixStarted, e.ContextChanged]
    assert heard(model)[2] == ["user: one", "model: Ok.", "user: two", "model: Ok.", "user: three"]


def test_instructions_that_changed_between_two_processes_are_told(tmp_path: Path) -> None:
    store = f"sqlite:{tmp_path / 'app.db'}"

    async def spoken(instructions: str) -> ScriptedModel:
        model = ScriptedModel(lambda _: say("Ok."))
        agent = Agent("tester", model=model, instructions=instructions)
        async with Harness(agent, store=store, environ={}) as harness:
            session = await harness.session()
            await (await session.send("Hi"))
            assert len(await of(session, e.PrefixStarted)) == 1
        return model

    run(spoken("Be brief."))
    later = run(spoken("Be long."))
    assert later.requests[0].system == "Be brief."
    assert "Be long." in words(later.requests[0].messages)[-1]


def test_what_a_rewind_took_back_is_told_again() -> None:
    async def main() -> list[str]:
        model = ScriptedModel(lambda _: say("Ok."))
        async with hosting(model, Weather("Sun.", "Sun.", "Rain.")) as harness:
            session = await harness.session()
            await (await session.send("one"))
            await (await session.send("two"))
            newest = session.points()[0]
            await session.rewind(newest.input)
            await (await session.send("three"))
        return heard(model)[-1]

    last = run(main())
    assert last[:3] == ["user: one", "model: Ok.", "user: three"]
    assert last[3].endswith("Rain.")


def test_what_a_rewind_and_its_undo_left_is_told_once() -> None:
    async def main(undo: bool) -> list[str]:
        model = ScriptedModel(lambda _: say("Ok."))
        async with hosting(model, Weather("Sun.", "Sun.", "Rain.")) as harness:
            session = await harness.session()
            for text in ("one", "two", "three"):
                await (await session.send(text))
            await session.rewind(session.points()[0].input)
            if undo:
                await session.undo()
            await (await session.send("four"))
        return heard(model)[-1]

    for undo in (False, True):
        assert len([line for line in run(main(undo)) if "Rain." in line]) == 1


def test_a_section_behind_a_secret_is_told_by_what_it_said_before() -> None:
    key = "sk-verysecretkey-1234567890"

    async def main() -> None:
        model = ScriptedModel(lambda _: say("Ok."))
        agent = Agent(
            "tester",
            instructions=f"The key is {key}.",
            model=model,
            capabilities=[Terse("Sun.", "Sun.", "Rain.")],
        )
        house = ProviderSettings(base_url="http://127.0.0.1:9/v1", key=key, wire="openai_chat")
        async with Harness(agent, providers={"house": house}, environ={}) as harness:
            session = await harness.session()
            for text in ("one", "two"):
                await (await session.send(text))
            report = await session.context()
        assert heard(model)[1][-1] == "context:terse: Sun. -> Rain."
        assert model.requests[0].system == "The key is [secret:house.key].\n\nSun."
        assert {"agent", "terse"} <= set(report.sections)

    run(main())


def test_a_system_text_that_was_erased_is_said_anew() -> None:
    async def main() -> list[str]:
        model = ScriptedModel(lambda _: say("Ok."))
        async with hosting(model, Weather("Sun.")) as harness:
            session = await harness.session()
            await (await session.send("one"))
            (prefix,) = await of(session, e.PrefixStarted)
            thread = session.thread
            await session.close()
            await harness.erase("default", thread, prefix.seq)
            session = await harness.session(thread=thread)
            await (await session.send("two"))
        return [request.system for request in model.requests]

    assert run(main()) == ["Sun.", "Sun."]


def test_a_source_that_fails_is_reported_once_and_says_what_it_said_before() -> None:
    class Broken(Weather):
        def context(self, opening: Opening) -> str:
            if not self.said:
                raise ValueError("clouds")
            return self.said.pop()

    async def main() -> tuple[ScriptedModel, list[str]]:
        model = ScriptedModel(lambda _: say("Ok."))
        async with hosting(model, Broken("Sun.")) as harness:
            session = await harness.session()
            await (await session.send("one"))
            await (await session.send("two"))
            return model, [one.problem.message for one in await of(session, e.HookFailed)]

    model, problems = run(main())
    assert problems == ["Its context failed with ValueError: clouds"]
    assert [request.system for request in model.requests] == ["Sun.", "Sun."]


def test_problems_are_told_once_and_shown() -> None:
    wrong = Problem("weather", "The barometer is broken.")

    async def main() -> None:
        model = ScriptedModel(lambda _: say("Ok."))
        async with hosting(model, Weather("Sun.", wrong=[wrong])) as harness:
            session = await harness.session()
            await (await session.send("one"))
            await (await session.send("two"))
            assert [one.problem for one in await of(session, e.Warned)] == [wrong]
            assert wrong in session.display.warnings

    run(main())


@pytest.mark.parametrize("live", [True, False])
def test_only_live_sources_are_asked_again(live: bool) -> None:
    weather = Weather("Sun.", "Sun.", "Rain.")
    weather.live = live
    _, events = run(_three(weather))
    assert len(events) == (2 if live else 1)
