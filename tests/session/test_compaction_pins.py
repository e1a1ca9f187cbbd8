"""Inputs that are pinned: they stay in requests whatever is left out."""

import pytest

from longrein.core import events as e
from longrein.core.errors import UsageError
from longrein.core.messages import User
from longrein.core.outcomes import Failed
from longrein.session.session import Session
from tests.session.crowded import TEXT, Looker, crowded
from tests.session.kit import of, with_session


def test_a_pinned_input_stays_in_requests() -> None:
    model = Looker(40)

    async def body(session: Session) -> None:
        await (await session.send("Look at all of it."))
        await (await session.send("Never touch /etc.", command="keep"))
        assert (await session.pin("keep")).status == "applied"
        for text in ("Go on.", "And on.", "And on again."):
            await (await session.send(text))
        assert any(isinstance(m, User) and m.input == "keep" for m in model.requests[-1].messages)
        assert (await session.unpin("keep")).status == "applied"
        assert (await session.unpin("keep")).status == "missing"
        assert (await session.pin("nothing")).status == "missing"

    with_session(crowded(model), body)


def test_what_is_pinned_after_it_was_left_out_is_in_requests_again() -> None:
    model = Looker(40)

    async def body(session: Session) -> None:
        for text in ("Look at all of it.", "Never touch /etc.", "Go on.", "And on."):
            await (await session.send(text, command=text))
        before = len(model.requests)
        assert not any(m.text == "Never touch /etc." for m in model.requests[-1].messages)
        await session.pin("Never touch /etc.")
        await (await session.send("And on again."))
        for request in model.requests[before:]:
            assert [m.text for m in request.messages].count("Never touch /etc.") == 1
        assert [one.how for one in await of(session, e.Compacted)].count("pinned") == 1

    with_session(crowded(model), body)


def test_more_than_requests_can_spare_is_not_pinned() -> None:
    async def body(session: Session) -> None:
        for name in ("one", "two"):
            await (await session.send(TEXT * 2, command=name))
        assert (await session.pin("one")).status == "applied"
        with pytest.raises(UsageError, match="unpin one first"):
            await session.pin("two")
        assert (await session.unpin("one")).status == "applied"
        assert (await session.pin("two")).status == "applied"

    with_session(crowded(Looker(0)), body)


def test_a_run_that_does_not_fit_says_what_pinned_inputs_take() -> None:
    async def body(session: Session) -> None:
        await (await session.send(TEXT, command="one"))
        await session.pin("one")
        outcome = await (await session.send(TEXT * 20))
        assert isinstance(outcome, Failed)
        assert "Pinned inputs take about 5" in outcome.problem.message

    with_session(crowded(Looker(0)), body)
