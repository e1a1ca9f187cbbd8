"""Rules and grants in words for people."""

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

from longrein.core.policy import Grant, Rule, Scope
from longrein.permissions.evaluate import rule_name
from longrein.permissions.remember import any_tool, describe

HOLDS: Mapping[Scope, str] = {"run": "this run", "thread": "this thread", "resource": "the project"}
"""Where a grant of each scope holds."""

FileUse: TypeAlias = Literal["read", "write"]


def calls_about(path: str) -> Mapping[FileUse, tuple[str, Mapping[str, Any]]]:
    """The tool and the arguments with which an agent reads, and writes, a file."""
    return {
        "read": ("read_file", {"path": path}),
        "write": ("write_file", {"path": path, "content": ""}),
    }


def about(rule: Rule) -> str:
    """What a rule is about.

    >>> about(Rule("deny", category="edit", path="/project/**/.env"))
    'any tool that edits files, path /project/**/.env'
    """
    patterns = {
        "path": rule.path,
        "command": rule.command,
        "host": rule.host,
        **{f"argument {name}": pattern for name, pattern in rule.arguments.items()},
    }
    what = rule.tool or any_tool(rule.category)
    if rule.tool and rule.category:
        what = f"{rule.tool} ({rule.category})"
    return what + "".join(f", {name} {pattern}" for name, pattern in patterns.items() if pattern)


def name_of(rule: Rule) -> str:
    """What a rule is called where it is to be removed."""
    return rule_name(rule)


def covered(grant: Grant) -> str:
    """What a grant lets happen unasked."""
    return describe(grant)
