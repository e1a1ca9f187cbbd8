"""`deep_agent`: one call for an agent that plans, works on files, delegates and remembers."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import Any, TypeAlias, cast

import msgspec
from msgspec import Struct

from longrein.capabilities.base import Capability
from longrein.capabilities.memory.memory import Memory
from longrein.capabilities.plans import Plans
from longrein.capabilities.skills.skills import Skills
from longrein.capabilities.skills.standard import Skill
from longrein.capabilities.subagents.capability import Subagents
from longrein.capabilities.subagents.spec import Subagent
from longrein.capabilities.todos import Todos
from longrein.capabilities.workspace.shelling import ShellChoice
from longrein.capabilities.workspace.sources import InStore, InThread, Source
from longrein.capabilities.workspace.workspace import Workspace
from longrein.core.errors import UsageError
from longrein.core.policy import Rule
from longrein.loop.agent import DEFAULT_SETTINGS, Agent, Chain, Tools
from longrein.loop.checks import listed, meant
from longrein.models.base import ModelSettings
from longrein.workspace.rules import FileRule

BASE = (
    "Work on what you are given until it is done, by yourself. Look before you act, keep to what "
    "was asked for, and check what you made before you say that it is done. Say what you found and "
    "what you could not do; do not guess."
)
"""How a deep agent works, whatever the work is."""

CHANGING = ("write_file", "edit_file", "delete", "move")
"""The tools that change files."""

Asked: TypeAlias = bool | Mapping[str, Any]
"""Ask (True), do not (False), or ask about calls that fit these fields of a rule."""

_OTHER_WORDS = {
    "system_prompt": "instructions",
    "prompt": "instructions",
    "response_format": "output",
    "interrupt_on": "permissions",
}
"""What others call the fields of a subagent."""


def deep_agent(
    model: Chain | Callable[[Any], Chain] = (),
    *,
    tools: Tools | Callable[[Any], Tools] = (),
    instructions: str | Callable[[Any], str] = "",
    subagents: Sequence[Subagent | Mapping[str, Any]] = (),
    permissions: Sequence[Rule | FileRule] = (),
    interrupt_on: Mapping[str, Asked] | None = None,
    skills: Sequence[str | os.PathLike[str] | Skill] | None = (),
    memory: Sequence[str | os.PathLike[str]] | None = (),
    workspace: str | os.PathLike[str] | Source | Workspace | None = None,
    shell: ShellChoice = "sandbox",
    capabilities: Sequence[Capability] = (),
    settings: ModelSettings = DEFAULT_SETTINGS,
    name: str = "assistant",
) -> Agent:
    """An agent with todos and plans, files, a shell, subagents, skills and memory.

    Without a `workspace` its files live in the thread, may be changed unasked, and there is no
    shell; with a folder there is, and a person is asked about changes and commands. `subagents`
    are `Subagent` objects or dicts with their fields. `permissions` are file rules and others.
    `interrupt_on` says for tools by name whether a person is asked: True, False, or a dict of
    `path`, `command`, `host`, `arguments` and `always` for the calls that are. `skills` are folders
    of skills, or skills; `memory` are files of instructions; None switches either off.
    `capabilities` are added, or take the place of those with the same name.

    >>> from longrein import deep_agent, run_sync
    >>> from longrein.testing import Script, ScriptedModel, call, say
    >>> script = Script([call("write_file", path="/a.md", content="Hello"), say("It is written.")])
    >>> run_sync(deep_agent(ScriptedModel(script)), "Write a note.")
    Finished(text='It is written.')
    """
    given = listed("permissions", permissions, object, "Rule and FileRule")
    place = _workspace(workspace, [one for one in given if isinstance(one, FileRule)], shell)
    rules = (*_rules(given), *_asked(interrupt_on or {}), *_unasked(workspace))
    built_in: list[Capability] = [place, Todos(), Plans(), Subagents(_subagents(subagents))]
    if skills is not None:
        built_in.append(_skills(skills))
    if memory is not None:
        listed("memory", memory, object, "files")
        built_in.append(Memory(user=memory))
    if rules:
        built_in.append(Permissions(rules))
    return Agent(
        name,
        model=model,
        instructions=instructions,
        base_prompt=BASE,
        tools=tools,
        capabilities=_together(built_in, listed("capabilities", capabilities, Capability)),
        settings=settings,
    )


class Permissions(Capability):
    """Rules that an agent brings along."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._rules = tuple(rules)

    def rules(self) -> Sequence[Rule]:
        return self._rules

    def needed(self) -> str:
        return "it holds the rules of the agent. Take them out of its permissions instead."


