"""A subagent is checked where it is written down."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from longrein import Agent, FileRule, Harness, Limits, Mode, Rule, Subagent, Subagents, UsageError
from longrein.testing import Script, ScriptedModel


@dataclass
class Answer:
    text: str


def test_what_is_given_is_kept_and_lists_are_copied() -> None:
    tools = ["read_file"]
    agent = Subagent(
        "code-reader",
        "Reads code.",
        "Be brief.",
        tools=tools,
        model="local:small",
        mode="plan",
        permissions=[Rule("deny", category="edit"), FileRule("deny", ("**/.env",))],
        output=Answer,
        limits=Limits(steps=3),
    )
    tools.append("write_file")
    assert agent.tools == ("read_file",)
    assert len(agent.permissions) == 2


WRONG: list[tuple[Callable[[], Any], str]] = [
    (lambda: Subagent("Code Reader", "Reads."), "'Code Reader' cannot be the name"),
    (lambda: Subagent("-reader", "Reads."), "cannot be the name"),
    (lambda: Subagent("a--b", "Reads."), "cannot be the name"),
    (lambda: Subagent("a" * 65, "Reads."), "64 characters at most"),
    (lambda: Subagent("reader", " "), "has no description"),
    (lambda: Subagent("reader", "x" * 1_025), "has 1,025 characters"),
    (lambda: Subagent("reader", "Reads.", 7), "instructions of the subagent 'reader' is a text"),  # type: ignore[arg-type]
    (lambda: Subagent("reader", "Reads.", tools="grep"), "is a list of"),
    (lambda: Subagent("reader", "Reads.", tools=[7]), "7 is none"),  # type: ignore[list-item]
    (lambda: Subagent("reader", "Reads.", tools=[""]), "'' is none"),
    (lambda: Subagent("reader", "Reads.", model=7), "is a name or a model"),  # type: ignore[arg-type]
    (lambda: Subagent("reader", "Reads.", permissions=["deny"]), "'deny' is neither"),  # type: ignore[list-item]
    (lambda: Subagent("reader", "Reads.", output=object), "output of the subagent 'reader'"),
    (lambda: Subagent("reader", "Reads.", limits=3), "is an object of Limits"),  # type: ignore[arg-type]
    (lambda: Subagent("reader", "Reads.", limits=Limits(steps=-1)), "steps=-1"),
    (lambda: Subagent("reader", "Reads.", tools=["grep"], forked=True), "is forked and has tools"),
    (lambda: Subagent("reader", "Reads.", mode="plan", forked=True), "is forked and has a mode"),
    (lambda: Subagents([Subagent("a", "A."), Subagent("a", "B.")]), "Two subagents are called 'a'"),
    (lambda: Subagents(["a"]), "'a' is none"),  # type: ignore[list-item]
    (lambda: Subagents(depth=-1), "give 0 or more"),
    (lambda: Subagents(files="agents"), "files of Subagents is a list"),
]


@pytest.mark.parametrize(("make", "why"), WRONG)
def test_what_makes_no_sense_is_refused_with_the_reason(make: Callable[[], Any], why: str) -> None:
    with pytest.raises(UsageError) as refused:
        make()
    assert why in str(refused.value)


def look(path: str) -> str:
    """Look at a file."""
    return path


def harness(agent: Subagent) -> Harness:
    model = ScriptedModel(Script([]))
    who = Agent("main", model=model, tools=[look], capabilities=[Subagents([agent])])
    return Harness(who, modes=[Mode("build"), Mode("plan")])


def test_a_tool_that_the_agent_does_not_have_is_found_when_the_harness_is_made() -> None:
    with pytest.raises(UsageError, match=r"'reader' has the tool 'lok'.*Did you mean 'look'\?"):
        harness(Subagent("reader", "Reads.", tools=["lok"]))


def test_a_mode_that_there_is_not_is_found_when_the_harness_is_made() -> None:
    with pytest.raises(UsageError, match=r"'reader' has the mode 'plam'.*Did you mean 'plan'\?"):
        harness(Subagent("reader", "Reads.", mode="plam"))


def test_tools_and_modes_that_are_there_are_fine() -> None:
    harness(Subagent("reader", "Reads.", tools=["look"], mode="plan"))


def test_a_general_purpose_child_is_there_unless_it_is_switched_off() -> None:
    reader = Subagent("reader", "Reads.")
    assert [one.name for one in Subagents().subagents()] == ["general-purpose"]
    assert [one.name for one in Subagents([reader], default=False).subagents()] == ["reader"]


def test_nobody_to_delegate_to_means_no_tools_and_no_commands() -> None:
    nobody = Subagents(default=False)
    assert (nobody.tools(), nobody.commands()) == ((), ())
    assert Subagents(depth=0).tools() == ()


def test_each_level_is_one_less_deep_until_there_is_nobody() -> None:
    root = Subagents(depth=2)
    child = root.below()
    assert child.tools() == root.tools()
    assert (child.below().tools(), child.below().subagents()) == ((), ())


def test_one_of_ones_own_takes_the_place_of_the_general_purpose_child() -> None:
    own = Subagent("general-purpose", "Does everything slowly.")
    assert Subagents([own]).subagents() == (own,)
