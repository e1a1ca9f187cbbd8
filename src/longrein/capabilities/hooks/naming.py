"""Our tools and their arguments by the names that hooks written for Claude Code know."""

from collections.abc import Mapping
from typing import Any, cast

ELSEWHERE: Mapping[str, tuple[str, ...]] = {
    "edit_file": ("Edit", "MultiEdit"),
    "execute": ("Bash",),
    "glob": ("Glob",),
    "grep": ("Grep",),
    "ls": ("LS",),
    "read_file": ("Read",),
    "skill": ("Skill",),
    "task": ("Task", "Agent"),
    "update_todos": ("TodoWrite",),
    "web_fetch": ("WebFetch",),
    "web_search": ("WebSearch",),
    "write_file": ("Write",),
    "write_todos": ("TodoWrite",),
}
"""What our tools are called there, the first where one name is needed."""

_ARGUMENTS: Mapping[str, Mapping[str, str]] = {
    "edit_file": {"file_path": "path"},
    "execute": {"run_in_background": "background"},
    "grep": {"glob": "include", "-i": "ignore_case"},
    "read_file": {"file_path": "path"},
    "task": {"subagent_type": "agent"},
    "write_file": {"file_path": "path"},
}
"""Of each tool, the arguments that are called otherwise there, with our names."""


def names_of(tool: str) -> tuple[str, ...]:
    """Every name by which a tool may be meant, ours first."""
    return (tool, *ELSEWHERE.get(tool, ()))


def known_name(tool: str) -> str:
    """The name that a hook is told."""
    return ELSEWHERE.get(tool, (tool,))[0]


def told_arguments(tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments by our names, and by those that are known elsewhere too."""
    return {**arguments, **_aliases(tool, arguments)}


def changed_arguments(
    tool: str, arguments: Mapping[str, Any], wanted: Mapping[str, Any]
) -> dict[str, Any]:
    """The arguments with what a hook wants of them, by whichever name it says so.

    >>> changed_arguments("write_file", {"path": "a", "content": "x"}, {"file_path": "b"})
    {'path': 'b', 'content': 'x'}
    """
    aliases = _aliases(tool, arguments)
    names = _ARGUMENTS.get(tool, {})
    changed = {name: value for name, value in wanted.items() if not _is_alias(tool, name)}
    for alias, value in wanted.items():
        if not _is_alias(tool, alias) or value == aliases.get(alias):
            continue
        if alias in names:
            changed[names[alias]] = value
        else:
            edits = cast("list[dict[str, Any]]", changed.get("edits", arguments["edits"]))
            changed["edits"] = [{**edits[0], alias: value}, *edits[1:]]
    return {**arguments, **changed}


_EDITED = ("old_string", "new_string", "replace_all")


def _is_alias(tool: str, name: str) -> bool:
    return name in _ARGUMENTS.get(tool, {}) or (tool == "edit_file" and name in _EDITED)


def _aliases(tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    names = _ARGUMENTS.get(tool, {})
    found = {name: arguments[own] for name, own in names.items() if own in arguments}
    if tool == "edit_file" and isinstance(edits := arguments.get("edits"), list) and edits:
        first = cast("list[Any]", edits)[0]
        if isinstance(first, dict):
            found |= {n: v for n, v in cast("dict[str, Any]", first).items() if n in _EDITED}
    return found
