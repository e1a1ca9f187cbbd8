"""`ls` and `read_file`."""

from collections.abc import Mapping
from typing import Any

from longrein.capabilities.file_tools.gate import Gate, Job, Use
from longrein.capabilities.file_tools.kinds import HEAD, TEXT, is_shown, kind_of
from longrein.capabilities.file_tools.seen import Saw
from longrein.core.errors import ToolError
from longrein.core.messages import Content, Text
from longrein.core.words import counted, size
from longrein.tools.context import Context
from longrein.tools.define import Tool, tool
from longrein.workspace.base import UNKNOWN, Entry, Stat
from longrein.workspace.editing import read_text
from longrein.workspace.reading import COUNTED, Line, Lines, read_lines

MOST_ENTRIES = 500
MOST_LINES = 2_000
MOST_CHARACTERS = 30_000
"""Characters of one result: fewer than are cut out of its middle elsewhere."""

LONGEST_LINE = 2_000
LARGEST_PICTURE = 3_750_000
"""Bytes of a picture: providers take 5 MB of it encoded."""

LARGEST_MEDIA = 20_000_000
"""Bytes of a PDF, of audio and of video."""

_UTF16 = (b"\xff\xfe", b"\xfe\xff")


def looking_tools(gate: Gate) -> list[Tool]:
    """The tools to look at files."""

    def reads(arguments: Mapping[str, Any]) -> list[Use]:
        return [Use(arguments["path"], ("read",))]

    @tool(category="read", idempotent=True, touches=gate.looking("ls", reads))
    async def ls(ctx: Context, path: str = ".") -> str:
        """List a folder."""
        async with gate.job(ctx, Use(path, ("read",))) as job:
            listing = await job.files.entries(job.paths[0], MOST_ENTRIES)
        lines = [_entry(entry) for entry in listing.entries]
        if listing.more:
            lines.append(f"(the first {MOST_ENTRIES}; use glob to see others)")
        return "\n".join(lines) or "(empty)"

    @tool(
        category="read",
        idempotent=True,
        exclusive=gate.lane,
        touches=gate.looking("read_file", reads),
    )
    async def read_file(
        ctx: Context, path: str, offset: int = 1, limit: int = MOST_LINES
    ) -> str | list[Content]:
        """Read a file: text as lines with their numbers, images, audio, video and PDF as they are.

        Args:
            offset: First line.
            limit: Number of lines.
        """
        if offset < 0 or limit < 1:
            raise ToolError("offset is the number of a line, from 1; limit is at least 1.")
        async with gate.job(ctx, Use(path, ("read",))) as job:
            head = await job.files.read(job.paths[0], 0, HEAD)
            kind = kind_of(head.data, job.paths[0])
            if is_shown(kind):
                return await _media(job, kind, head.stat)
            if kind != TEXT:
                return _no_text(job, kind, head.stat)
            if head.data.startswith(_UTF16):
                return await _wide(job, head.stat, max(offset, 1), limit)
            lines = await read_lines(
                job.files, job.paths[0], max(offset, 1) - 1, limit, longest=4 * LONGEST_LINE
            )
            job.record(Saw(job.paths[0], lines.stat.revision))
            return _lines(job, lines)

    return [ls, read_file]


def _entry(entry: Entry) -> str:
    match entry.kind:
        case "folder":
            return f"{entry.name}/"
        case "file":
            return entry.name if entry.size == UNKNOWN else f"{entry.name} ({size(entry.size)})"
        case "link":
            return f"{entry.name} (link)"
        case "other":
            return f"{entry.name} (device, pipe or socket)"


async def _media(job: Job, kind: str, stat: Stat) -> list[Content]:
    """A file that the model may take as it is; the wire tells those that cannot."""
    path = job.paths[0]
    largest = LARGEST_PICTURE if kind.startswith("image/") else LARGEST_MEDIA
    if stat.size > largest:
        raise ToolError(
            f"{job.shown(path)} is {kind} of {size(stat.size)}; at most {size(largest)} can be "
            "shown. Make a smaller one of it, or take a part."
        )
    content = await job.files.read(path)
    file = await job.ctx.keep(content.data, kind, path.rpartition("/")[2])
    job.record(Saw(path, content.stat.revision))
    return [Text(f"{job.shown(path)}: {kind}, {size(len(content.data))}"), file]


def _no_text(job: Job, kind: str, stat: Stat) -> str:
    job.record(Saw(job.paths[0], stat.revision))
    return f"{job.shown(job.paths[0])}: not text ({kind}, {size(stat.size)}); it cannot be shown."


async def _wide(job: Job, stat: Stat, offset: int, limit: int) -> str:
    """UTF-16, whose lines can be told apart only when all of it is read."""
    path = job.paths[0]
    if stat.size > COUNTED:
        raise ToolError(
            f"{job.shown(path)} is UTF-16 of {size(stat.size)}; only up to {size(COUNTED)} can be "
            "read. Make a UTF-8 file of it."
        )
    content = await job.files.read(path)
    written = read_text(content.data)
    if written is None:
        return _no_text(job, "broken UTF-16", content.stat)
    texts = written.text.split("\n")
    every = [Line(f"{text}\n".encode()) for text in texts[:-1]]
    every += [Line(texts[-1].encode())] if texts[-1] else []
    taken = tuple(every[offset - 1 : offset - 1 + limit])
    more = len(every) > offset - 1 + len(taken)
    job.record(Saw(path, content.stat.revision))
    return _lines(job, Lines(taken, offset, more, len(every), content.stat), "UTF-16")


def _lines(job: Job, found: Lines, encoding: str = "") -> str:
    path = job.shown(job.paths[0])
    if not found.stat.size and not found.lines:
        return f"{path} is empty."
    if not found.lines:
        raise ToolError(
            f"{path} has {counted(found.total or 0, 'line')}; there is no line {found.first:,}."
        )
    if not encoding and not all(map(_is_utf8, found.lines)):
        encoding = "latin-1"
    numbered: list[str] = []
    left = MOST_CHARACTERS
    for number, line in enumerate(found.lines, found.first):
        text = f"{number}\t{_shown(line, encoding)}"
        left -= len(text) + 1
        if left < 0 and numbered:
            break
        numbered.append(text)
    return "\n".join((_header(path, found, len(numbered), encoding), *numbered))


def _is_utf8(line: Line) -> bool:
    try:
        line.data.decode()
    except UnicodeDecodeError as error:
        # Where a line is cut its last character may be, too.
        return line.cut and error.start > len(line.data) - 4
    return True


def _shown(line: Line, encoding: str) -> str:
    text = line.data.decode("latin-1" if encoding == "latin-1" else "utf-8", "ignore")
    text = text.removesuffix("\n").removesuffix("\r").removeprefix("\ufeff")
    if len(text) <= LONGEST_LINE and not line.cut:
        return text
    return f"{text[:LONGEST_LINE]}... (cut: the line is longer)"


def _header(path: str, found: Lines, given: int, encoding: str) -> str:
    last = found.first + given - 1
    written = f" ({encoding})" if encoding else ""
    more = found.more or given < len(found.lines)
    if found.first == 1 and not more:
        return f"{path}{written}: {counted(given, 'line')}"
    total = f"of {found.total:,}" if found.total is not None else f"of {size(found.stat.size)}"
    going_on = f"; go on with offset={last + 1}" if more else ""
    return f"{path}{written}: lines {found.first:,}-{last:,} {total}{going_on}"
