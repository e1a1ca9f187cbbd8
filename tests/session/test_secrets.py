"""Keys never reach the log, the display, live events or errors."""

from pathlib import Path

from longrein.core import events as e
from longrein.core.errors import BadRequest
from longrein.core.outcomes import Failed
from longrein.harness import Harness
from longrein.loop.agent import Agent
from longrein.testing import Script, ScriptedModel, call, fail, pause, reply, say
from longrein.tools.define import tool
from tests.session.kit import log, of, waiting
from tests.session.tools import deploy
from tests.support import run

KEY = "sk-ant-0123456789abcdef"


@tool
async def leak() -> str:
    """Print the environment."""
    return f"ANTHROPIC_API_KEY={KEY}"


def test_a_key_is_replaced_by_its_name_wherever_it_turns_up(tmp_path: Path) -> None:
    async def body() -> None:
        script = Script([call("leak"), reply(pause(0.01), say(f"The key is {KEY}.", size=0))])
        agent = Agent("tester", model=ScriptedModel(script), tools=[leak])
        environ = {"ANTHROPIC_API_KEY": KEY}
        path = tmp_path / "a.db"
        async with Harness(agent, store=f"sqlite:{path}", environ=environ) as made:
            session = await made.session("ada")
            handle = await session.send(f"my key is {KEY}")
            shown = [repr(event) async for event in handle]
            outcome = await handle
            everything = [*shown, repr(outcome), repr(session.display), repr(await log(session))]
        assert not any(KEY in text for text in everything)
        assert any("[secret:ANTHROPIC_API_KEY]" in text for text in everything)

    run(body())
    assert not any(KEY.encode() in file.read_bytes() for file in tmp_path.iterdir())


def test_a_provider_that_echoes_the_key_does_not_put_it_into_the_outcome() -> None:
    async def body() -> None:
        model = ScriptedModel(lambda _: fail(BadRequest(f"invalid key {KEY}")))
        environ = {"ANTHROPIC_API_KEY": KEY}
        async with Harness(Agent("tester", model=model), environ=environ) as made:
            outcome = await (await (await made.session()).send("hi"))
            assert isinstance(outcome, Failed)
            assert outcome.problem.message == "invalid key [secret:ANTHROPIC_API_KEY]"

    run(body())


def test_a_key_in_an_approved_call_is_not_remembered_with_the_yes() -> None:
    async def body() -> None:
        script = Script([call("deploy", target="prod"), say("done")])
        agent = Agent("tester", model=ScriptedModel(script), tools=[deploy])
        async with Harness(agent, environ={"ANTHROPIC_API_KEY": KEY}) as made:
            session = await made.session("ada")
            (id,) = (await waiting(await session.send("go"))).approvals
            given = {"target": KEY}
            await session.approve(id, arguments=given, remember="call", scope="resource")
            (kept,) = await made.grants("ada")
            assert KEY not in str(kept)
            assert [added.grant for added in await of(session, e.GrantAdded)] == [kept]

    run(body())
