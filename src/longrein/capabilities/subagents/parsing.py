"""The file of a subagent, read: its head says who it is, its body are its instructions."""

import re
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any, cast

import msgspec
from msgspec import Struct

from longrein.capabilities.subagents.spec import Subagent
from longrein.core.errors import UsageError
from longrein.core.limits_table import LimitsTable
from longrein.core.policy import Rule
from longrein.workspace.frontmatter import read_frontmatter
from longrein.workspace.rules import FileRule

_MISSING = re.compile("Object missing required field `(.+)`")

FIELDS = (
    "name", "description", "tools", "model", "mode", "permissions", "limits", "forked",
)  # fmt: skip


class Head(Struct, frozen=True):
    """The head of a file, with what it need not say."""

    description: str
    name: str = ""
    tools: tuple[str, ...] | None = None
    model: str = ""
    mode: str = ""
    permissions: tuple[dict[str, Any], ...] = ()
    limits: LimitsTable | None = None
    forked: bool = False


def parse_agent(text: str, name: str, root: str = "") -> Subagent:
    """The subagent that a file describes, called `name` where it does not say itself.

    Raises `UsageError` or FrontmatterError for what makes no sense. A field that nobody knows is
    left out, as such files are shared with other programs, unless it looks like a slip of the pen.

    >>> text = "---\\ndescription: Reads code.\\ntools: read_file, grep\\n---\\nBe thorough."
    >>> agent = parse_agent(text, "reader")
    >>> agent.name, agent.tools, agent.instructions
    ('reader', ('read_file', 'grep'), 'Be thorough.')
    """
    table, body = read_frontmatter(text)
    for key in table:
        near = () if key in FIELDS else get_close_matches(key, FIELDS, n=1, cutoff=0.75)
        if near:
            raise UsageError(f"{key!r} is not a field; did you mean {near[0]!r}?")
    if isinstance(tools := table.get("tools"), str):
        table["tools"] = [one.strip() for one in tools.split(",") if one.strip()]
    head = _convert(table, Head, "")
    if head.limits and (wrong := head.limits.wrong()):
        raise UsageError(f"limits.{wrong}")
    return Subagent(
        head.name or name,
        head.description,
        body.strip(),
        tools=head.tools,
        model="" if head.model == "inherit" else head.model,
        mode=head.mode,
        permissions=[_rule(rule, n, root) for n, rule in enumerate(head.permissions, 1)],
        limits=head.limits and head.limits.limits(),
        forked=head.forked,
    )


def _rule(table: dict[str, Any], number: int, root: str) -> Rule | FileRule:
    """A rule as settings files have them; one with `paths` is about files."""
    where, kind = f"permissions ({number})", FileRule if "paths" in table else Rule
    for key in table:
        if key not in kind.__struct_fields__ or key == "id":
            raise UsageError(f"{where}: {key!r} is not a field of a rule.")
    if kind is FileRule:
        table = {
            **table,
            "paths": [_rooted(path, root, where) for path in _several(table["paths"])],
        }
    return _convert(table, kind, where)


def _several(given: Any) -> list[str]:
    return cast("list[str]", given) if isinstance(given, list) else str(given).split(",")


def _rooted(path: str, root: str, where: str) -> str:
    path = path.strip()
    if path.startswith(("/", "**")):
        return path
    if not root:
        raise UsageError(f"{where}: {path!r} begins with neither '/' nor '**'.")
    return f"{root.rstrip('/')}/{path}"


def _convert(table: Mapping[str, Any], kind: Any, where: str) -> Any:
    try:
        # Not strict: what stands in a head is all text.
        return msgspec.convert(table, kind, strict=False)
    except msgspec.ValidationError as error:
        what, _, at = str(error).partition(" - at `$")
        place = ": ".join(part for part in (where, at.strip("`.")) if part)
        raise UsageError(f"{place}: {_told(what)}" if place else _told(what)) from None


def _told(what: str) -> str:
    """What is wrong with a value, for whoever wrote the file."""
    if missing := _MISSING.fullmatch(what):
        return f"{missing[1]!r} is missing: write a line '{missing[1]}: ...' into the head."
    return f"{what[:1].lower()}{what[1:]}.".replace("`", "'")
