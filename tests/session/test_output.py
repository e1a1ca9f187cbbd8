"""Structured output: the value of a type as the result of a run."""

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import pydantic
import pytest

from longrein.core import events as e
from longrein.core.errors import UsageError
from longrein.core.messages import Note
from longrein.core.outcomes import Failed, Finished, LimitReached, Outcome, Waiting
from longrein.core.usage import Limits
from longrein.loop.agent import Agent
from longrein.session.session import Session
from longrein.sync import run_sync
from longrein.testing import Script, ScriptedModel, call, pause, reply, say
from tests.session.kit import harness, of, said, until, waiting, with_session
from tests.session.tools import deploy, read
from tests.support import run


class Trip(pydantic.BaseModel):
    """A trip, with a check that no schema can express."""

    city: str
    days: int

    @pydantic.field_validator("city")
    @classmethod
    def _known(cls, city: str) -> str:
        if city == "Atlantis":
            raise ValueError("that city is under water")
        return city.title()


@dataclass
class Point:
    x: int
    y: int = 0


class Leg(msgspec.Struct):
    start: str
    end: str


ROME = '{"city": "rome", "days": 3}'


def problem(outcome: Outcome[Any]) -> str:
    assert isinstance(outcome, Failed), outcome
    assert outcome.problem.kind == "output"
    return outcome.problem.message


def told(session: Session) -> list[str]:
    """What the model was told about the output, after the first instruction."""
    notes = [m.text for m in said(session) if isinstance(m, Note) and m.source == "output"]
    return notes[1:]


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        (Trip, ROME, Trip(city="Rome", days=3)),
        (Trip, f"Here it is:\n```json\n{ROME}\n```", Trip(city="Rome", days=3)),
        (Point, '{"x": 1}', Point(1)),
        (Leg, '{"start": "a", "end": "b"}', Leg("a", "b")),
        (list[Trip], f"[{ROME}]", [Trip(city="Rome", days=3)]),
        (list[Point], '[{"x": 1}, {"x": 2, "y": 3}]', [Point(1), Point(2, 3)]),
        (dict[str, int], '{"a": 1}', {"a": 1}),
        (int, "42", 42),
    ],
)
def test_the_value_of_a_run_is_of_the_type_that_was_asked_for(
    kind: type[Any], text: str, value: Any
) -> None:
    async def body(session: Session) -> None:
        outcome = await (await session.send("go", output=kind))
        assert outcome == Finished(text, value)
        assert told(session) == []

    with_session(harness([say(text)]), body)


def test_the_type_is_known_to_a_type_checker() -> None:
    async def body(session: Session) -> None:
        outcome = await (await session.send("go", output=Trip))
        assert isinstance(outcome, Finished)
        days: int = outcome.value.days
        assert days == 3

    with_session(harness([say(ROME)]), body)


def test_the_schema_stands_in_the_log_and_the_model_is_told_it() -> None:
    model = ScriptedModel(Script([say(ROME)]))

    async def body(session: Session) -> None:
        await (await session.send("go", output=Trip))
        (started,) = await of(session, e.RunStarted)
        schema = msgspec.json.decode(started.output)
        assert sorted(schema["properties"]) == ["city", "days"]
        assert started.output in str(model.requests[0].messages)

    with_session(harness(model), body)


def test_a_type_that_json_cannot_hold_is_refused_and_nothing_is_admitted() -> None:
    async def body(session: Session) -> None:
        with pytest.raises(UsageError, match="Event"):
            await session.send("go", output=asyncio.Event)
        assert session.folded.seq == 0

    with_session(harness([say("ok")]), body)


@pytest.mark.parametrize(
    ("wrong", "hears"),
    [
        ('{"city": "rome"}', "days"),
        ('{"city": "rome", "days": "many"}', "`days`"),
        ("I would go to Rome.", "no JSON value"),
        ('{"city": "Atlantis", "days": 1}', "`city`: Value error, that city is under water"),
    ],
)
def test_an_answer_that_does_not_fit_is_put_right(wrong: str, hears: str) -> None:
    async def body(session: Session) -> None:
        outcome = await (await session.send("go", output=Trip))
        assert outcome == Finished(ROME, Trip(city="Rome", days=3))
        (note,) = told(session)
        assert hears in note
        misfits = [step.misfit for step in await of(session, e.StepEnded)]
        assert hears in misfits[0]
        assert misfits[1] == ""

    with_session(harness([say(wrong), say(ROME)]), body)


def test_a_model_that_never_fits_fails_the_run_with_the_reason() -> None:
    model = ScriptedModel(lambda _: say('{"city": 3}'))

    async def body(session: Session) -> None:
        message = problem(await (await session.send("go", output=Trip)))
        assert "`city`" in message
        assert 2 <= len(model.requests) <= 5

    with_session(harness(model), body)


def test_a_check_of_the_class_that_never_passes_fails_the_run_with_the_reason() -> None:
    model = ScriptedModel(lambda _: say('{"city": "Atlantis", "days": 1}'))

    async def body(session: Session) -> None:
        assert "under water" in problem(await (await session.send("go", output=Trip)))
        assert 2 <= len(model.requests) <= 5

    with_session(harness(model), body)


def test_tools_are_used_before_the_answer() -> None:
    script = [call("read"), call("deploy", target="x"), say(ROME)]

    async def body(session: Session) -> None:
        handle = await session.send("go", output=Trip)
        (id,) = (await waiting(handle)).approvals
        await session.approve(id)
        assert await handle == Finished(ROME, Trip(city="Rome", days=3))
        assert told(session) == []

    with_session(harness(script, read, deploy), body)


