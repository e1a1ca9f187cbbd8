"""`longrein changes`: the files that a thread changed, and how."""

import os
from argparse import Namespace
from collections.abc import Sequence

from longrein.capabilities.workspace.opened import OpenWorkspace
from longrein.cli import exits
from longrein.cli.left import workspace_of
from longrein.cli.placed import in_quiet_place
from longrein.cli.terminal import Screen
from longrein.cli.threads import named_or_last
from longrein.cli.workplace import Workplace
from longrein.client.words import seen_from
from longrein.core.errors import NotFound, UsageError
from longrein.workspace.checkpoints.values import FileChange


@in_quiet_place
async def changes(place: Workplace, arguments: Namespace, screen: Screen) -> int:
    """List what a thread changed; with a path, show how."""
    async with place.harness() as harness:
        session = await named_or_last(harness, place.resource, arguments.thread)
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
            screen.out_json(one)
            continue
        lines = f"{f'+{one.added}':>{added}} {f'-{one.removed}':>{removed}}"
        against = f"  (against {one.denied})" if one.denied else ""
        screen.out(f"{one.status:8}  {lines}  {seen_from(folder, one.path)}{against}\n")
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
