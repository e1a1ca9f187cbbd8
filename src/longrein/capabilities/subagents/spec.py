"""`Subagent`: who can be delegated to, as an application or a file says it."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, cast

import msgspec

from longrein.core.errors import UsageError
from longrein.core.policy import Rule
from longrein.core.usage import LARGEST, Limits
from longrein.models.base import Model
from longrein.tools.define import Function, Tool
from longrein.tools.shapes import shape_of
from longrein.workspace.rules import FileRule

LONGEST_NAME = 64
LONGEST_DESCRIPTION = 1_024
_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


@dataclass(frozen=True, slots=True)
class Subagent:
    """Somebody to delegate to: a child is made from it for each task.

    `description` tells the model when to delegate to it; `instructions` are the child's own. What
    is not given is as the parent has it: `tools` (names of the parent's, or tools of its own),
    `model`, `mode`. `permissions` hold beside the parent's: a child never may do more. `output` is
    the type that its answer has to fit, `limits` are those of its run. A `forked` child begins with
    the parent's conversation and its tools, so that what the provider has in its cache is used.

    Raises `UsageError` for what can be found wrong here.

    >>> from longrein import Subagent
    >>> Subagent("code-reader", "Answers questions about the code.", tools=["read_file"]).name
    'code-reader'
    """

    name: str
    description: str
    instructions: str = ""
    _: KW_ONLY
    tools: Sequence[str | Tool | Function] | None = None
    model: str | Model = ""
    mode: str = ""
    permissions: Sequence[Rule | FileRule] = ()
    output: type[Any] | None = None
    limits: Limits | None = None
    forked: bool = False

    def __post_init__(self) -> None:
        check_name(self.name)
        who = f"the subagent {self.name!r}"
        _check_texts(self, who)
        if self.tools is not None:
            object.__setattr__(self, "tools", _tools(self.tools, who))
        object.__setattr__(self, "permissions", _permissions(self.permissions, who))
        if not isinstance(self.model, str) and not hasattr(self.model, "stream"):
            raise UsageError(f"model of {who} is a name or a model, not {self.model!r}.")
        if self.output is not None:
            _check_output(self.output, who)
        if self.limits is not None:
            _check_limits(self.limits, who)
        if self.forked and self.tools is not None:
            raise UsageError(
                f"{who} is forked and has tools: a forked child is offered just what its parent "
                "is, or the cached prefix would be lost. Leave out tools, and deny what it may "
                "not use with permissions."
            )
        if self.forked and self.mode:
            raise UsageError(
                f"{who} is forked and has a mode: a forked child goes on in its parent's. Leave "
                "out one of both."
            )


def check_name(name: Any) -> None:
    """Raises `UsageError` for what cannot be the name of a subagent."""
    if not isinstance(name, str) or not _NAME.fullmatch(name) or len(name) > LONGEST_NAME:
        raise UsageError(
            f"{name!r} cannot be the name of a subagent: use lower case letters and digits, with "
            f"single hyphens between words, {LONGEST_NAME} characters at most."
        )


def _check_texts(given: Subagent, who: str) -> None:
    for name in ("description", "instructions", "mode"):
        if not isinstance(text := getattr(given, name), str):
            raise UsageError(f"{name} of {who} is a text, not {text!r}.")
    if not given.description.strip():
        raise UsageError(f"{who} has no description: say what it is for, and when to delegate.")
    if len(given.description) > LONGEST_DESCRIPTION:
        raise UsageError(
            f"description of {who} has {len(given.description):,} characters; at most "
            f"{LONGEST_DESCRIPTION:,}. What the child has to know belongs into instructions."
        )


def _tools(given: Any, who: str) -> tuple[str | Tool | Function, ...]:
    """Tools as a tuple: who gave them may change theirs."""
    tools = _members(given, f"tools of {who}", "names, tools and functions")
    for one in tools:
        if not callable(one) and not isinstance(one, Tool) and not (isinstance(one, str) and one):
            raise UsageError(f"tools of {who} are names, tools or functions; {one!r} is none.")
    return tools


def _permissions(given: Any, who: str) -> tuple[Rule | FileRule, ...]:
    rules = _members(given, f"permissions of {who}", "Rule and FileRule")
    for one in rules:
        if not isinstance(one, Rule | FileRule):
            raise UsageError(f"permissions of {who} are Rule and FileRule; {one!r} is neither.")
    return rules


def _members(given: Any, what: str, called: str) -> tuple[Any, ...]:
    if isinstance(given, str | bytes | Mapping) or not isinstance(given, Iterable):
        raise UsageError(f"{what} is a list of {called}, not {given!r}.")
    return tuple(cast("Iterable[Any]", given))


def _check_output(output: Any, who: str) -> None:
    try:
        shape_of(output)
    except UsageError as error:
        raise UsageError(f"output of {who}: {error}") from None


def _check_limits(limits: Any, who: str) -> None:
    if not isinstance(limits, Limits):
        raise UsageError(f"limits of {who} is an object of Limits, not {limits!r}.")
    try:
        msgspec.convert(msgspec.to_builtins(limits), Limits)
    except msgspec.ValidationError as error:
        raise UsageError(f"limits of {who} make no sense: {error}.") from None
    for name in limits.__struct_fields__:
        if (amount := getattr(limits, name)) is not None and not 0 <= amount <= LARGEST:
            raise UsageError(f"limits of {who} has {name}={amount!r}; give 0 or more, or None.")
