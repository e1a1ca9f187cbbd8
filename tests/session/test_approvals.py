"""Approvals and questions: several at once, answered in any order, by id."""

import pytest

from longrein.capabilities.ask_user import ask_user
from longrein.core import events as e
from longrein.core.errors import UsageError
from longrein.core.messages import ToolResult
from longrein.core.outcomes import Aborted, Finished
from longrein.core.policy import Rule
from longrein.loop.agent import Mode
from longrein.session.session import Session
from longrein.testing import Script, ScriptedModel, call, calls, raw_call, say
from tests.session.kit import harness, of, said, until, waiting, with_session
from tests.session.tools import Gate, confirm, deploy, read, write


def results(session: Session) -> list[tuple[str, str]]:
    """Status and text of every tool result."""
    return [(m.status, m.text) for m in said(session) if isinstance(m, ToolResult)]


THREE = calls(call("deploy", target="a"), call("read", path="/b"), call("deploy", target="c"))


def test_all_calls_that_need_a_yes_are_asked_at_once_while_the_others_run() -> None:
    async def body(session: Session) -> None:
        pending = await waiting(await session.send("go"))
        assert len(pending.approvals) == 2
        states = {view.name: view.state for view in session.display.calls}
        assert states == {"deploy": "approval", "read": "ok"}

    with_session(harness([THREE, say("ok")], deploy, read), body)


def test_approvals_are_answered_in_any_order_and_results_go_back_in_call_order() -> None:
    async def body(session: Session) -> None:
        run = await session.send("go")
        first, second = (await waiting(run)).approvals
        assert (await session.approve(second)).status == "applied"
        assert (await waiting(run)).approvals == (first,)
        await session.decline(first, "too risky")
        assert await run == Finished("ok")
        assert results(session) == [
            ("declined", "The user declined this call. The reason given: too risky"),
            ("ok", "content of /b"),
            ("ok", "deployed to c"),
        ]

    with_session(harness([THREE, say("ok")], deploy, read), body)


def test_an_approved_call_starts_while_its_siblings_still_run() -> None:
    gate = Gate()
    script = [calls(call("work", name="slow"), call("deploy", target="x")), say("ok")]

    async def body(session: Session) -> None:
        run = await session.send("go")
        await until(lambda: bool(session.display.approvals) and gate.inside == ["slow"])
        await session.approve(session.display.approvals[0].id)
        await until(lambda: any(view.state == "ok" for view in session.display.calls))
        assert gate.inside == ["slow"]
        gate.open("slow")
        assert await run == Finished("ok")

    with_session(harness(script, *gate.tools(), deploy), body)


def test_edited_arguments_are_validated_used_and_shown_in_the_log() -> None:
    async def body(session: Session) -> None:
        run = await session.send("go")
        (id,) = (await waiting(run)).approvals
        with pytest.raises(UsageError, match="target"):
            await session.approve(id, arguments={"targets": "staging"})
        assert session.display.approvals[0].id == id
        await session.approve(id, arguments={"target": "staging"})
        assert await run == Finished("ok")
        assert results(session) == [("ok", "deployed to staging")]
        (answered,) = await of(session, e.ApprovalAnswered)
        assert answered.arguments == '{"target":"staging"}'

    with_session(harness([call("deploy", target="prod"), say("ok")], deploy), body)


def test_a_person_can_answer_in_the_tools_place() -> None:
    async def body(session: Session) -> None:
        run = await session.send("go")
        (id,) = (await waiting(run)).approvals
        await session.replace(id, "It is deployed already.")
        assert await run == Finished("ok")
        assert results(session) == [("replaced", "It is deployed already.")]
        assert await of(session, e.ToolStarted) == []

    with_session(harness([call("deploy", target="prod"), say("ok")], deploy), body)


def test_decline_with_stop_ends_the_run() -> None:
    async def body(session: Session) -> None:
        run = await session.send("go")
        (id,) = (await waiting(run)).approvals
        await session.decline(id, "no deploys today", stop=True)
        assert await run == Aborted("no deploys today")
        assert await (await session.send("and now?")) == Finished("ok")

    with_session(harness([call("deploy", target="prod"), say("ok")], deploy), body)


@pytest.mark.parametrize("remember", ["tool", "category"])
def test_a_remembered_yes_is_not_asked_again_until_it_is_revoked(remember: str) -> None:
    script = [call("deploy", target="a"), call("deploy", target="b"), say("ok")] * 2

    async def body(session: Session) -> None:
        run = await session.send("go")
        (id,) = (await waiting(run)).approvals
        await session.approve(id, remember=remember)  # pyright: ignore[reportArgumentType]
        assert await run == Finished("ok")
        (grant,) = session.folded.grants
        assert grant.rule == "default:execute"
        assert (await session.revoke(grant.id)).status == "applied"
        await waiting(await session.send("again"))

    with_session(harness(script, deploy), body)


def test_a_yes_for_the_run_ends_with_it() -> None:
    script = [call("deploy", target="a"), call("deploy", target="b"), say("ok")] * 2

    async def body(session: Session) -> None:
        run = await session.send("go")
        (id,) = (await waiting(run)).approvals
        await session.approve(id, remember="tool", scope="run")
        assert await run == Finished("ok")
        assert session.folded.grants == ()
        await waiting(await session.send("again"))

    with_session(harness(script, deploy), body)


