"""The agent of the command line, which is there where no other is brought."""

from collections.abc import Sequence

from longrein.capabilities.ask_user import AskUser
from longrein.capabilities.plans import Plans
from longrein.capabilities.todos import Todos
from longrein.core.policy import Rule
from longrein.loop.agent import Agent, Mode

PLANNING = (
    "You are planning: find out what you need to know, ask what only the person can tell, and "
    "submit a plan with submit_plan. Nothing can be changed, run or fetched before it is approved."
)

BUILD = Mode("build", name="Build", default=True)
PLAN = Mode(
    "plan",
    name="Plan",
    instructions=PLANNING,
    rules=(
        Rule("deny", category="edit"),
        Rule("deny", category="execute"),
        Rule("deny", category="network"),
    ),
    transitions_to=BUILD.id,
)


def own_agent(models: Sequence[str] = ()) -> tuple[Agent, Sequence[Mode]]:
    """An agent that keeps todos, submits plans and asks, with its modes: build, and plan."""
    agent = Agent("assistant", model=models, capabilities=(Todos(), Plans(), AskUser()))
    return agent, (BUILD, PLAN)