def _workspace(
    given: str | os.PathLike[str] | Source | Workspace | None,
    rules: Sequence[FileRule],
    shell: ShellChoice,
) -> Workspace:
    if not isinstance(given, Workspace):
        return Workspace(InThread() if given is None else given, rules=rules, shell=shell)
    if rules:
        raise UsageError("Give file rules to the Workspace itself, or a folder instead of it.")
    return given


def _rules(permissions: Sequence[object]) -> list[Rule]:
    """The rules that are not about files."""
    for one in permissions:
        if not isinstance(one, Rule | FileRule):
            raise UsageError(f"permissions are Rule and FileRule; {one!r} is neither.")
    return [one for one in permissions if isinstance(one, Rule)]


class _Asking(Struct, frozen=True, forbid_unknown_fields=True):
    """Which calls of a tool a person is asked about."""

    path: str = ""
    command: str = ""
    host: str = ""
    arguments: dict[str, str] = {}
    always: bool = False


def _asked(interrupt_on: Any) -> tuple[Rule, ...]:
    if not isinstance(interrupt_on, Mapping):
        raise UsageError(f"interrupt_on is a dict from names of tools, not {interrupt_on!r}.")
    given = cast("Mapping[Any, Any]", interrupt_on)
    return tuple(_rule(str(tool), asked) for tool, asked in given.items())


def _rule(tool: str, asked: Any) -> Rule:
    if isinstance(asked, bool):
        return Rule("ask" if asked else "allow", tool)
    try:
        which = msgspec.convert(asked, _Asking)
    except msgspec.ValidationError as error:
        known = ", ".join(_Asking.__struct_fields__)
        raise UsageError(
            f"interrupt_on[{tool!r}] is True, False, or a dict of {known}: {error}. Whoever is "
            "asked can always approve, edit or decline."
        ) from None
    return Rule(
        "ask",
        tool,
        always=which.always,
        arguments=which.arguments,
        path=which.path,
        command=which.command,
        host=which.host,
    )


def _unasked(workspace: object) -> tuple[Rule, ...]:
    """Files that nobody has but the agent may be changed unasked."""
    if not isinstance(workspace, InThread | InStore | None):
        return ()
    return tuple(Rule("allow", tool) for tool in CHANGING)


def _subagents(given: Any) -> list[Subagent]:
    return [_subagent(one) for one in listed("subagents", given, object, "Subagent")]


def _subagent(given: object) -> Subagent:
    if isinstance(given, Subagent):
        return given
    if not isinstance(given, Mapping):
        raise UsageError(f"subagents are Subagent objects or dicts; {given!r} is neither.")
    said = cast("Mapping[str, Any]", given)
    known = [field.name for field in fields(Subagent) if field.name != "_"]
    for key in said:
        if key not in known:
            other = _OTHER_WORDS.get(key)
            hint = f" Say {other!r} for it." if other else meant(key, known)
            raise UsageError(f"A subagent has no {key!r}.{hint}")
    if missing := [key for key in ("name", "description") if key not in said]:
        raise UsageError(f"A subagent needs a {' and a '.join(missing)}: {dict(said)!r}.")
    return Subagent(**said)


def _skills(given: Any) -> Skills:
    members = listed("skills", given, object, "folders and Skill")
    folders = [one for one in members if not isinstance(one, Skill)]
    return Skills(cast("Any", folders), skills=[one for one in members if isinstance(one, Skill)])


def _together(built_in: Sequence[Capability], given: Sequence[Capability]) -> list[Capability]:
    by = {one.name: one for one in built_in}
    return list({**by, **{one.name: one for one in given}}.values())
