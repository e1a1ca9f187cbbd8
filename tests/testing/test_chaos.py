"""The chaos model and the catalogue of broken answers."""

import asyncio
from collections import Counter

import pytest

from longrein.core.errors import ModelError, Network, RateLimited, UsageError
from longrein.core.messages import Text, User
from longrein.models.base import CallDelta, Delta, Request, Stopped, TextDelta
from longrein.testing import (
    BROKEN,
    FAULTS,
    ChaosModel,
    Fault,
    Script,
    ScriptedModel,
    ScriptedServer,
    call,
    calls,
    gone_wrong,
    pause,
    reply,
    say,
)
from tests.support import run
from tests.testing.posting import conversation, post

TALK = reply(say("Hello there"), calls(call("read", path="a"), call("read", path="b")))


async def no_blob(name: str) -> bytes:
    raise KeyError(name)


def request(text: str = "hi") -> Request:
    return Request("scripted:one", "", (), (User((Text(text),)),), no_blob)


async def outcome(model: ChaosModel | ScriptedModel, asked: Request) -> list[Delta] | ModelError:
    try:
        return [delta async for delta in model.stream(asked)]
    except ModelError as error:
        return error


def spoiled(fault: Fault) -> list[Delta] | ModelError:
    model = ChaosModel(ScriptedModel(Script([TALK])), seed=3, rates={fault: 1.0})
    return run(outcome(model, request()))


def heard(fault: Fault) -> list[Delta]:
    got = spoiled(fault)
    assert isinstance(got, list)
    assert [type(delta) for delta in got].count(Stopped) == 1
    return got


def test_the_same_seed_gives_the_same_faults() -> None:
    async def faults(seed: int) -> list[Fault]:
        model = ChaosModel(ScriptedModel(Script([TALK])), seed)
        for _ in range(200):
            await outcome(model, request())
        return list(model.happened)

    first, again, other = run(faults(1)), run(faults(1)), run(faults(2))
    assert first == again != other
    assert set(Counter(first)) == set(FAULTS)


def test_no_rates_above_one_and_no_unknown_faults() -> None:
    for rates in ({"cut": 0.7, "empty": 0.7}, {"typo": 0.1}, {"cut": -1}):
        with pytest.raises(UsageError):
            ChaosModel(ScriptedModel(Script()), 1, rates)  # pyright: ignore[reportArgumentType]


def test_a_storm_lasts_for_several_calls() -> None:
    model = ChaosModel(ScriptedModel(Script([TALK])), seed=1, rates={"storm_with_hint": 1.0})
    errors = [run(outcome(model, request())) for _ in range(4)]
    assert [isinstance(error, RateLimited) and error.retry_after for error in errors] == [0.01] * 4


def test_streams_break_in_the_middle() -> None:
    assert isinstance(spoiled("broken"), Network)
    assert isinstance(spoiled("reset"), Network)


def test_answers_are_cut_or_emptied() -> None:
    assert heard("cut")[-1] == Stopped("length")
    assert len(heard("empty")) == 1


def test_calls_are_spoiled_in_their_ids_names_and_arguments() -> None:
    def starts(fault: Fault) -> list[CallDelta]:
        return [delta for delta in heard(fault) if isinstance(delta, CallDelta) and delta.name]

    assert [delta.provider_id for delta in starts("equal_ids")] == ["equal", "equal"]
    assert [delta.provider_id for delta in starts("empty_ids")] == ["", ""]
    assert [delta.name for delta in starts("unknown_tool")] == ["read_gone", "read_gone"]
    cut = [d.arguments for d in heard("malformed") if isinstance(d, CallDelta) and d.arguments]
    assert cut == ['{"path', '{"path']
    huge = [d for d in heard("huge") if isinstance(d, CallDelta) and len(d.arguments) > 1_000_000]
    assert [delta.index for delta in huge] == [0, 1]


def test_text_can_hold_lone_surrogates() -> None:
    assert heard("surrogate")[0] == TextDelta("Hello there\ud800")


def test_closing_the_spoiled_stream_closes_the_one_inside() -> None:
    async def leave() -> int:
        inner = ScriptedModel(Script([reply(say("a"), pause())]))
        task = asyncio.create_task(outcome(ChaosModel(inner, 1, {"slow": 1.0}), request()))
        await asyncio.sleep(0.05)
        task.cancel()
        await asyncio.wait([task])
        return inner.open

    assert run(leave()) == 0


def test_the_catalogue_has_at_least_the_kinds_that_were_seen() -> None:
    assert len(BROKEN) >= 38


@pytest.mark.parametrize("name", BROKEN)
def test_after_each_kind_the_second_turn_is_fine_in_process(name: str) -> None:
    model = ScriptedModel(gone_wrong(name))
    first = run(outcome(model, request("first")))
    assert isinstance(first, ModelError) or isinstance(first[-1], Stopped)
    second = run(outcome(model, request("second")))
    assert isinstance(second, list)
    assert second[0] == TextDelta("Fine.")


@pytest.mark.parametrize("name", BROKEN)
def test_each_kind_can_be_served_on_every_wire(name: str) -> None:
    async def ask(wire: str) -> bool:
        script = gone_wrong(name)
        kept = Script([script.rules[1].replies[0], say("Fine.")])
        async with ScriptedServer(Script.from_json(kept.to_json())) as server:
            await asyncio.wait([asyncio.ensure_future(post(server, wire, conversation(wire)))])
            later = await post(server, wire, conversation(wire, 1))
            return "Fine." in later.body and not server.refused

    assert all(run(ask(wire)) for wire in ("chat", "responses", "messages"))
