"""Commands that race each other, in every order: whatever wins, the thread stays in order."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from itertools import islice, permutations
from typing import TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longrein.core import events as e
from longrein.core.codec import encode_state
from longrein.core.commands import Answer
from longrein.core.evolve import evolve
from longrein.core.messages import ToolCall
from longrein.core.outcomes import Aborted, Finished, Waiting
from longrein.core.state import State
from longrein.storage.base import Store
from tests.session.kit import log, until, waiting
from tests.session.race_machine import MOVES, Move, Race, Slow, Track
from tests.support import run

SIX = ("plan", "build", "send", "talk", "interrupt", "approve")


async def end(race: Race) -> None:
    """Let everything come to rest, and hold the log against all that was seen."""
    outcomes = await race.settle()
    assert not [outcome for outcome in outcomes if isinstance(outcome, Waiting)]
    state = race.session.folded
    assert (state.run, state.queue, state.approvals, state.questions) == (None, (), (), ())
    if race.switched:
        assert state.mode == race.switched[-1], "the newest switch wins"
    assert race.session.state["count"] == race.counted
    assert await race.say_more() == Finished("Done. Really.")
    assert race.refused == [], "a provider would refuse this"
    events = await log(race.session)
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    _settled_once(events)
    _ran_once(events, race)
    assert encode_state(_replayed(events, race)) == encode_state(race.session.folded)


def _settled_once(events: Sequence[e.Event]) -> None:
    """Every call, every approval and every question has exactly one end."""
    asked = Counter[str]()
    ended = Counter[str]()
    for event in events:
        match event:
            case e.StepEnded(parts=parts):
                asked.update(part.id for part in parts if isinstance(part, ToolCall))
            case e.ToolEnded(call=id):
                ended[id] += 1
            case e.ApprovalRequested(approval=approval):
                asked[approval.id] += 1
            case e.QuestionAsked(question=question):
                asked[question.id] += 1
            case e.ApprovalAnswered(approval=id) | e.QuestionAnswered(question=id):
                ended[id] += 1
            case e.RunStarted(run=id):
                asked[id] += 1
            case e.RunEnded(run=id):
                ended[id] += 1
            case _:
                pass
    assert asked == ended
    assert set(asked.values()) <= {1}


def _ran_once(events: Sequence[e.Event], race: Race) -> None:
    """No tool is started twice, but for one that asked and goes on with the answer."""
    started = Counter(
        (event.call, event.answers) for event in events if isinstance(event, e.ToolStarted)
    )
    assert set(started.values()) <= {1}
    assert set(race.ran.values()) <= {1}
    assert set(race.ran) <= {call for call, _ in started}


def _replayed(events: Sequence[e.Event], race: Race) -> State:
    """The state from scratch, looking at what every start was decided on."""
    state, approved, grants = State(), set[str](), set[str]()
    for event in events:
        match event:
            case e.ApprovalAnswered(approval=id, decision="approved"):
                approved |= {asked.call for asked in state.approvals if asked.id == id}
            case e.GrantAdded(grant=grant):
                grants.add(grant.id)
            case e.GrantRevoked(grant=id):
                grants.remove(id)
            case e.ToolStarted(call=id, name="deploy"):
                assert state.step is not None
                assert state.step.mode != "plan", "plan shows no deploy"
                assert not state.rules, "deny holds"
                assert id in approved or grants, "nobody said yes"
            case e.StepStarted(model=model) if model in race.asked_of:
                assert race.asked_of[model] == state.mode, "each mode has its model"
            case e.RunEnded():
                grants -= {grant.id for grant in state.grants if grant.run == event.run}
            case _:
                pass
        state = evolve(state, event)
    return state


async def idle(race: Race) -> None:
    """Nothing was said yet."""


async def model_in_flight(race: Race) -> None:
    """The model has begun to speak and stops."""
    race.model.close()
    await race.fire(Move("send", n=1))
    await until(lambda: race.model.inside > 0)


async def approval_pending(race: Race) -> None:
    """Only a person is waited for."""
    await race.fire(Move("send", n=1))
    await waiting(race.handles[0])


async def tool_running(race: Race) -> None:
    """One tool runs, and the other waits for a person."""
    race.tool.close()
    await race.fire(Move("send", n=1))
    await until(lambda: race.tool.inside > 0)


async def grant_given(race: Race) -> None:
    """Deploying need not be asked about any more, in any thread of the resource."""
    await approval_pending(race)
    await race.fire(Move("remember", n=2))
    assert await race.handles[0] == Finished("Done.")


Phase: TypeAlias = Callable[[Race], Awaitable[None]]
PHASES: tuple[Phase, ...] = (idle, model_in_flight, approval_pending, tool_running)


@pytest.mark.parametrize("turns", [0, 3], ids=["fast", "slow"])
@pytest.mark.parametrize("phase", PHASES)
def test_six_commands_at_once_in_every_order(phase: Phase, turns: int) -> None:
    async def body() -> None:
        track = Track(Slow(turns))
        async with track.harness:
            # On a slow store a part of them will do, in which all kinds of spread are.
            for number, order in islice(enumerate(permutations(SIX)), 0, None, 4 if turns else 1):
                race = await track.begin()
                await phase(race)
                # Spread over a few turns of the loop, in a way that differs from order to order.
                moves = [
                    Move(kind, (number * place) % 7 * (number % 3), n=1)
                    for place, kind in enumerate(order)
                ]
                await race.fire(*moves)
                await end(race)
                await race.session.close()
        assert asyncio.all_tasks() == {asyncio.current_task()}

    run(body(), seconds=150)


moves = st.builds(Move, st.sampled_from(sorted(MOVES)), st.integers(0, 6), st.integers(0, 5))
volleys = st.lists(st.lists(moves, min_size=1, max_size=6), min_size=1, max_size=6)
"""Moves that are made at once, and what is done when all of them are answered."""


async def any_race(store: str | Store, phase: Phase, course: Sequence[Sequence[Move]]) -> None:
    track = Track(store)
    async with track.harness:
        race = await track.begin()
        await phase(race)
        for volley in course:
            await race.fire(*volley)
        await end(race)
        shown = encode_state(race.session.folded)
        thread, resource = race.session.thread, race.session.resource
        await race.session.close()
        again = await track.harness.session(resource, thread=thread)
        assert encode_state(again.folded) == shown
    assert asyncio.all_tasks() == {asyncio.current_task()}


@settings(max_examples=300, deadline=None, derandomize=True)
@given(phase=st.sampled_from((*PHASES, grant_given)), course=volleys, turns=st.integers(0, 4))
def test_any_commands_race_in_memory(
    phase: Phase, course: Sequence[Sequence[Move]], turns: int
) -> None:
    run(any_race(Slow(turns), phase, course))


@settings(max_examples=60, deadline=None, derandomize=True)
@given(phase=st.sampled_from((*PHASES, grant_given)), course=volleys)
def test_any_commands_race_on_disk(
    tmp_path_factory: pytest.TempPathFactory, phase: Phase, course: Sequence[Sequence[Move]]
) -> None:
    path = tmp_path_factory.mktemp("race") / "a.db"
    run(any_race(f"sqlite:{path}", phase, course))


async def written_together(race: Race, store: Slow, *later: Move) -> None:
    """Let the model end while the store is busy, and these moves be made while it still is."""
    store.turns = 50
    busy = asyncio.create_task(race.session.rename("busy"))
    await asyncio.sleep(0)
    race.model.open()
    for _ in range(20):
        await asyncio.sleep(0)
    await race.fire(*later)
    await busy
    store.turns = 0


def test_a_grant_that_is_revoked_in_the_write_of_a_call_holds_no_more() -> None:
    async def body() -> None:
        store = Slow(0)
        track = Track(store)
        async with track.harness:
            race = await track.begin()
            await grant_given(race)
            await model_in_flight(race)
            await written_together(race, store, Move("revoke"))
            (approval,) = (await waiting(race.handles[-1])).approvals
            events = await log(race.session)
            (revoked,) = [event for event in events if isinstance(event, e.GrantRevoked)]
            ended = [event for event in events if isinstance(event, e.StepEnded)][-1]
            assert ended.seq + 1 == revoked.seq
            assert (await race.session.approve(approval)).status == "applied"
            await end(race)

    run(body())


def test_of_two_who_revoke_a_grant_at_once_one_finds_it_gone() -> None:
    async def body() -> None:
        track = Track(Slow(3))
        async with track.harness:
            race = await track.begin()
            await grant_given(race)
            await race.fire(Move("update"), Move("revoke"), Move("revoke"))
            assert sorted(statuses(race)[-3:]) == ["applied", "applied", "missing"]
            await end(race)

    run(body())


def test_a_switch_that_aborts_ends_the_run_that_another_switch_left_alone() -> None:
    async def body() -> None:
        track = Track(Slow(3))
        async with track.harness:
            race = await track.begin()
            await tool_running(race)
            await race.fire(Move("plan"), Move("abort"), Move("talk"))
            assert race.switched == ["plan", "build"]
            first, second = await race.settle()
            assert isinstance(first, Aborted)
            assert second == Finished("Done. Really.")
            await end(race)

    run(body())


def statuses(race: Race) -> list[str]:
    return [answer.status for answer in race.answers if isinstance(answer, Answer)]
