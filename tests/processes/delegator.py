"""A process whose agent has three children in different states, until it is killed.

Run as `python -m tests.processes.delegator FOLDER`. It says a word when one child waits for a yes,
one is in a tool and one is done.
"""

import asyncio
import sys

from longrein.capabilities.subagents.capability import Subagents
from longrein.harness import Harness
from longrein.loop.agent import Agent
from longrein.session.session import Session
from longrein.testing import Reply, Script, ScriptedModel, call, calls, say, when
from longrein.testing.crash.effects import Effects
from longrein.tools.context import Context
from longrein.tools.define import tool
from tests.session.kit import until


@tool(idempotent=True)
async def linger(ctx: Context[Effects], key: str) -> str:
    """Have an effect, and come back at the second time only."""
    ctx.deps.happen(ctx.tool, key, ctx.call)
    if sum(one.key == key for one in ctx.deps.read()) < 2:
        await asyncio.Event().wait()
    return "came back"


@tool(category="execute")
async def deploy(ctx: Context[Effects], key: str) -> str:
    """Have an effect once a person said yes."""
    ctx.deps.happen(ctx.tool, key, ctx.call)
    return "deployed"


@tool
async def write(ctx: Context[Effects], key: str) -> str:
    """Have an effect."""
    ctx.deps.happen(ctx.tool, key, ctx.call)
    return "written"


def _task(text: str) -> Reply:
    return call("task", agent="general-purpose", description=text, prompt=text)


SCRIPT = Script(
    rules=[
        when("begin", calls(_task("ask"), _task("linger"), _task("quick")), say("All are back.")),
        when("ask", call("deploy", key="asked"), say("The one that asked.")),
        when("linger", call("linger", key="lingered"), say("The one that lingered.")),
        when("quick", call("write", key="quick"), say("The quick one.")),
    ]
)


def harness(folder: str) -> Harness:
    """The same agent for both processes, on the store in a folder."""
    agent = Agent(
        "root",
        model=ScriptedModel(SCRIPT),
        tools=[linger, deploy, write],
        capabilities=[Subagents()],
    )
    effects = Effects(f"{folder}/effects")
    return Harness(
        agent,
        store=f"sqlite:{folder}/threads.db",
        deps=lambda resource, scope, thread: effects,
        environ={},
    )


def states(session: Session) -> dict[str, str]:
    """How the children stand, by their titles."""
    return {child.title: child.state for child in session.folded.children}


async def main(folder: str) -> None:
    async with harness(folder) as host:
        session = await host.session("user")
        await session.send("begin")
        wanted = {"ask": "waiting", "linger": "running", "quick": "finished"}
        await until(lambda: states(session) == wanted and _lingers(folder))
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        await asyncio.Event().wait()


def _lingers(folder: str) -> bool:
    return any(one.tool == "linger" for one in Effects(f"{folder}/effects").read())


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
