"""A shell hook: when it is run, what, and for how long."""

import re
from collections.abc import Callable
from typing import Literal, TypeAlias, get_args

from msgspec import Struct

from longrein.capabilities.hooks.naming import names_of
from longrein.core.errors import UsageError

HookEvent: TypeAlias = Literal[
    "PreToolUse",
    "PostToolUse",
    "UserPromptSubmit",
    "Notification",
    "Stop",
    "SubagentStop",
    "PreCompact",
    "SessionStart",
    "SessionEnd",
]
EVENTS: tuple[HookEvent, ...] = get_args(HookEvent)

PROJECT = ("LONGREIN_PROJECT_DIR", "CLAUDE_PROJECT_DIR")
"""The variables in which a command finds the folder of the project."""

SECONDS = 60.0
LONGEST = 600.0
_EVERYTHING = ("", "*")
_PLAIN = re.compile(r"[\w|-]+")


class ShellHook(Struct, frozen=True):
    """A command that is run when something happens, with what happened as JSON on its input.

    `matcher` says for which tools (of PreToolUse and PostToolUse), triggers (of PreCompact) or
    sources (of SessionStart): names with `|` between them, or a regular expression; empty or `*`
    is all. `timeout` is in seconds. `origin` is where it comes from, for lists.

    Raises `UsageError` for what could never work.

    >>> from longrein import ShellHook
    >>> ShellHook("PreToolUse", "./check.sh", matcher="Bash|edit_file").fits("execute")
    True
    """

    event: HookEvent
    command: str
    matcher: str = ""
    timeout: float = SECONDS
    origin: str = "code"

    def __post_init__(self) -> None:
        if self.event not in EVENTS:
            raise UsageError(f"There is no hook {self.event!r}; known: {', '.join(EVENTS)}.")
        if not self.command.strip():
            raise UsageError(f"A hook for {self.event} has no command.")
        if not 0 < self.timeout <= LONGEST:
            raise UsageError(
                f"The timeout of a hook is above 0 and at most {LONGEST:g} seconds, not "
                f"{self.timeout:g}."
            )
        try:
            re.compile("" if self.matcher in _EVERYTHING else self.matcher)
        except re.error as error:
            raise UsageError(
                f"The matcher {self.matcher!r} is not a regular expression: {error}."
            ) from None

    def fits(self, what: str) -> bool:
        """Whether the hook is meant for a tool, by our name or one that people know, or for another
        thing of this name."""
        if self.matcher in _EVERYTHING:
            return True
        names = names_of(what)
        if _PLAIN.fullmatch(self.matcher):
            return any(name in self.matcher.split("|") for name in names)
        return any(re.search(self.matcher, name) for name in names)

    @property
    def key(self) -> str:
        """What tells it from others: hooks that are equal in this are run once."""
        return f"{self.event}\n{self.matcher}\n{self.command}"


Counts: TypeAlias = Callable[[ShellHook], str]
"""Why a hook may not be run (any more); empty: it may."""
