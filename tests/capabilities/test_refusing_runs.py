"""`Refuse` from `before_run` and `before_model`: the run ends, unheard by the model."""

from longrein.capabilities.base import Capability, Refuse
from longrein.capabilities.contexts import HookContext
from longrein.core import events as e
from longrein.core.messages import User
from longrein.core.outcomes import Aborted, Finished
from longrein.session.session import Session
from longrein.testing import call, say
from tests.capabilities.kit import hook_log, hosting, scripted, words
from tests.session.kit import of, said, waiting, with_session
from tests.session.tools import deploy

NO = Aborted("Not that.")


def _secret(ctx: HookContext) -> Refuse | None:
    last = [one for one in ctx.messages if isinstance(one, User)][-1:]
    return Refuse("Not that.") if any("secret" in one.text for one in last) else None


class AtTheStart(Capability):
    """Looks at what a run begins with."""

    async def before_run(self, ctx: HookContext) -> Refuse | None:
        ctx.record("start.looked")
        return _secret(ctx)


class AtEachStep(Capability):
    """Looks at what was said before each step."""

    async def before_model(self, ctx: HookContext) -> Refuse | None:
        return _secret(ctx)


def test_a_run_that_is_refused_ends_before_the_model_is_called() -> None:
    model = scripted(say("Hello."))

    async def body(session: Session) -> None:
        assert await (await session.send("A secret")) == NO
        assert not model.requests
        assert await hook_log(session) == ["started before_run", "refused before_run"]
        assert len(await of(session, e.Recorded)) == 1

    with_session(hosting(model, AtTheStart()), body)


def test_what_was_said_to_it_is_no_part_of_the_conversation() -> None:
    async def body(session: Session) -> None:
        assert await (await session.send("Hi")) == Finished("Hello.")
        assert await (await session.send("A secret")) == NO
        assert words(said(session)) == ["user: Hi", "model: Hello."]
        assert [one.text for one in session.points()] == ["Hi"]
        assert await (await session.send("Bye")) == Finished("Bye.")
        assert words(said(session))[2:] == ["user: Bye", "model: Bye."]

    with_session(hosting([say("Hello."), say("Bye.")], AtTheStart()), body)


def test_what_systems_said_stays() -> None:
    async def body(session: Session) -> None:
        await session.signal("The build is red.", wake=False)
        assert await (await session.send("A secret")) == NO
        assert [line.partition(": ")[2] for line in words(said(session))] == ["The build is red."]

    with_session(hosting([say("never")], AtEachStep()), body)


def test_a_follow_up_is_a_run_of_its_own_and_goes_on() -> None:
    async def body(session: Session) -> None:
        first = await session.send("A secret")
        second = await session.queue("Hi")
        assert await first == NO
        assert await second == Finished("Hello.")

    with_session(hosting([say("Hello.")], AtTheStart()), body)


def test_before_a_later_step_what_the_run_has_done_stays() -> None:
    async def body(session: Session) -> None:
        run = await session.send("go")
        (approval,) = (await waiting(run)).approvals
        await session.send("A secret")
        await session.approve(approval)
        assert await run == NO
        assert words(said(session)) == ["user: go", "model: ", "ok: deployed to prod"]
        assert await (await session.send("Go on")) == Finished("ok")

    replies = [call("deploy", target="prod"), say("ok")]
    with_session(hosting(replies, AtEachStep(), tools=[deploy]), body)