def test_after_a_restart_the_run_still_gives_the_value(tmp_path: Path) -> None:
    store = f"sqlite:{tmp_path / 'output.db'}"

    async def test() -> None:
        slow = ScriptedModel(lambda _: reply(pause(), say("never")))
        async with harness(slow, store=store) as first:
            session = await first.session("ada")
            handle = await session.send("go", output=Trip)
            await until(lambda: slow.open == 1)
        script = [say('{"city": "rome"}'), say(ROME)]
        async with harness(script, store=store) as second:
            session = await second.session("ada", resume=True)
            outcome = await session.run(handle.id, output=Trip)
            assert outcome == Finished(ROME, Trip(city="Rome", days=3))
            assert len(told(session)) == 1
            assert await session.run(handle.id) == Finished(ROME)

    run(test())


def test_what_only_the_class_can_tell_is_told_also_where_only_the_schema_was_known(
    tmp_path: Path,
) -> None:
    store = f"sqlite:{tmp_path / 'output.db'}"
    drowned = '{"city": "Atlantis", "days": 1}'

    async def test() -> None:
        slow = ScriptedModel(lambda _: reply(pause(), say("never")))
        async with harness(slow, store=store) as first:
            session = await first.session("ada")
            handle = await session.send("go", output=Trip)
            await until(lambda: slow.open == 1)
        async with harness([say(drowned)], store=store) as second:
            session = await second.session("ada", resume=True)
            assert await session.run(handle.id) == Finished(drowned)
            assert "under water" in problem(await session.run(handle.id, output=Trip))

    run(test())


def test_a_run_under_way_takes_no_other_output_and_admits_nothing() -> None:
    async def body(session: Session) -> None:
        handle = await session.send("go")
        await waiting(handle)
        seq = session.folded.seq
        for say_it in (session.send, session.steer):
            with pytest.raises(UsageError, match="queue"):
                await say_it("and now", output=Trip)
        assert session.folded.seq == seq
        assert session.display.queue == ()

    with_session(harness([call("deploy", target="x"), say("ok")], deploy), body)


def test_an_output_is_asked_for_with_a_follow_up() -> None:
    script = [call("deploy", target="x"), say("ok"), say(ROME), say("bye")]

    async def body(session: Session) -> None:
        first = await session.send("go")
        (id,) = (await waiting(first)).approvals
        second = await session.queue("and then", output=Trip)
        third = await session.queue("and last")
        await session.approve(id)
        assert await first == Finished("ok")
        assert await second == Finished(ROME, Trip(city="Rome", days=3))
        assert await third == Finished("bye")
        assert [bool(s.output) for s in await of(session, e.RunStarted)] == [False, True, False]

    with_session(harness(script, deploy), body)


def test_what_joins_a_run_leaves_its_output_as_it_was() -> None:
    script = [call("deploy", target="x"), say(ROME)]

    async def body(session: Session) -> None:
        handle = await session.send("go", output=Trip)
        (id,) = (await waiting(handle)).approvals
        joined = await session.send("quickly")
        assert joined.id == handle.id
        await session.approve(id)
        assert await handle == Finished(ROME, Trip(city="Rome", days=3))
        assert await joined == Finished(ROME)

    with_session(harness(script, deploy), body)


def test_a_limit_ends_the_repairs_too() -> None:
    model = ScriptedModel(lambda _: say("Rome, I think."))

    async def body(session: Session) -> None:
        outcome = await (await session.send("go", output=Trip, limits=Limits(steps=2)))
        assert isinstance(outcome, LimitReached)
        assert len(model.requests) == 2

    with_session(harness(model), body)


def test_the_next_run_may_answer_as_it_likes() -> None:
    async def body(session: Session) -> None:
        await (await session.send("go", output=Trip))
        assert await (await session.send("thanks")) == Finished("You are welcome.")

    with_session(harness([say(ROME), say("You are welcome.")]), body)


def test_waiting_is_no_value() -> None:
    async def body(session: Session) -> None:
        assert isinstance(await (await session.send("go", output=Trip)), Waiting)

    with_session(harness([call("deploy", target="x"), say(ROME)], deploy), body)


def test_code_that_is_not_async_gets_the_value_too() -> None:
    agent = Agent("tester", model=ScriptedModel(Script([say(ROME)])))
    assert run_sync(agent, "go", output=Trip) == Finished(ROME, Trip(city="Rome", days=3))


@pytest.mark.parametrize(
    "schema",
    [
        "not json",
        "5",
        '{"type": "foo"}',
        '{"$ref": "#/nope"}',
        '{"type": "object", "properties": {"a": {"$ref": "#/$defs/gone"}}}',
    ],
)
def test_a_text_that_is_no_schema_is_refused_before_anything_is_said(schema: str) -> None:
    async def body(session: Session) -> None:
        with pytest.raises(UsageError, match="not a JSON schema"):
            await session.send("go", output=schema)
        assert said(session) == []

    with_session(harness([]), body)


@pytest.mark.parametrize(
    "schema",
    [
        '{"properties": {"next": {"$ref": "#"}}}',
        '{"$ref": "#/$defs/a", "$defs": {"a": {"type": "object"}}}',
        '{"properties": {"name": {"pattern": "(?<first>a)"}}}',
    ],
)
def test_a_schema_may_refer_to_itself_and_have_patterns_of_other_engines(schema: str) -> None:
    async def body(session: Session) -> None:
        outcome = await (await session.send("go", output=schema))
        assert isinstance(outcome, Finished)
        assert outcome.value == {}

    with_session(harness([say("{}")]), body)


def test_types_of_answers_are_forgotten_with_their_runs() -> None:
    async def body(session: Session) -> None:
        for _ in range(2):  # the same command again leads to the run that is over
            await (await session.send("go", output=Trip, command="c1"))
        assert session.conductor.outputs == {}

    with_session(harness([say(ROME)]), body)
