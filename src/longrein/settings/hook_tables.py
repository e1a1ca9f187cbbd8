"""Shell hooks as settings write them."""

from collections.abc import Iterator
from typing import Literal, TypeAlias

from msgspec import Struct

from longrein.capabilities.hooks.spec import EVENTS, SECONDS, HookEvent, ShellHook
from longrein.core.errors import UsageError

KIND = "hook"
"""The kind of every problem with hooks."""

HookType: TypeAlias = Literal["command"]


class CommandTable(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A command of a hook, as Claude Code nests it."""

    command: str
    type: HookType = "command"
    timeout: float | None = None


class HookTable(Struct, frozen=True, omit_defaults=True):
    """What is run for an event: a `command`, or several in `hooks`."""

    matcher: str = ""
    command: str = ""
    timeout: float | None = None
    hooks: tuple[CommandTable, ...] = ()


class HooksTable(Struct, frozen=True, omit_defaults=True):
    """The hooks for each event; whether there are any at all, and whether those in the files of
    Claude Code count too."""

    enabled: bool | None = None
    claude: bool | None = None
    PreToolUse: tuple[HookTable, ...] = ()
    PostToolUse: tuple[HookTable, ...] = ()
    UserPromptSubmit: tuple[HookTable, ...] = ()
    Notification: tuple[HookTable, ...] = ()
    Stop: tuple[HookTable, ...] = ()
    SubagentStop: tuple[HookTable, ...] = ()
    PreCompact: tuple[HookTable, ...] = ()
    SessionStart: tuple[HookTable, ...] = ()
    SessionEnd: tuple[HookTable, ...] = ()


class SourcedHooks(Struct, frozen=True):
    """The hooks that one source of settings brings."""

    source: str
    table: HooksTable


def of_table(table: HooksTable, origin: str) -> tuple[ShellHook, ...]:
    """The hooks of a table. Raises `UsageError`."""
    return tuple(
        hook
        for event in EVENTS
        for one in getattr(table, event)
        for hook in of_event(event, one, origin)
    )


def of_event(event: HookEvent, table: HookTable, origin: str) -> Iterator[ShellHook]:
    """The hooks of one table for an event. Raises `UsageError`."""
    if bool(table.command) == bool(table.hooks):
        raise UsageError(f"{event} needs a command, or a list of hooks with one each.")
    for one in table.hooks or (CommandTable(table.command),):
        timeout = one.timeout or table.timeout or SECONDS
        yield ShellHook(event, one.command, table.matcher, timeout, origin)
