"""Whatever a model says, the run has a defined outcome and the thread stays usable."""

import pytest

from longrein.core import events as e
from longrein.core.errors import Auth, BadRequest, ContextOverflow, Filtered, RateLimited
from longrein.core.messages import Assistant, ToolResult
from longrein.core.outcomes import Failed, Finished, LimitReached
from longrein.harness import Harness
from longrein.loop.agent import Agent, Mode
from longrein.loop.retry import Retry
from longrein.models.catalog import ProviderSettings
from longrein.session.session import Session
from longrein.testing import (
    BROKEN,
    Script,
    ScriptedModel,
    ScriptedServer,
    broken,
    call,
    calls,
    fail,
    gone_wrong,
    raw_call,
    reply,
    say,
)
from longrein.tools.define import tool
from tests.session.kit import harness, of, said, with_session
from tests.session.tools import read
from tests.support import run


def test_malformed_arguments_give_the_model_a_result_that_says_so() -> None:
    async def body(session: Session) -> None:
        assert await (await session.send("go")) == Finished("ok")
        (result,) = [m for m in said(session) if isinstance(m, ToolResult)]
        assert result.status == "error"
        assert "JSON" in result.text

    with_session(harness([raw_call("read", '{"path": "/a'), say("ok")], read), body)


def test_repeated_and_empty_provider_ids_are_told_apart_by_ours() -> None:
    twins = calls(
        raw_call("read", '{"path":"/1"}', provider_id="same"),
        raw_call("read", '{"path":"/2"}', provider_id="same"),
        raw_call("read", '{"path":"/3"}', provider_id=""),
    )

    async def body(session: Session) -> None:
        assert await (await session.send("go")) == Finished("ok")
        results = [m for m in said(session) if isinstance(m, ToolResult)]
        assert len({m.call for m in results}) == 3
        assert [m.text for m in results] == [f"content of /{n}" for n in (1, 2, 3)]

    with_session(harness([twins, say("ok")], read), body)


def test_an_empty_reply_is_asked_about_once() -> None:
    model = ScriptedModel(lambda _: say(""))

    async def body(session: Session) -> None:
        assert await (await session.send("go")) == Finished("")
        assert len(model.requests) == 2
        assert [n.source for n in await of(session, e.NoteAdded)] == ["empty"]
        assert not any(isinstance(m, Assistant) for m in said(session))

    with_session(harness(model), body)


def test_a_cut_reply_is_a_limit_and_proceed_goes_on_with_it() -> None:
    async def body(session: Session) -> None:
        outcome = await (await session.send("go"))
        assert isinstance(outcome, LimitReached)
        assert outcome.limit == "output"
        assert await (await session.proceed()) == Finished("the end")

    with_session(harness([say("once upon", stop="length"), say("the end")]), body)


def test_a_stream_that_breaks_is_made_again_and_its_text_dropped() -> None:
    attempts: list[int] = []

    def flaky(_: object):
        attempts.append(1)
        return reply(say("half an ans"), broken()) if len(attempts) == 1 else say("whole")

    async def body(session: Session) -> None:
        assert await (await session.send("go")) == Finished("whole")
        (failed,) = await of(session, e.StepFailed)
        assert failed.problem.kind == "network"
        assert failed.dropped == len("half an ans")
        assert failed.retry_at > failed.time
        assert [m.text for m in said(session) if isinstance(m, Assistant)] == ["whole"]

    with_session(harness(flaky), body)


def test_a_rate_limit_waits_as_long_as_the_provider_says() -> None:
    attempts: list[int] = []

    def limited(_: object):
        attempts.append(1)
        if len(attempts) == 1:
            return fail(RateLimited("slow down", retry_after=0.05))
        return say("ok")

    async def body(session: Session) -> None:
        assert await (await session.send("go")) == Finished("ok")
        (failed,) = await of(session, e.StepFailed)
        assert failed.retry_at - failed.time >= 50_000

    with_session(harness(limited), body)


@pytest.mark.parametrize("error", [Auth("no key"), BadRequest("no"), ContextOverflow("long"),
                                   Filtered("bad words")])  # fmt: skip
def test_what_would_be_the_same_again_is_not_tried_again(error: Exception) -> None:
    model = ScriptedModel(lambda _: fail(error))  # pyright: ignore[reportArgumentType]

    async def body(session: Session) -> None:
        outcome = await (await session.send("go"))
        assert isinstance(outcome, Failed)
        assert outcome.problem.kind == error.kind  # pyright: ignore
        assert len(model.requests) == 1

    with_session(harness(model), body)


def test_the_next_model_of_the_chain_takes_over() -> None:
    first = ScriptedModel(lambda _: fail(Auth("no key")))
    second = ScriptedModel(Script([say("from the second")]))

    async def body(session: Session) -> None:
        assert await (await session.send("go")) == Finished("from the second")
        (failed,) = await of(session, e.StepFailed)
        assert failed.next_model
        prefixes = await of(session, e.PrefixStarted)
        assert [p.reason for p in prefixes] == ["first", "model"]

    with_session(harness([first, second]), body)


def test_attempts_are_bounded_and_then_the_run_fails() -> None:
    model = ScriptedModel(lambda _: fail(RateLimited("later", retry_after=0.0)))

    async def body(session: Session) -> None:
        outcome = await (await session.send("go"))
        assert isinstance(outcome, Failed)
        assert len(model.requests) == 2

    with_session(harness(model, retry=Retry(attempts=2)), body)


@pytest.mark.parametrize("wire", ["openai_chat", "openai_responses", "anthropic"])
@pytest.mark.parametrize("kind", sorted(BROKEN))
def test_after_any_broken_answer_a_strict_provider_takes_the_next_turn(
    kind: str, wire: str
) -> None:
    async def body() -> None:
        async with ScriptedServer(gone_wrong(kind)) as server:
            url = server.url if wire == "anthropic" else f"{server.url}/v1"
            place = ProviderSettings(base_url=url, key="k" * 20, wire=wire)  # pyright: ignore
            agent = Agent("tester", model="strict:m", tools=[read])
            retry = Retry(attempts=1)
            async with Harness(agent, providers={"strict": place}, environ={}, retry=retry) as made:
                session = await made.session()
                await (await session.send("first"))
                assert await (await session.send("second")) == Finished("Fine.")

    run(body())


def test_a_resources_model_chosen_during_a_run_on_its_fallback_is_used_next() -> None:
    down = ScriptedModel(lambda request: fail(Auth("no key")))
    spare = ScriptedModel(Script([call("choose"), say("spare")]))
    third = ScriptedModel(lambda request: say("third"))

    async def body() -> None:
        @tool
        async def choose() -> str:
            """Choose another model for everybody."""
            await made.use_model("ada", "custom:ScriptedModel")
            return "chosen"

        agent = Agent("tester", model=[down, spare], tools=[choose])
        modes = [Mode("main", default=True), Mode("other", model=third)]
        async with Harness(agent, modes=modes, environ={}, retry=Retry(attempts=1)) as made:
            session = await made.session("ada")
            assert await (await session.send("hi")) == Finished("third")
            assert len(down.requests) == 1

    run(body())
