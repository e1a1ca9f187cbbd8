"""From a `Subagent` to the blueprint of its children: what its parent has, and never more."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace as change
from typing import Any

from msgspec.structs import replace

from longrein.capabilities.base import Capability
from longrein.capabilities.subagents.prompts import system_of
from longrein.capabilities.subagents.spec import Subagent
from longrein.core.errors import UsageError
from longrein.core.policy import Rule
from longrein.loop.agent import Agent, Mode
from longrein.loop.assemble import Blueprint
from longrein.loop.checks import meant
from longrein.loop.setup import Budgets
from longrein.tools.define import Function, Tool
from longrein.workspace.rules import FileRule


def find(capabilities: Sequence[Capability], name: str) -> Subagent:
    """The subagent of a name. Raises `UsageError`, naming those that there are."""
    known = {one.name: one for capability in capabilities for one in capability.subagents()}
    if name not in known:
        raise UsageError(f"There is no subagent {name!r}.{meant(name, [*known])}")
    return known[name]


def blueprint_of(
    parent: Blueprint, subagent: Subagent, mode: str, shown: Mapping[str, Collection[str]]
) -> Blueprint:
    """What children of a subagent are made from.

    `mode` is the one that they begin in, `shown` are the tools of the parent by mode: those that
    are not there are left out. Raises `UsageError` for what cannot work with what the parent has.
    """
    terms = parent.terms
    limits = subagent.limits or replace(terms.limits, cost=None, tokens=None)
    return Blueprint(
        _agent(parent, subagent),
        [_mode(one, subagent, one.id == mode, shown[one.id]) for one in parent.modes],
        replace(
            terms,
            rules=_narrowing(subagent.permissions),
            limits=limits,
            # What a whole thread may cost, the tree of its root may.
            budgets=Budgets(resource=terms.budgets.resource),
        ),
        parent.given,
        # What a file names need not be there, and at the end of depth nobody can delegate.
        excused=parent.tools | {tool for tool in subagent.tools or () if isinstance(tool, str)},
    )


def own_tools(subagent: Subagent) -> tuple[Tool | Function, ...]:
    """The tools that a subagent has not from its parent."""
    return tuple(tool for tool in subagent.tools or () if not isinstance(tool, str))


def file_rules(subagent: Subagent) -> tuple[FileRule, ...]:
    """What a subagent may do with files, as one list in which the first match decides."""
    return tuple(rule for rule in subagent.permissions if isinstance(rule, FileRule))


def _agent(parent: Blueprint, subagent: Subagent) -> Agent:
    capabilities = [one.below() for one in parent.capabilities]
    if subagent.forked:
        # It goes on with the parent's own requests: what is special about it comes with its task.
        return change(parent.agent, capabilities=capabilities, model=())
    return change(
        parent.agent,
        name=subagent.name,
        instructions=_instructions(parent.agent, subagent),
        # Without one it is the parent's, as it is at any time.
        model=subagent.model or (),
        capabilities=capabilities,
    )


def _instructions(parent: Agent, subagent: Subagent) -> str | Callable[[Any], str]:
    said, name = parent.instructions, parent.name
    if callable(said):
        return lambda deps: system_of(subagent, said(deps), name)
    return system_of(subagent, said, name)


def _mode(mode: Mode, subagent: Subagent, begins: bool, shown: Collection[str]) -> Mode:
    """A mode of the parent for a child, in which it forbids and asks what it does in the parent.

    What it says, and its model, are the parent's; only of the mode that the subagent names they are
    the child's as well.
    """
    told: dict[str, Any] = {"rules": _narrowing(mode.rules)}
    if mode.id != subagent.mode:
        told |= {"instructions": "", "model": None}
    if subagent.forked:
        return change(mode, default=begins, **told)
    tools = own_tools(subagent)
    # A mode has tools instead of the agent's, or beside them.
    whose = "additional_tools" if mode.tools is None else "tools"
    told[whose] = (*(getattr(mode, whose) or ()), *tools)
    return change(
        mode,
        default=begins,
        visible=_visible(mode, subagent, shown, tools),
        transitions_to="",
        **told,
    )


def _visible(
    mode: Mode, subagent: Subagent, shown: Collection[str], own: Sequence[Tool | Function]
) -> Sequence[str] | None:
    if subagent.tools is None:
        return mode.visible
    named = [tool for tool in subagent.tools if isinstance(tool, str) and tool in shown]
    return (*named, *map(name_of, own))


def name_of(tool: Tool | Function) -> str:
    return tool.name if isinstance(tool, Tool) else tool.__name__


def _narrowing(rules: Sequence[Rule | FileRule]) -> tuple[Rule, ...]:
    """What may restrict a child; it is allowed nothing that its parent is not."""
    return tuple(rule for rule in rules if isinstance(rule, Rule) and rule.effect != "allow")
