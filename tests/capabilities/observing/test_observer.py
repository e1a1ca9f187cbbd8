"""An observer beside a run: what it looks at, what comes of it, and what the run sees of it."""

from itertools import pairwise

import pytest

from longrein.capabilities.observing.memory import ObservationalMemory
from longrein.capabilities.observing.notes import OBSERVATIONS
from longrein.core import events as e
from longrein.core.errors import UsageError
from longrein.core.messages import Assistant, Text, User
from longrein.core.outcomes import Finished
from longrein.harness import Harness
from longrein.loop.agent import Agent
from longrein.models.base import Request
from longrein.testing import Script, ScriptedModel, pause, reply, say
from tests.capabilities.observing.kit import NOTES, Baker, facts, hosting, look, settled
from tests.session.kit import of, said, until
from tests.support import run

SMALL = ObservationalMemory(observe_at=500)


def asked_of(request: Request) -> str:
    (message,) = request.messages
    assert isinstance(message, User)
    (part,) = message.parts
    assert isinstance(part, Text)
    return part.text


def test_what_passes_the_threshold_is_observed_in_ranges_that_join() -> None:
    async def body() -> None:
        async with hosting(Baker(12), SMALL) as host:
            session = await host.session("ada")
            assert await (await session.send("Bake.")) == Finished("done")
            known = await settled(session)
            assert [one.id for one in known.observations] == ["o1", "o2", "o3"]
            ends = [(one.start, one.end) for one in known.observations]
            assert ends[0][0] == 0
            assert all(one[1] == other[0] for one, other in pairwise(ends))
            for _, end in ends:
                assert isinstance(said(session)[end], Assistant)
            assert known.observations[0].notes[0].text == "The user asked for bread."
            assert known.observations[0].work == "The dough rests."

    run(body())


def test_below_the_threshold_nothing_happens() -> None:
    async def body() -> None:
        baker = Baker(12)
        async with hosting(baker, ObservationalMemory()) as host:
            session = await host.session("ada")
            await (await session.send("Bake."))
            await settled(session)
            assert await facts(session) == []
            assert baker.asked["observer"] == []

    run(body())


def test_progress_is_told_by_facts_and_cost_counted_for_the_thread() -> None:
    async def body() -> None:
        async with hosting(Baker(6), SMALL) as host:
            session = await host.session("ada")
            await (await session.send("Bake."))
            await settled(session)
            assert await facts(session) == ["observing", "observed"]
            (side,) = await of(session, e.SideCallEnded)
            assert (side.purpose, side.problem) == ("observer", None)
            steps = [one.usage.total for one in await of(session, e.StepEnded)]
            assert session.folded.spent.usage.total == sum(steps) + side.usage.total

    run(body())


def test_nothing_in_the_prompt_changes_while_an_observer_works() -> None:
    async def body() -> None:
        baker = Baker(12, notes=lambda: reply(pause(0.01), say(NOTES)))
        async with hosting(baker, SMALL) as host:
            session = await host.session("ada")
            for _ in range(3):
                await (await session.send("Bake."))
            await settled(session)
            assert len(baker.asked["observer"]) > 1
            requests = baker.asked["agent"]
            assert len(requests) == 39
            for before, after in pairwise(requests):
                assert list(after.messages[: len(before.messages)]) == list(before.messages)
                assert (after.system, after.tools) == (before.system, before.tools)

    run(body())


def test_a_run_does_not_wait_for_the_observer() -> None:
    async def body() -> None:
        baker = Baker(8, notes=lambda: reply(pause(), say(NOTES)))
        async with hosting(baker, SMALL) as host:
            session = await host.session("ada")
            assert await (await session.send("Bake.")) == Finished("done")
            assert len(baker.asked["observer"]) == 1
            assert session.read(OBSERVATIONS).observations == ()
            baker.model.release()
            assert len((await settled(session)).observations) == 1

    run(body())


def test_an_observer_is_shown_what_was_said_and_nothing_of_its_own() -> None:
    async def body() -> None:
        baker = Baker(12)
        async with hosting(baker, SMALL) as host:
            session = await host.session("ada")
            await (await session.send("Bake."))
            await settled(session)
            first, second, *_ = map(asked_of, baker.asked["observer"])
            assert "[1] user" in first
            assert "calls look" in first
            assert "loaf 0" in first
            assert "loaf 0" not in second
            assert second.count("<conversation>") == 1
            assert all("Take notes" not in str(message) for message in said(session))

    run(body())


