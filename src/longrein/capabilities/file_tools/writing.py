"""`write_file` and `edit_file`."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from longrein.capabilities.file_tools.gate import Gate, Job, Use
from longrein.capabilities.file_tools.seen import Saw
from longrein.core.errors import ToolError
from longrein.core.text import clean
from longrein.core.words import counted, size
from longrein.tools.context import Context
from longrein.tools.define import Tool, tool
from longrein.workspace.base import Content, Stat
from longrein.workspace.diffs import LARGEST, MOST_LINES, Diff, diff
from longrein.workspace.editing import Edited, EditProblem, Replacement, edit, like

SHOWN = 40
"""Lines of a diff that the model is shown; people are shown more."""

NOTHING = "Nothing would change."


# What the model gives. A docstring here would be a part of the schema, and said in every request.
class Edit(Struct, frozen=True, forbid_unknown_fields=True):
    old_string: str
    new_string: str
    replace_all: bool = False


def writing_tools(gate: Gate) -> list[Tool]:
    """The tools to write files."""

    def changes(arguments: Mapping[str, Any]) -> list[Use]:
        return [_use(arguments["path"])]

    async def preview_write(arguments: Mapping[str, Any], ctx: Context) -> str:
        async with gate.preview(ctx, _use(arguments["path"])) as job:
            path = job.paths[0]
            stat, before, data = await _to_write(job, path, arguments["content"])
            if stat is not None and before is None:
                return f"Overwrite {path} ({size(stat.size)}) with {size(len(data))}."
            return (await _compared(before, data, path, MOST_LINES)).text or NOTHING

    async def preview_edit(arguments: Mapping[str, Any], ctx: Context) -> str:
        async with gate.preview(ctx, _use(arguments["path"])) as job:
            path = job.paths[0]
            before, edited = await _to_edit(job, path, arguments["edits"])
            return (await _compared(before.data, edited.data, path, MOST_LINES)).text

    @tool(
        category="edit",
        exclusive=gate.lane,
        touches=gate.looking("write_file", changes),
        preview=preview_write,
    )
    async def write_file(ctx: Context, path: str, content: str) -> str:
        """Write a whole file, new or (read it first) over the old one; folders are made."""
        async with gate.job(ctx, _use(path)) as job:
            path = job.paths[0]
            stat, before, data = await _to_write(job, path, content)
            if stat is not None:
                job.check_replaceable(path, stat)
            if data == before and stat is not None:
                job.record(Saw(path, stat.revision))
                return f"{job.shown(path)} has exactly this content already."
            await _put(job, path, data, stat.revision if stat else "")
            lines = counted(content.count("\n") + (content[-1:] not in ("", "\n")), "line")
            if stat is None:
                return f"Created {job.shown(path)} ({lines})."
            if before is None:
                return f"Overwrote {job.shown(path)} ({lines}), which had {size(stat.size)}."
            compared = await _compared(before, data, path, SHOWN)
            return _told(f"Overwrote {job.shown(path)} ({lines}", compared)

    @tool(
        category="edit",
        exclusive=gate.lane,
        touches=gate.looking("edit_file", changes),
        preview=preview_edit,
    )
    async def edit_file(ctx: Context, path: str, edits: tuple[Edit, ...]) -> str:
        """Replace exact text in a file, all edits or none, one after the other.

        Without replace_all an old_string must be there exactly once: give the lines around it, and
        no line numbers.
        """
        async with gate.job(ctx, _use(path)) as job:
            path = job.paths[0]
            before, edited = await _to_edit(job, path, edits)
            await _put(job, path, edited.data, before.stat.revision)
            places = counted(edited.places, "place")
            compared = await _compared(before.data, edited.data, path, SHOWN)
            return _told(f"Edited {job.shown(path)} ({places}", compared, edited.notes)

    return [write_file, edit_file]


def _use(path: str) -> Use:
    # Who changes a file is shown what was in it.
    return Use(path, ("write", "read"))


async def _to_write(job: Job, path: str, content: str) -> tuple[Stat | None, bytes | None, bytes]:
    """What is at a path, its bytes (if they can be compared), and the bytes to put there."""
    text = clean(content)
    stat = await job.files.stat(path)
    if stat is None:
        return None, None, text.encode()
    if stat.kind == "file" and stat.size > LARGEST:
        return stat, None, text.encode()
    before = await job.files.read(path)
    return before.stat, before.data, like(before.data, text)


async def _to_edit(job: Job, path: str, edits: Sequence[Edit]) -> tuple[Content, Edited]:
    """A file as it is, and as it would be."""
    before = await job.files.read(path)
    job.check_known(path, before.stat)
    wanted = [
        Replacement(clean(it.old_string), clean(it.new_string), it.replace_all) for it in edits
    ]
    try:
        return before, await asyncio.to_thread(edit, before.data, wanted)
    except EditProblem as problem:
        raise ToolError(f"{job.shown(path)}: {problem}") from None


async def _put(job: Job, path: str, data: bytes, expected: str) -> None:
    async with job.changing(path):
        written = await job.files.write(path, data, expected=expected)
    job.record(Saw(path, written.revision))


async def _compared(before: bytes | None, data: bytes, path: str, lines: int) -> Diff:
    # Of large files this takes a while, in which others go on.
    return await asyncio.to_thread(diff, before, data, path, lines)


def _told(what: str, compared: Diff, notes: Sequence[str] = ()) -> str:
    first = f"{what}, +{compared.added:,} -{compared.removed:,})."
    return "\n".join((first, *(f"Note: {note}." for note in notes), compared.body))
