"""What a call means is settled by the mode that the model was called in."""

from longrein import Agent, Context, Finished, Harness, Mode, Plans, Waiting, tool
from longrein.core.events import ToolEnded
from longrein.session.session import Session
from longrein.testing import Script, ScriptedModel, call, calls, say
from tests.session.kit import harness, of, with_session

DONE: list[str] = []


@tool(name="deploy", category="execute")
async def dry() -> str:
    """Deploy, as a rehearsal."""
    DONE.append("dry")
    return "rehearsed"


@tool(name="deploy", category="execute")
async def real() -> str:
    """Deploy for real."""
    DONE.append("real")
    return "deployed"


@tool(category="read")
async def flip(ctx: Context) -> str:
    """Go to the other mode."""
    ctx.switch_mode("build")
    return "flipped"


MODES = [Mode("plan", tools=[dry, flip]), Mode("build", tools=[real])]


def test_a_yes_never_runs_the_tool_of_another_mode() -> None:
    DONE.clear()

    async def body(session: Session) -> None:
        run = await session.send("go")
        waiting = await run
        assert isinstance(waiting, Waiting)
        await session.switch_mode("build")
        await session.approve(waiting.approvals[0])
        assert await run == Finished("ok")
        assert DONE == ["dry"]
        assert session.display.mode == "build"

    with_session(harness([call("deploy"), say("ok")], modes=MODES), body)


def test_a_tool_that_switches_the_mode_does_not_change_what_its_siblings_mean() -> None:
    DONE.clear()

    async def body(session: Session) -> None:
        await session.set_trust("yolo")
        assert await (await session.send("go")) == Finished("ok")
        assert DONE == ["dry"]

    with_session(harness([calls(call("flip"), call("deploy")), say("ok")], modes=MODES), body)


def test_a_plan_is_approved_though_its_mode_was_left_meanwhile() -> None:
    modes = [
        Mode("plan", visible=["submit_plan"], transitions_to="build"),
        Mode("build", visible=[]),
    ]
    script = [call("submit_plan", title="One", plan="1. Do it"), say("ok")]

    async def body(session: Session) -> None:
        run = await session.send("go")
        waiting = await run
        assert isinstance(waiting, Waiting)
        await session.switch_mode("build")
        await session.approve_plan(waiting.questions[0])
        assert await run == Finished("ok")
        assert session.display.plan is not None
        assert session.display.plan.status == "approved"
        assert [one.status for one in await of(session, ToolEnded)] == ["ok"]

    agent = Agent("planner", model=ScriptedModel(Script(script)), capabilities=[Plans()])
    with_session(Harness(agent, modes=modes), body)