def test_the_first_portion_of_a_long_thread_is_not_all_of_it() -> None:
    async def body() -> None:
        baker = Baker(20, notes=lambda: reply(pause(0.05), say(NOTES)))
        async with hosting(baker, ObservationalMemory(observe_at=500)) as host:
            session = await host.session("ada")
            await (await session.send("Bake."))
            await settled(session)
            await (await session.send("Again."))
            known = await settled(session)
            assert len(known.observations) >= 2
            longest = max(one.end - one.start for one in known.observations[1:])
            assert longest <= 12

    run(body())


def test_models_of_its_own_are_asked() -> None:
    async def body() -> None:
        baker = Baker(8)
        scribe, editor = (ScriptedModel(Script(otherwise=say(NOTES))) for _ in range(2))
        memory = ObservationalMemory(
            "custom:ScriptedModel-2",
            reflector_model="custom:ScriptedModel-3",
            observe_at=500,
            reflect_at=40,
        )
        models = [baker.model, scribe, editor]
        agent = Agent("baker", model=models, tools=[look], capabilities=[memory])
        async with Harness(agent, environ={}) as host:
            session = await host.session("ada")
            await (await session.send("Bake."))
            await settled(session)
            assert (len(baker.asked["observer"]), len(baker.asked["reflector"])) == (0, 0)
            assert len(scribe.requests) == 2
            assert len(editor.requests) >= 1
            assert {(one.purpose, one.model) for one in await of(session, e.SideCallEnded)} == {
                ("observer", "custom:ScriptedModel-2"),
                ("reflector", "custom:ScriptedModel-3"),
            }

    run(body())


def test_the_notes_stand_for_the_messages_they_are_about() -> None:
    async def body() -> None:
        async with hosting(Baker(6), SMALL) as host:
            session = await host.session("ada")
            memory = session.capability(ObservationalMemory)
            assert memory.digest(session.folded.slices) is None
            await (await session.send("Bake."))
            known = await settled(session)
            digest = memory.digest(session.folded.slices)
            assert digest is not None
            assert digest.upto == known.upto == 7
            assert "- [high] 14:05 The user asked for bread." in digest.text
            assert digest.text.endswith("Next was: Bake it.")

    run(body())


def test_a_fork_has_the_notes_of_where_it_begins() -> None:
    async def body() -> None:
        async with hosting(Baker(6), SMALL) as host:
            session = await host.session("ada")
            await (await session.send("Bake."))
            known = await settled(session)
            fork = await host.fork("ada", session.thread)
            assert fork.read(OBSERVATIONS) == known

    run(body())


def test_sessions_do_not_share_what_they_observe() -> None:
    async def body() -> None:
        async with hosting(Baker(6), SMALL) as host:
            one, other = await host.session("ada"), await host.session("bob")
            await (await one.send("Bake."))
            await settled(one)
            assert other.read(OBSERVATIONS).observations == ()
            await (await other.send("Bake."))
            assert (await settled(other)).upto == one.read(OBSERVATIONS).upto

    run(body())


@pytest.mark.parametrize(
    "wrong",
    [
        {"model": 7},
        {"reflector_model": None},
        {"observe_at": 0},
        {"reflect_at": -1},
        {"observe_at": 1.5},
        {"timeout": 0},
        {"timeout": float("nan")},
    ],
)
def test_what_cannot_be_meant_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        ObservationalMemory(**wrong)  # pyright: ignore[reportArgumentType]


def test_rewinding_takes_the_notes_of_what_is_gone() -> None:
    async def body() -> None:
        async with hosting(Baker(6), SMALL) as host:
            session = await host.session("ada")
            await (await session.send("Bake."))
            first = (await settled(session)).upto
            await (await session.send("Again."))
            assert (await settled(session)).upto > first
            await session.rewind(session.points()[0])
            assert session.read(OBSERVATIONS).upto == first
            await session.undo()
            assert session.read(OBSERVATIONS).upto > first
            await session.undo()
            await (await session.send("Once more."))
            known = await settled(session)
            assert known.upto > first
            assert known.upto < len(said(session))

    run(body())


def test_an_observation_under_way_does_not_outlive_the_rewind_of_what_it_is_about() -> None:
    async def body() -> None:
        baker = Baker(6, notes=lambda: reply(pause(), say(NOTES)))
        async with hosting(baker, SMALL) as host:
            session = await host.session("ada")
            await (await session.send("Bake."))
            await until(lambda: len(baker.asked["observer"]) == 1)
            await session.rewind(session.points()[0])
            baker.model.release()
            known = await settled(session)
            assert (known.observations, said(session)) == ((), [])
            assert await facts(session) == ["observing", "observed"]

    run(body())
