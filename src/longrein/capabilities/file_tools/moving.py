"""`delete` and `move`."""

from collections.abc import Mapping
from typing import Any

from longrein.capabilities.file_tools.gate import Gate, Job, Use
from longrein.capabilities.file_tools.judging import inside
from longrein.capabilities.file_tools.seen import Lost, Moved, Saw
from longrein.core.errors import ToolError
from longrein.core.words import counted, size
from longrein.tools.context import Context
from longrein.tools.define import Tool, tool
from longrein.workspace.base import FileSystem, Stat
from longrein.workspace.paths import is_below
from longrein.workspace.problems import FileProblem, Missing, Refused

MOST_COUNTED = 10_000
MOST_NAMED = 10


def moving_tools(gate: Gate) -> list[Tool]:
    """The tools to remove files and to give them other paths.

    Both run alone in their step: they can be about more paths than a lane has a name for, and the
    calls before and after them mean the files as they are before and after.
    """

    def removes(arguments: Mapping[str, Any]) -> list[Use]:
        return _removing(arguments["path"], arguments["recursive"])

    def moves(arguments: Mapping[str, Any]) -> list[Use]:
        return _moving(arguments["source"], arguments["target"])

    async def preview_delete(arguments: Mapping[str, Any], ctx: Context) -> str:
        async with gate.preview(ctx, *removes(arguments)) as job:
            path = job.paths[0]
            return f"Delete {await _described(job.files, path)}{await _names(job.files, path)}"

    async def preview_move(arguments: Mapping[str, Any], ctx: Context) -> str:
        async with gate.preview(ctx, *moves(arguments)) as job:
            source, target = job.paths
            there = await job.files.stat(target)
            over = f"\nin place of {await _described(job.files, target)}" if there else ""
            return f"Move {await _described(job.files, source)}\nto {target}{over}"

    @tool(
        category="edit",
        exclusive=True,
        touches=gate.looking("delete", removes),
        preview=preview_delete,
    )
    async def delete(ctx: Context, path: str, recursive: bool = False) -> str:
        """Delete a file, or a folder (recursive: with all in it)."""
        async with gate.job(ctx, *_removing(path, recursive)) as job:
            path = job.paths[0]
            job.check_movable(path)
            await _check_all_known(job, path)
            what = await _described(job.files, path, job.shown(path))
            try:
                async with job.changing(path):
                    await job.files.remove(path, recursive=recursive)
            except FileProblem as problem:
                left = await _described(job.files, path, job.shown(path))
                if left == what:
                    raise
                # Part of it is gone, and what was kept of that must be: this has to be a result.
                job.record(Lost(path))
                return f"Only partly deleted: {problem.says} Left: {left}"
            job.record(Lost(path))
            return f"Deleted {what}"

    @tool(
        category="edit", exclusive=True, touches=gate.looking("move", moves), preview=preview_move
    )
    async def move(ctx: Context, source: str, target: str, replace: bool = False) -> str:
        """Move or rename a file or folder; target is its whole new path."""
        async with gate.job(ctx, *_moving(source, target)) as job:
            source, target = job.paths
            if source == target:
                raise ToolError(f"{job.shown(source)} is there already; there is nothing to do.")
            job.check_movable(source)
            await _check_all_known(job, source)
            there = await job.files.stat(target)
            if there is not None and replace:
                job.check_replaceable(target, there)
            known = source in job.seen()
            async with job.changing(source, target):
                await job.files.move(source, target, replace=replace)
            job.record(Moved(source, target))
            now = await job.files.stat(target)
            if known and now is not None and now.kind == "file":
                job.record(Saw(target, now.revision))
            return f"Moved {job.shown(source)} to {job.shown(target)}."

    return [delete, move]


def _removing(path: str, recursive: bool) -> list[Use]:
    return [Use(path, ("write", "read"), link=True, whole=recursive)]


def _moving(source: str, target: str) -> list[Use]:
    return [
        Use(source, ("write", "read"), link=True, whole=True),
        Use(target, ("write", "read"), link=True, mirrors=True),
    ]


async def _check_all_known(job: Job, path: str) -> None:
    """That nothing in here has changed since the model saw it."""
    for one in job.seen():
        found = await job.beneath.stat(one) if is_below(one, path) else None
        if found is not None:
            job.check_known(one, found)


async def _described(files: FileSystem, path: str, name: str = "") -> str:
    """What goes with a path, in words."""
    name = name or path
    stat = await files.stat(path)
    if stat is None:
        raise Missing(
            path, "There is no such file or folder. List its folder to see what there is."
        )
    if stat.kind != "folder":
        return f"{name} ({_kind(stat)})"
    try:
        within = await inside(files, path, MOST_COUNTED)
    except Refused:
        return f"{name}/ (a folder with more than {MOST_COUNTED:,} files and folders)"
    inner = [one for one in within.found if one.kind != "folder"]
    total = size(sum(one.size for one in inner))
    odd = f", and {within.unnamed:,} more with names that cannot be shown" if within.unnamed else ""
    return f"{name}/ (a folder with {counted(len(inner), 'file')}, {total}{odd})"


async def _names(files: FileSystem, path: str) -> str:
    """The first names in a folder, line by line, for who is asked whether it may go."""
    stat = await files.stat(path)
    if stat is None or stat.kind != "folder":
        return ""
    found = await files.entries(path, MOST_NAMED)
    names = [f"{it.name}/" if it.kind == "folder" else it.name for it in found.entries]
    if found.more or found.unnamed:
        names.append("...")
    return "".join(f"\n  {name}" for name in names)


def _kind(stat: Stat) -> str:
    match stat.kind:
        case "link":
            return f"a link to {stat.target}; that stays"
        case "file":
            return size(stat.size)
        case _:
            return "a device, pipe or socket"
