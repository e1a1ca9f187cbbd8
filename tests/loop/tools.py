"""An agent with tools of every kind, and what its sessions would run on."""

from longrein.capabilities.opening import Opening
from longrein.core.policy import Rule
from longrein.core.usage import Limits
from longrein.loop.agent import Agent, Mode
from longrein.loop.assemble import Assembled, Blueprint, Terms
from longrein.loop.setup import Shared
from longrein.storage.memory import MemoryStore
from longrein.tools.context import Context
from longrein.tools.define import tool
from tests.support import run


@tool(category="read", idempotent=True)
def look(path: str = "/") -> str:
    """Look at something."""
    return path


@tool(category="read", exclusive=lambda given: given["path"])
def peek(path: str) -> str:
    """Look at one thing at a time."""
    return path


@tool(category="read", exclusive=True)
def survey() -> str:
    """Look at everything, alone."""
    return ""


@tool(category="edit", exclusive=lambda given: given["path"])
def write(path: str) -> str:
    """Write a file."""
    return path


@tool(category="execute", exclusive=True)
def deploy() -> str:
    """Deploy, alone."""
    return ""


@tool(category="execute", idempotent=True)
def check() -> str:
    """Run the checks."""
    return ""


@tool(category="network")
def fetch(url: str) -> str:
    """Fetch a page."""
    return url


@tool(category="delegate")
def task(what: str = "") -> str:
    """Let somebody else do it."""
    return what


@tool(asks=True)
async def confirm(ctx: Context) -> str:
    """Ask a person."""
    return await ctx.ask("Go on?")


TOOLS = (look, peek, survey, write, deploy, check, fetch, task, confirm)
MODELS = ("test:first", "test:second")


def kit(
    *, limits: Limits | None = None, rules: tuple[Rule, ...] = (), parallel: int = 8
) -> Assembled:
    """Three modes: `build` shows every tool, `plan` a few, `bare` none."""
    agent = Agent("tester", instructions="Test.", model=MODELS, tools=TOOLS)
    modes = [
        Mode("build"),
        Mode(
            "plan",
            instructions="Only plan.",
            tools=[look, write, confirm],
            model="test:planner",
            rules=[Rule("deny", category="edit", id="plan:edit")],
        ),
        Mode("bare", instructions="Only talk.", tools=[]),
    ]
    blueprint = Blueprint(agent, modes, Terms(rules, limits or Limits(), parallel=parallel))
    opening = Opening("tester", "default", "thr_1", MemoryStore())
    return run(blueprint.assemble(opening, Shared(), blueprint.capabilities))
