"""`longrein changes`: the files that a thread changed, and how."""

import os
from argparse import Namespace
from collections.abc import Coroutine, Sequence
from typing import Any

import msgspec

from longrein.capabilities.workspace.opened import OpenWorkspace
from longrein.cli import exits
from longrein.cli.left import relative, workspace_of
from longrein.cli.terminal import Screen
from longrein.cli.threads import named_or_current
from longrein.cli.workplace import Workplace, find_quiet_workplace
from longrein.core.errors import NotFound, UsageError
from longrein.workspace.checkpoints.values import FileChange


def changes(arguments: Namespace, screen: Screen) -> Coroutine[Any, Any, int]:
    """List what a thread changed; with a path, show how."""
    return _changes(find_quiet_workplace(arguments, screen), arguments, screen)


async def _changes(place: Workplace, arguments: Namespace, screen: Screen) -> int:
    async with place.harness() as harness:
        thread = await named_or_current(harness, place.resource, arguments.thread)
        session = await harness.session(place.resource, thread=thread)
        workspace = workspace_of(session)
        if workspace is None:
            raise UsageError(place.ground.why or "The agent has no workspace, so it has no files.")
        found = await workspace.changed()
        if arguments.path:
            await _show(workspace, _named(found, arguments.path, place.folder), screen)
        else:
            _list(found, place.folder, arguments, screen)
    return exits.FINISHED


def _list(found: Sequence[FileChange], folder: str, given: Namespace, screen: Screen) -> None:
    added = max((len(f"+{one.added}") for one in found), default=0)
    removed = max((len(f"-{one.removed}") for one in found), default=0)
    for one in found:
        if given.json:
            screen.out(f"{msgspec.json.encode(one).decode()}\n")
            continue
        lines = f"{f'+{one.added}':>{added}} {f'-{one.removed}':>{removed}}"
        against = f"  (against {one.denied})" if one.denied else ""
        screen.out(f"{one.status:8}  {lines}  {relative(one.path, folder)}{against}\n")
    if not found and not given.json:
        screen.say("This thread has changed no files.")


async def _show(workspace: OpenWorkspace, change: FileChange, screen: Screen) -> None:
    screen.out(f"{(await workspace.diff(change)).rstrip()}\n")


def _named(found: Sequence[FileChange], given: str, folder: str) -> FileChange:
    """The change of the file that is meant: as seen from here or the workspace, or by its end."""
    wanted = (os.path.abspath(given), os.path.normpath(os.path.join(folder, given)))
    for change in found:
        if change.path in wanted:
            return change
    ending = [one for one in found if one.path.endswith(f"/{given}")]
    if len(ending) == 1:
        return ending[0]
    raise NotFound(f"This thread has not changed {given}; longrein changes lists what it has.")
