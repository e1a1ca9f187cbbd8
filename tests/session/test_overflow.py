"""Requests that a provider refuses because they are too long."""

import pytest

from longrein.context.estimate import estimate_messages
from longrein.core import events as e
from longrein.core.errors import ContextOverflow
from longrein.core.messages import File, User
from longrein.core.outcomes import Failed, Finished
from longrein.core.usage import Usage
from longrein.models.base import Request
from longrein.session.session import Session
from longrein.testing import Reply, call, fail, reply, say
from tests.session.crowded import TEXT, WINDOW, Looker, Shelf, asks_for_summary, crowded
from tests.session.kit import of, until, with_session


class Narrow:
    """A model that refuses what is longer than it says to nobody."""

    def __init__(self, inner: Looker, most: int) -> None:
        self.refused = 0
        self._inner = inner
        self._most = most

    def __call__(self, request: Request) -> Reply:
        if estimate_messages(request.messages) > self._most:
            self.refused += 1
            return fail(ContextOverflow("prompt is too long"))
        return self._inner(request)


def test_a_request_that_is_too_long_is_made_again_with_less() -> None:
    model = Narrow(Looker(60), 6_000)

    async def body(session: Session) -> None:
        assert await (await session.send("Look at all of it.")) == Finished("All is looked at.")
        compacted = await of(session, e.Compacted)
        assert compacted[0].trigger == "overflow"
        assert compacted[0].after <= compacted[0].before // 2
        assert model.refused == 1, "from then on it is known how much is too much"
        assert session.folded.ceilings

    with_session(crowded(model, window=None), body)


def test_a_second_overflow_of_the_same_step_ends_the_run() -> None:
    refused: list[Request] = []

    def speak(request: Request) -> Reply:
        if asks_for_summary(request):
            return reply(say("Brief."), usage=None)
        if len(request.messages) > 12 or refused:
            refused.append(request)
            return fail(ContextOverflow("prompt is too long"))
        return reply(call("look", path="/a"), usage=None)

    async def body(session: Session) -> None:
        outcome = await (await session.send("Look at all of it."))
        assert isinstance(outcome, Failed)
        assert outcome.problem.kind == "context_overflow"
        assert len(refused) == 2
        refused.clear()

    with_session(crowded(speak, window=None), body)


def test_the_session_is_usable_after_a_step_that_does_not_fit() -> None:
    def speak(request: Request) -> Reply:
        if "Hello" in request.messages[-1].text:
            return reply(say("Hi."), usage=None)
        wanted = [call("look", path=f"/{n}") for n in range(20)]
        return reply(*wanted, usage=None)

    async def body(session: Session) -> None:
        outcome = await (await session.send("Look at everything at once."))
        assert isinstance(outcome, Failed)
        assert outcome.problem.kind == "context_overflow"
        assert "larger window" in outcome.problem.message
        assert await (await session.send("Hello")) == Finished("Hi.")
        assert [one.how for one in await of(session, e.Compacted)] == ["cleared"]

    with_session(crowded(speak, capabilities=[Shelf()]), body)


@pytest.mark.parametrize("window", [WINDOW, None])
def test_the_session_is_usable_after_an_input_that_does_not_fit(window: int | None) -> None:
    model = Narrow(Looker(0), 8_000)

    async def body(session: Session) -> None:
        await (await session.send("Hello"))
        outcome = await (await session.send("Look at this: " + TEXT * 20))
        assert isinstance(outcome, Failed)
        assert outcome.problem.kind == "context_overflow"
        for _ in range(3):
            assert await (await session.send("Never mind.")) == Finished("All is looked at.")

    with_session(crowded(model, window), body)


def test_a_thread_that_does_not_fit_can_be_compacted_by_hand() -> None:
    model = Looker(0)

    async def body(session: Session) -> None:
        await (await session.send("Hello"))
        await (await session.send("Look at this: " + TEXT * 20))
        await session.compact()
        await until(lambda: session.folded.window is not None)
        assert await (await session.send("Never mind.")) == Finished("All is looked at.")
        assert len(model.summaries) == 1

    with_session(crowded(model), body)


def test_what_a_file_took_is_not_taken_for_what_a_model_has_room_for() -> None:
    inner = Looker(0)

    def speak(request: Request) -> Reply:
        if any(isinstance(m, User) and len(m.parts) > 1 for m in request.messages):
            return fail(ContextOverflow("prompt is too long"))
        return inner(request)

    async def body(session: Session) -> None:
        await (await session.send("Hello " + TEXT))
        pdf = File("application/pdf", url="https://example.org/a.pdf")
        assert isinstance(await (await session.send("Read this.", files=[pdf])), Failed)
        assert await (await session.send("Never mind.")) == Finished("All is looked at.")
        assert not session.folded.ceilings

    with_session(crowded(speak, window=None), body)


def test_a_ceiling_is_forgotten_when_a_provider_takes_more() -> None:
    inner, refused = Looker(20), list[Request]()

    def speak(request: Request) -> Reply:
        if len(inner.requests) == 10 and not refused:
            refused.append(request)
            return fail(ContextOverflow("prompt is too long"))
        answer = inner(request)
        more = Usage(20_000, 1) if len(inner.requests) == 20 else None
        return Reply(answer.pieces, usage=more)

    async def body(session: Session) -> None:
        handle = await session.send("Look at all of it.")
        await until(lambda: bool(session.folded.ceilings))
        await handle
        assert not session.folded.ceilings

    with_session(crowded(speak, window=None), body)
