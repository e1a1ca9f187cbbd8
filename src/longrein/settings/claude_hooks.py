"""Shell hooks of files that were written for Claude Code."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from longrein.capabilities.hooks.spec import EVENTS, ShellHook
from longrein.core.errors import UsageError
from longrein.core.outcomes import Problem
from longrein.settings.hook_tables import KIND, CommandTable, HookTable, of_event
from longrein.settings.project import read_bounded


def of_claude(path: Path, origin: str, problems: list[Problem]) -> Iterator[ShellHook]:
    """The hooks in a file of Claude Code; what is not known here is told and left out."""
    try:
        given = msgspec.convert(json.loads(read_bounded(path)), dict[str, Any])
        groups = msgspec.convert(given.get("hooks", {}), dict[str, list[dict[str, Any]]])
    except (FileNotFoundError, NotADirectoryError):
        return
    except (OSError, ValueError, RecursionError) as error:
        problems.append(Problem(KIND, f"{path}: its hooks cannot be read: {error}"))
        return
    for event, one in ((event, one) for event, several in groups.items() for one in several):
        try:
            if event not in EVENTS:
                raise UsageError(f"there is no hook {event!r} here")
            yield from tuple(of_event(event, _known(one), origin))
        except (UsageError, msgspec.ValidationError) as error:
            problems.append(Problem(KIND, f"{path}: not used: {error}"))


def _known(group: dict[str, Any]) -> HookTable:
    """What is known here of a group of hooks. Raises `ValidationError`."""
    commands = msgspec.convert(group.get("hooks", []), list[dict[str, Any]])
    known = CommandTable.__struct_fields__
    hooks = [{key: value for key, value in one.items() if key in known} for one in commands]
    return msgspec.convert({**group, "hooks": hooks}, HookTable)
