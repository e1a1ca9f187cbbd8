"""What a harness finds wrong with its settings before anything runs."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

import pytest

from longrein.capabilities.base import Capability
from longrein.capabilities.contexts import HookContext
from longrein.capabilities.plans import Plans
from longrein.capabilities.todos import Todos
from longrein.core.errors import UsageError
from longrein.core.policy import Rule
from longrein.core.usage import Limits
from longrein.harness import Harness
from longrein.loop.agent import Agent, Mode
from longrein.loop.checks import check_rules
from longrein.loop.retry import Retry
from longrein.loop.setup import Budgets
from longrein.models.base import ModelSettings
from longrein.models.catalog import ProviderSettings
from longrein.models.price import Price
from longrein.tools.context import Context
from longrein.tools.define import tool
from tests.support import run


@tool(category="read")
def look() -> str:
    """Look."""
    return ""


@tool
async def lead(ctx: Context) -> str:
    """Lead to the next mode."""
    ctx.switch_mode(ctx.mode.transitions_to)
    return ""


async def later(deps: object) -> str:
    return "Be brief."


def made(**settings: Any) -> Harness:
    """A harness of an agent that can only look; some settings are the agent's."""
    own = {"instructions", "model", "tools", "capabilities", "settings"}
    agent: dict[str, Any] = {"tools": [look]}
    agent |= {name: value for name, value in settings.items() if name in own}
    others = {name: value for name, value in settings.items() if name not in own}
    return Harness(Agent("a", **agent), environ={}, **others)


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"modes": [{"id": "plan"}]}, "modes is a list of Mode"),
        ({"modes": Mode("plan")}, "modes is a list of Mode, not Mode"),
        ({"capabilities": Todos()}, "capabilities is a list of Capability"),
        ({"tools": look}, "tools of the agent 'a' is a list"),
        ({"rules": Rule("deny")}, "rules is a list of Rule, not Rule"),
        ({"rules": ["deny"]}, "rules is a list of Rule; 'deny' is none"),
        ({"modes": [Mode("plan", rules=cast(Any, ["deny"]))]}, "rules of mode 'plan'"),
        ({"modes": [Mode("plan", visible="look")]}, "visible of mode 'plan' is a list of str"),
        ({"limits": {}}, "limits is an object of Limits"),
        ({"limits": Limits(steps=-1)}, "limits has steps=-1"),
        ({"budgets": Budgets(thread=-1)}, "budgets has thread=-1"),
        ({"settings": {"effort": "low"}}, "settings of the agent 'a' is an object of Model"),
        ({"settings": ModelSettings(effort=cast(Any, "huge"))}, "huge"),
        ({"instructions": later}, "instructions of the agent 'a' cannot be an async function"),
        ({"instructions": 3}, "instructions of the agent 'a' is a text"),
        ({"retry": Retry(attempts=-3)}, "attempts counts the first one"),
        ({"lease_seconds": 0}, "lease_seconds is 0"),
        ({"prices": {"a:b": Price("a", 2)}}, "'a' is not a price"),
        ({"unpriced": "a:b"}, "unpriced is a list of str, not 'a:b'"),
        ({"model_settings": {"anthropc": ModelSettings()}}, "Did you mean 'anthropic'"),
        ({"deps": "database"}, "deps is a function"),
    ],
)
def test_a_setting_that_makes_no_sense_is_named(settings: dict[str, Any], problem: str) -> None:
    with pytest.raises(UsageError, match=problem):
        made(**settings)


@pytest.mark.parametrize(
    ("model", "problem"),
    [
        ("opnai:gpt", "no provider 'opnai'.*Did you mean 'openai'.*providers="),
        ("gpt", "'gpt' is not a model: write 'provider:model'"),
        (["anthropic:NAME", "x:y"], "no provider 'x'"),
        (None, "None is not a model"),
    ],
)
def test_a_model_that_nobody_could_find_is_refused_at_once(model: Any, problem: str) -> None:
    with pytest.raises(UsageError, match=problem):
        made(model=model)


def test_the_model_of_a_mode_is_looked_at_too() -> None:
    with pytest.raises(UsageError, match="no provider 'opnai'"):
        made(modes=[Mode("m", model="opnai:gpt")])


def test_a_provider_that_is_given_may_be_named() -> None:
    made(model="house:NAME", providers={"house": ProviderSettings(base_url="http://127.0.0.1")})


@pytest.mark.parametrize(
    "settings",
    [
        {"rules": [Rule("deny", tool="lok")]},
        {"modes": [Mode("m", rules=[Rule("deny", tool="lok")])]},
    ],
)
def test_a_rule_for_a_tool_that_no_mode_has_is_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=r"'lok', which no mode has\. Did you mean 'look'"):
        made(**settings)


def test_a_rule_may_be_about_a_tool_of_another_mode_or_one_that_is_hidden() -> None:
    made(
        rules=[Rule("deny", tool="lead"), Rule("deny", tool="look")],
        modes=[Mode("a", visible=[]), Mode("b", tools=[lead])],
    )


def test_a_rule_may_be_for_a_tool_that_only_some_sessions_have() -> None:
    async def test() -> None:
        async with made(tools=lambda deps: [look], rules=[Rule("deny", tool="deploy")]) as host:  # pyright: ignore[reportUnknownLambdaType]
            session = await host.session()
            await session.add_rule(Rule("ask", tool="write"))

    run(test())


@dataclass
class Sync(Capability):
    def before_run(self, ctx: HookContext) -> None: ...  # pyright: ignore[reportIncompatibleMethodOverride]


class Narrow(Capability):
    async def before_tool(self, ctx: HookContext) -> None: ...  # pyright: ignore[reportIncompatibleMethodOverride]


class Misspelt(Capability):
    async def before_tools(self, ctx: HookContext) -> None: ...


class OneRule(Capability):
    def rules(self) -> Any:
        return Rule("deny")


class NoSlice(Capability):
    slice: Any = "notes"


@pytest.mark.parametrize(
    ("kind", "problem"),
    [
        (Sync, r"Sync\.before_run has to be an async function"),
        (Narrow, r"Narrow\.before_tool is called with 2 arguments"),
        (Misspelt, r"Misspelt\.before_tools would never be called.*'before_tool'"),
        (OneRule, r"rules\(\) of OneRule is a list of Rule"),
        (NoSlice, "slice of NoSlice is a Slice"),
    ],
)
def test_a_capability_that_could_never_work_is_refused(
    kind: Callable[[], Capability], problem: str
) -> None:
    with pytest.raises(UsageError, match=problem):
        made(capabilities=[kind()])


BUILD = Mode("build")


def test_a_mode_that_hides_what_leads_out_of_it_is_refused() -> None:
    plan = Mode("plan", visible=["look"], transitions_to="build")
    with pytest.raises(UsageError, match="hides 'submit_plan'"):
        made(modes=[plan, BUILD], capabilities=[Plans()])


def test_a_mode_with_nothing_that_leads_out_of_it_is_refused() -> None:
    with pytest.raises(UsageError, match=r"capabilities=\[Plans\(\)\]"):
        made(modes=[Mode("plan", transitions_to="build"), BUILD])


def test_a_tool_of_the_application_can_lead_to_the_next_mode() -> None:
    made(modes=[Mode("plan", tools=[lead], transitions_to="build"), BUILD])


def test_the_tools_that_a_rule_could_be_about_are_listed_in_order() -> None:
    tools = {"move", "delete", "write", "grep", "ls"}
    with pytest.raises(UsageError, match="There are: delete, grep, ls, move, write"):
        check_rules([("harness", Rule("ask", "nosuch"))], tools)
