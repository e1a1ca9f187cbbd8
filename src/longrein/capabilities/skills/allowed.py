"""`allowed-tools`: what may be called while a skill is active.

It only restricts. Whatever it names is still subject to every rule, and asked about as before.

    Read                  a tool, by the name that it has in other products or its own (read_file)
    Bash(git:*)           commands that begin so; also execute(git *), with `*` for any words
    Edit(docs/**)         only files whose paths fit, at any depth unless it begins with '/'
    WebFetch(domain:x.y)  only this host

Commands are those that the shell parser finds in a line, each of which has to fit; what it cannot
tell for sure fits nothing. Who allows a command has not allowed the file that its output goes to:
what redirections write has to fit a Write or an Edit, what they read a Read.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Any, cast

from msgspec import Struct

from longrein.core.errors import UsageError
from longrein.core.policy import Rule
from longrein.permissions.matching import Action, Thing, permitted, things

ALWAYS = frozenset(("skill", "write_todos", "update_todos", "ask_user", "submit_plan"))
"""Tools that no skill takes away: they change nothing but the conversation."""

ELSEWHERE = {
    "agent": ("task", "tasks"),
    "bash": ("execute", "job"),
    "edit": ("edit_file",),
    "execute": ("execute", "job"),
    "multiedit": ("edit_file",),
    "read": ("read_file",),
    "shell": ("execute", "job"),
    "task": ("task", "tasks"),
    "todowrite": ("write_todos", "update_todos"),
    "write": ("write_file",),
}
"""Our tools by the names that other products, and so most skills, have for them."""

_SHELL = "execute"
_WRITING = ("write_file", "edit_file")
_TOOL = re.compile(r"([A-Za-z0-9_.:*-]+)(?:\(([^()]*)\))?(?=[\s,]|$)")
_BETWEEN = re.compile(r"[\s,]*")
_DOMAIN = "domain:"


class Allowance(Struct, frozen=True):
    """The tools that one entry is about, and the rule that tells which of their calls it means;
    None: all of them."""

    tools: tuple[str, ...]
    rule: Rule | None = None


def split_tools(given: Any) -> tuple[str, ...]:
    """The entries of an `allowed-tools`: a text with blanks or commas between them, or a list.

    >>> split_tools("Read, Bash(git add *) Grep")
    ('Read', 'Bash(git add *)', 'Grep')
    """
    if isinstance(given, str):
        return tuple(_split(given))
    if not isinstance(given, Sequence):
        raise UsageError("allowed-tools is a text or a list of texts.")
    entries = cast("Sequence[Any]", given)
    if not all(isinstance(entry, str) for entry in entries):
        raise UsageError("allowed-tools is a text or a list of texts.")
    return tuple(tool for entry in entries for tool in _split(entry))


def _split(text: str) -> Iterable[str]:
    at = cast("re.Match[str]", _BETWEEN.match(text)).end()
    while at < len(text):
        if not (found := _TOOL.match(text, at)):
            raise UsageError(
                f"allowed-tools has {text[at : at + 40]!r}: write names of tools, with blanks "
                "between them, such as Read or Bash(git:*)."
            )
        yield found[0]
        at = cast("re.Match[str]", _BETWEEN.match(text, found.end())).end()


def allowance(entry: str) -> Allowance:
    """What an entry allows. Raises `UsageError` for a pattern that nothing can fit."""
    found = _TOOL.fullmatch(entry)
    if found is None:
        raise UsageError(f"{entry!r} is no tool.")
    name, within = found[1], (found[2] or "").strip()
    tools = ELSEWHERE.get(name.lower(), (name, name.lower()))
    if within in ("", "*", ":*"):
        return Allowance(tools)
    if within.startswith(_DOMAIN):
        return Allowance(tools, Rule("allow", host=within.removeprefix(_DOMAIN)))
    if _SHELL in tools:
        prefix = within.removesuffix(":*")
        return Allowance(
            tools, Rule("allow", command=within if prefix == within else f"{prefix} *")
        )
    path = within.removeprefix("./")
    return Allowance(tools, Rule("allow", path=path if path[0] in "/*" else f"**/{path}"))


def refusal(skill: str, allowed: Sequence[str], action: Action) -> str:
    """Why an action may not happen while a skill is active; empty: nothing is said against it.

    >>> refusal("notes", ["Read"], Action("read_file", "read"))
    ''
    >>> print(refusal("notes", ["Read"], Action("execute", "execute")))
    The skill 'notes' is active and allows only: Read. Use these; whoever loaded it and is done \
with it calls skill(done=true).
    """
    if not allowed or action.tool in ALWAYS:
        return ""
    every = list(map(allowance, allowed))
    about = [one for one in every if _names(one, action.tool)]
    if any(one.rule is None for one in about):
        return ""
    if _all_fit(about, action) and _files_fit(every, action):
        return ""
    return (
        f"The skill {skill!r} is active and allows only: {', '.join(allowed)}. Use these; whoever "
        "loaded it and is done with it calls skill(done=true)."
    )


def _names(one: Allowance, tool: str) -> bool:
    return any(
        tool == name or (name.endswith("*") and tool.startswith(name[:-1])) for name in one.tools
    )


def _all_fit(about: Sequence[Allowance], action: Action) -> bool:
    """Whether everything that the action touches of a kind that is restricted fits together."""
    if action.tool == "job":  # what it is about was begun by a command, which had to fit
        return bool(about)
    rules = [one.rule for one in about if one.rule is not None]
    fits = frozenset[Thing]().union(*(permitted(rule, action) for rule in rules))
    kinds = {_kind(rule) for rule in rules}
    bound = [thing for thing in things(action.touches) if thing[0] in kinds]
    return bool(bound) and fits.issuperset(bound)


def _files_fit(every: Sequence[Allowance], action: Action) -> bool:
    """Whether the files of a command's redirections may be written, or read if none is written."""
    files = [thing for thing in things(action.touches) if thing[0] == "path"]
    if action.tool != _SHELL or not files:
        return True
    writes = ">" in str(action.arguments.get("command", ">"))
    tools = _WRITING if writes else (*_WRITING, "read_file")
    about = [one for one in every if any(_names(one, tool) for tool in tools)]
    rules = [one.rule for one in about if one.rule is not None]
    fits = frozenset[Thing]().union(*(permitted(rule, action) for rule in rules))
    return len(rules) < len(about) or fits.issuperset(files)


def _kind(rule: Rule) -> str:
    return "command" if rule.command else "host" if rule.host else "path"
