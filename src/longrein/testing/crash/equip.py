"""The harness that a process of the rig works with."""

from collections.abc import Sequence
from tempfile import gettempdir

from msgspec import Struct

from longrein.capabilities.base import AskedCall, CallResult, Capability, GoOn, NewArguments, Refuse
from longrein.capabilities.contexts import HookContext
from longrein.capabilities.plans import Plans
from longrein.capabilities.subagents.capability import Subagents
from longrein.capabilities.todos import Todos
from longrein.capabilities.workspace.workspace import Workspace
from longrein.core.messages import Text
from longrein.core.slices import Folding
from longrein.core.usage import Limits
from longrein.harness import Harness, load
from longrein.loop.agent import Agent, Mode
from longrein.loop.setup import Budgets
from longrein.models.base import ModelSettings
from longrein.models.price import Price
from longrein.storage.base import Store
from longrein.testing.crash.acts import Scenario
from longrein.testing.crash.effects import TOOLS, Effects
from longrein.testing.crash.working import RULES
from longrein.testing.scripted import ScriptedModel
from longrein.workspace.sandbox.finding import find_sandbox

RESOURCE = "rig"
SCRIPTED = "custom:ScriptedModel"
OTHER = "custom:OtherModel"
MODES = (Mode("work"), Mode("plan", instructions="Plan only.", transitions_to="work"))
PRICE = Price("10", "100")
DOLLARS = 1_000_000_000


class OtherModel(ScriptedModel):
    """Says the same under another name."""


class Kept(Struct):
    """The application's own state."""

    count: int = 0
    note: str = ""


class Guard(Capability):
    """Hooks at every point that decides something. `asked` is told what they are asked about."""

    def __init__(self, asked: Effects) -> None:
        self._asked = asked

    async def before_run(self, ctx: HookContext) -> None:
        ctx.note("The guard watches.")

    async def before_tool(self, ctx: HookContext, call: AskedCall) -> Refuse | NewArguments | None:
        key: str = call.arguments["key"]
        self._asked.happen(call.tool, key, call.id)
        if key == "refuse":
            return Refuse("the guard says no")
        if key != "change":
            return None
        ctx.update({"count": ctx.state.count + 1})
        return NewArguments({"key": "changed"})

    async def after_tool(
        self, ctx: HookContext, call: AskedCall, result: CallResult
    ) -> CallResult | None:
        if call.tool != "write":
            return None
        return CallResult(result.status, (*result.parts, Text("the guard saw it")))

    async def before_finish(self, ctx: HookContext, answer: str) -> GoOn | None:
        return GoOn("Bring it to an end.") if answer == "Not yet." else None


def harness(
    scenario: Scenario,
    store: Store,
    effects: Effects,
    asked: Effects,
    folder: str,
    lease_seconds: float,
) -> Harness[Kept]:
    """The harness of a workload, the same in every process."""
    money = "money" in scenario.brings
    agent = Agent(
        "rig",
        model=[ScriptedModel(scenario.script), OtherModel(scenario.script)],
        tools=TOOLS,
        capabilities=_capabilities(scenario, asked, folder),
        settings=ModelSettings(max_output=1000),
    )
    return Harness(
        agent,
        modes=MODES if "modes" in scenario.brings else None,
        store=store,
        rules=RULES if folder else (),
        limits=Limits(cost=100 * DOLLARS) if money else None,
        budgets=Budgets(200 * DOLLARS, 300 * DOLLARS) if money else None,
        prices={SCRIPTED: PRICE, OTHER: PRICE},
        state=Kept,
        deps=lambda resource, scope, thread: effects,
        lease_seconds=lease_seconds,
    )


def folding(scenario: Scenario) -> Folding:
    """How the logs of a workload are folded."""
    brought = _capabilities(scenario, Effects(""), gettempdir())  # slices know no folder
    return Folding([one for capability in brought for one in capability.slices()])


def import_all() -> None:
    """Import what a harness would import late, in each of a thousand processes."""
    load("json_schema")
    load("prices")
    # Tried out once, here, and not in each of them.
    if (found := find_sandbox()).kind == "none":
        raise RuntimeError(f"Commands must be isolated to be killed safely. {found.why}")


def _capabilities(scenario: Scenario, asked: Effects, folder: str) -> Sequence[Capability]:
    found: list[Capability] = []
    if "planning" in scenario.brings:
        found += [Todos(), Plans()]
    if "guard" in scenario.brings:
        found.append(Guard(asked))
    if "workspace" in scenario.brings:
        found.append(Workspace(folder))
    if "family" in scenario.brings:
        found.append(Subagents())
    return found