def test_a_deny_added_while_an_approval_waits_holds_after_the_yes() -> None:
    async def body(session: Session) -> None:
        run = await session.send("go")
        (id,) = (await waiting(run)).approvals
        await session.add_rule(Rule("deny", tool="deploy", id="frozen"))
        await session.approve(id)
        assert await run == Finished("ok")
        ((status, text),) = results(session)
        assert status == "refused"
        assert "frozen" in text

    with_session(harness([call("deploy", target="prod"), say("ok")], deploy), body)


def test_yolo_never_overrides_a_deny() -> None:
    async def body(session: Session) -> None:
        await session.set_trust("yolo")
        assert await (await session.send("go")) == Finished("ok")
        assert [status for status, _ in results(session)] == ["ok", "refused"]

    script = [calls(call("write", path="/a"), call("deploy", target="x")), say("ok")]
    rules = [Rule("deny", category="execute")]
    with_session(harness(script, deploy, write, rules=rules), body)


def test_answers_to_what_does_not_wait_are_stale_or_missing() -> None:
    async def body(session: Session) -> None:
        run = await session.send("go")
        (id,) = (await waiting(run)).approvals
        assert (await session.approve(id, command="cmd_1")).status == "applied"
        assert (await session.approve(id, command="cmd_1")).status == "already"
        assert (await session.approve(id)).status == "stale"
        assert (await session.decline(id)).status == "stale"
        assert (await session.approve("apr_nobody")).status == "missing"
        assert await run == Finished("ok")

    with_session(harness([call("deploy", target="prod"), say("ok")], deploy), body)


def test_ask_user_takes_free_text_one_choice_or_several() -> None:
    script = [
        calls(
            call("ask_user", question="Name?"),
            call("ask_user", question="Colour?", choices=["red", "blue"]),
            call("ask_user", question="Days?", choices=["mo", "tu", "we"], several=True),
        ),
        say("ok"),
    ]

    async def body(session: Session) -> None:
        run = await session.send("go")
        name, colour, days = (await waiting(run)).questions
        await session.answer(days, ["mo", "any evening"])
        with pytest.raises(UsageError, match="red, blue"):
            await session.answer(colour, ["red", "blue"])
        await session.answer(colour, "green")
        await session.answer(name, "Ada")
        assert await run == Finished("ok")
        assert [text for _, text in results(session)] == ["Ada", "green", '["mo","any evening"]']

    with_session(harness(script, ask_user), body)


def test_a_tool_that_asks_twice_is_called_again_with_its_answers() -> None:
    async def body(session: Session) -> None:
        run = await session.send("go")
        (first,) = (await waiting(run)).questions
        with pytest.raises(UsageError, match="not one of the choices: yes, no"):
            await session.answer(first, "perhaps")
        await session.answer(first, "yes")
        (second,) = (await waiting(run)).questions
        assert session.display.questions[0].text == "How?"
        await session.answer(second, "slowly")
        assert await run == Finished("ok")
        assert results(session) == [("ok", "cleanup: yes, slowly")]

    with_session(harness([call("confirm", what="cleanup"), say("ok")], confirm), body)


def test_a_declined_question_is_heard_by_the_model() -> None:
    async def body(session: Session) -> None:
        run = await session.send("go")
        (id,) = (await waiting(run)).questions
        await session.decline(id, "not my call")
        assert await run == Finished("ok")
        ((status, text),) = results(session)
        assert status == "declined"
        assert "not my call" in text

    with_session(harness([call("confirm", what="cleanup"), say("ok")], confirm), body)


def test_invalid_arguments_are_told_to_the_model_and_never_asked_of_a_person() -> None:
    async def body(session: Session) -> None:
        assert await (await session.send("go")) == Finished("ok")
        assert [status for status, _ in results(session)] == ["error", "error"]
        assert await of(session, e.ApprovalRequested) == []

    script = [calls(call("deploy", goal="x"), raw_call("deploy", '{"target": ')), say("ok")]
    with_session(harness(script, deploy), body)


def test_a_denied_tool_is_not_offered_and_refused_when_called_anyway() -> None:
    model = ScriptedModel(Script([call("deploy", target="x"), say("ok")]))

    async def body(session: Session) -> None:
        assert await (await session.send("go")) == Finished("ok")
        assert [spec.name for spec in model.requests[0].tools] == ["read"]
        assert [status for status, _ in results(session)] == ["refused"]

    with_session(harness(model, deploy, read, rules=[Rule("deny", tool="deploy")]), body)


def test_a_tool_that_the_mode_does_not_show_is_neither_offered_nor_run() -> None:
    model = ScriptedModel(Script([call("deploy", target="x"), say("ok")]))
    modes = [Mode("plan", instructions="Only plan.", tools=[read]), Mode("build")]

    async def body(session: Session) -> None:
        assert await (await session.send("go")) == Finished("ok")
        assert [spec.name for spec in model.requests[0].tools] == ["read"]
        ((status, text),) = results(session)
        assert status == "error"
        assert "`read`" in text
        await session.switch_mode("build")
        await (await session.send("and now?"))
        assert [spec.name for spec in model.requests[-1].tools] == ["deploy", "read"]

    with_session(harness(model, deploy, read, modes=modes), body)
